package markdown

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// stubExtensions are the extensions that programs add to the names of files that they store
// elsewhere: iCloud, OneDrive, Google Drive, Dropbox, Nextcloud and ownCloud.
var stubExtensions = []string{
	".icloud", ".cloud", ".cloudf", ".onedrive", ".odlocal", ".gdoc", ".gdownload", ".tmp.drivedownload", ".dropbox-placeholder",
	".nextcloud", ".owncloud",
}

// Away returns the name of the file or folder that a stub stands for, such as .NAME.icloud. ok
// is false if the name is not a stub's.
func Away(name string) (file string, ok bool) {
	dir, base := path.Split(name)
	for _, extension := range stubExtensions {
		rest, found := strings.CutSuffix(base, extension)
		if rest = strings.TrimPrefix(rest, "."); found && rest != "" {
			return dir + rest, true
		}
	}
	return "", false
}

// copyNames match the names that programs give the other version of a file that changed on two
// computers. The names are without the folder.
var copyNames = []*regexp.Regexp{
	// mneme sync: NAME (conflict 2026-11-26 13.05.12).md
	regexp.MustCompile(` \(conflict \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d( \d+)?\)\.[^.]+$`),
	// Syncthing: NAME.sync-conflict-20261126-130512-ABCDEFG.md
	regexp.MustCompile(`\.sync-conflict-\d{8}-\d{6}(-[A-Z0-9]{7})?(\.[^.]+)?$`),
	// Dropbox, Nextcloud, Obsidian Sync: NAME (Ann's conflicted copy 2026-11-26).md
	regexp.MustCompile(`(?i) \(([^()]* )?(conflicted copy|case conflict|unicode encoding conflict)( [^()]*)?\)( \(\d+\))?\.[^.]+$`),
	// ownCloud, older: NAME_conflict-20181126-130512.md
	regexp.MustCompile(`_conflict-\d{8}-\d{6}\.[^.]+$`),
	// OneDrive, with the default name that Windows gives a computer: NAME-DESKTOP-AB12CD3.md
	regexp.MustCompile(`-(DESKTOP|LAPTOP|WIN)-[A-Z0-9]{7,11}(-\d+| \(\d+\))?\.[^.]+$`),
	// Seafile: NAME (SFConflict ann@example.org 2026-11-26-13-05-12).md
	regexp.MustCompile(` \(SFConflict [^()]+ \d{4}(-\d\d){5}\)\.[^.]+$`),
	// Google Drive: NAME [Conflict].md
	regexp.MustCompile(`(?i) \[conflict( \d+)?\]\.[^.]+$`),
}

// IsConflictCopy reports whether a file's name is that of a conflict copy.
func IsConflictCopy(file string) bool {
	base := path.Base(file)
	return slices.ContainsFunc(copyNames, func(name *regexp.Regexp) bool { return name.MatchString(base) })
}

// IsTemporary reports whether a file's name is that of a temporary file, lock file or backup of
// a program.
func IsTemporary(file string) bool {
	base := path.Base(file)
	switch lower := strings.ToLower(base); {
	case strings.HasPrefix(base, "~"), strings.HasPrefix(base, ".~"), strings.HasPrefix(base, ".#"):
		return true
	case strings.HasPrefix(base, "#") && strings.HasSuffix(base, "#"), strings.HasSuffix(base, "~"):
		return true
	default:
		switch path.Ext(lower) {
		case ".tmp", ".temp", ".swp", ".swo", ".swx", ".bak", ".part", ".partial", ".crdownload":
			return true
		}
		// a.tmp.md, which some programs write
		stem := strings.TrimSuffix(lower, path.Ext(lower))
		return strings.HasSuffix(stem, ".tmp") || strings.HasSuffix(stem, ".swp")
	}
}
