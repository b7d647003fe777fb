package foldersync

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"mneme/markdown"
)

// folder is the folder on disk. It follows no links.
type folder struct {
	root *os.Root
	dir  string
	now  func() time.Time
	seen map[string]seen // files as last read
}

// seen records the time and size of a file, which need not be read again while they are
// unchanged.
type seen struct {
	info fs.FileInfo // nil: not read yet
	file file
}

// isStill reports whether a file is unchanged.
func (s seen) isStill(info fs.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, info) && s.info.ModTime().Equal(info.ModTime()) && s.info.Size() == info.Size()
}

// errChanged reports that a file differs from what was read: the next pass decides again.
var errChanged = errors.New("the file has changed meanwhile")

// file is a file of the folder.
type file struct {
	sum     string // of its contents
	isEmpty bool   // whether it contains only white space
	isUTF16 bool
	note    markdown.Note
	// problems are the reasons why it is not an entry.
	problems []markdown.Problem
}

// listing is the contents of a folder.
type listing struct {
	files map[string]*file
	// unknown are files and folders that cannot be read now, or that are still changing.
	// They count neither as existing nor as missing. The value is the reason to report; "":
	// none.
	unknown   map[string]string // the reason
	folders   []string
	copies    []string // other versions of files, not synchronized
	temporary []string // programs' temporary files, not synchronized; without hidden ones
	unsettled bool     // whether some files are still changing
}

// isUnknown reports whether a file, or a folder that may contain it, is unknown.
func (l listing) isUnknown(file string) bool {
	for ; file != "."; file = path.Dir(file) {
		if _, ok := l.unknown[file]; ok {
			return true
		}
	}
	_, ok := l.unknown["."]
	return ok
}

// linked is the reason why a file below a link is not synchronized.
const linked = "its folder is a link, which is not followed"

// isLinked reports whether a folder above a file is a link. list records a link without a
// reason, because the linked folder may contain no file to synchronize.
func (l listing) isLinked(file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if reason, ok := l.unknown[dir]; ok {
			return reason == "" && !isNote(dir)
		}
	}
	return false
}

func isNote(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown":
		return true
	}
	return false
}

// isIgnored reports whether a file is never synchronized: a hidden file, a program's
// temporary file, the index or the trash of an exported folder.
func isIgnored(file string) bool {
	name := path.Base(file)
	return strings.HasPrefix(name, ".") || markdown.IsTemporary(name) || file == markdown.IndexFile || file == markdown.TrashFolder
}

// isLink reports whether a directory entry may be a link to another folder. The mode of a
// Windows junction is ModeIrregular, not ModeSymlink.
func isLink(mode fs.FileMode) bool { return mode&(fs.ModeSymlink|fs.ModeIrregular) != 0 }

// list reads the folder. known are the files of the last common state. A file that was
// changed less than settle ago is unknown.
func (f *folder) list(known map[string]base, zone *time.Location, settle time.Duration) (listing, error) {
	l := listing{files: make(map[string]*file), unknown: make(map[string]string)}
	before := f.seen
	f.seen = make(map[string]seen, len(before))
	err := fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		_, isKnown := known[name]
		switch {
		case err != nil && name == ".":
			return err
		case name == ".":
			return nil
		case !isKnown && l.isAway(name, known):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case isIgnored(name) && !isKnown:
			if isNote(name) && path.Base(name)[0] != '.' && markdown.IsTemporary(name) && entry.Type().IsRegular() {
				l.temporary = append(l.temporary, name)
			}
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			l.unknown[name] = "cannot be read"
			return fs.SkipDir
		case entry.IsDir():
			l.folders = append(l.folders, name)
			return nil
		case isNote(name) && !entry.Type().IsRegular():
			l.unknown[name] = "is a link or no regular file, which is not followed"
			return nil
		case isLink(entry.Type()): // maybe to a folder with files of the state
			l.unknown[name] = ""
			return nil
		case !isNote(name):
			return nil
		case !isKnown && markdown.IsConflictCopy(name):
			l.copies = append(l.copies, name)
			return nil
		}
		return f.listFile(&l, name, before[name], zone, settle)
	})
	for name := range l.files {
		if l.unknown[name] == away { // the file is back, and its stub remains
			delete(l.unknown, name)
		}
	}
	return l, err
}

// away is the reason why a file that only a stub stands for is unknown: a program such as a
// cloud client stores the contents elsewhere.
const away = "is not on this computer: open it, or have it downloaded"

// isAway reports whether name is the stub of a file that is stored elsewhere, or of a
// folder with files of the state. It records that file or folder as unknown.
func (l *listing) isAway(name string, known map[string]base) bool {
	file, ok := markdown.Away(name)
	if !ok {
		return false
	}
	if !isNote(file) {
		ok = false
		for other := range known {
			ok = ok || strings.HasPrefix(other, file+"/")
		}
	}
	if ok {
		l.unknown[file] = away
	}
	return ok
}

// unsure is how long after a file's last change another change may go unnoticed: the times
// of some file systems have a resolution of two seconds.
const unsure = 2 * time.Second

// listFile adds a file to the listing, as it was last read if it has not changed since.
func (f *folder) listFile(l *listing, name string, last seen, zone *time.Location, settle time.Duration) error {
	before, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && settle > 0 && f.now().Sub(before.ModTime()) < settle && before.ModTime().Before(f.now().Add(settle)) {
		l.unknown[name], l.unsettled = "", true
		return nil
	}
	if err == nil && last.isStill(before) {
		f.seen[name] = last
		l.files[name] = new(last.file)
		return nil
	}
	text, problems := markdown.Read(f.root, name)
	after, afterErr := f.root.Lstat(name)
	switch {
	case len(problems) > 0 || err != nil:
		l.unknown[name] = "cannot be read"
		return nil
	case afterErr != nil || !after.ModTime().Equal(before.ModTime()) || after.Size() != int64(len(text)):
		l.unknown[name], l.unsettled = "", true
		return nil
	}
	decoded, _ := markdown.Decode(text)
	one := file{sum: sumOf(text), isEmpty: len(bytes.TrimSpace(decoded)) == 0, isUTF16: markdown.IsUTF16(text)}
	one.note, one.problems = markdown.ParsePlain(name, text, zone)
	if f.now().Sub(after.ModTime()) > unsure {
		f.seen[name] = seen{info: after, file: one}
	}
	l.files[name] = &one
	return nil
}

// read returns the contents of a file; nil if it does not exist.
func (f *folder) read(name string) ([]byte, error) {
	text, err := f.root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// temporary writes a temporary file, and returns its name.
func (f *folder) temporary(text []byte, mode fs.FileMode) (name string, err error) {
	if err := f.root.MkdirAll(tempFolder, 0o700); err != nil {
		return "", err
	}
	name = tempFolder + "/" + rand.Text()
	out, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = out.Write(text)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return "", errors.Join(err, f.root.Remove(name))
	}
	return name, nil
}

// create creates a file. It returns errChanged if the file exists.
func (f *folder) create(name string, text []byte) (err error) {
	if err := f.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	temporary, err := f.temporary(text, 0o600)
	if err != nil {
		return err
	}
	err = f.root.Link(temporary, name)
	switch {
	case err == nil:
		return f.root.Remove(temporary)
	case errors.Is(err, fs.ErrExist):
		return errors.Join(errChanged, f.root.Remove(temporary))
	}
	// The file system does not support hard links.
	if _, err := f.root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(errChanged, f.root.Remove(temporary))
	}
	return f.root.Rename(temporary, name)
}

// replace replaces a file if the checksum of its contents is sum, and returns errChanged
// otherwise. Contents that another program writes to it at the same moment are moved to a
// conflict file, whose name is returned.
func (f *folder) replace(name string, text []byte, sum string) (conflict string, err error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return "", errChanged
	}
	temporary, err := f.temporary(text, info.Mode().Perm())
	if err != nil {
		return "", err
	}
	kept := tempFolder + "/" + rand.Text()
	if f.root.Link(name, kept) != nil { // the file system does not support hard links
		kept = ""
	}
	drop := func(err error) error {
		if kept != "" {
			err = errors.Join(err, f.root.Remove(kept))
		}
		return errors.Join(err, f.root.Remove(temporary))
	}
	if old, err := f.root.ReadFile(name); err != nil || sumOf(old) != sum {
		return "", drop(errChanged)
	}
	if err := f.root.Rename(temporary, name); err != nil {
		return "", drop(err)
	}
	if kept == "" {
		return "", nil
	}
	if old, err := f.root.ReadFile(kept); err == nil && sumOf(old) != sum {
		conflict = f.conflictFile(name)
		return conflict, f.root.Rename(kept, conflict)
	}
	return "", f.root.Remove(kept)
}

// isGone reports whether a file does not exist.
func (f *folder) isGone(name string) bool {
	_, err := f.root.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// move renames a file to a name that must be free, and removes folders that are empty
// afterwards.
func (f *folder) move(name, to string) error {
	before, err := f.root.Lstat(name)
	if err != nil {
		return errChanged
	}
	if err := f.root.MkdirAll(path.Dir(to), 0o700); err != nil {
		return err
	}
	there, err := f.root.Lstat(to)
	switch {
	case err == nil && !os.SameFile(before, there):
		return errChanged
	case err == nil && markdown.Fold(name) != markdown.Fold(to):
		// An interrupted pass has linked the file to its new name, but not removed the
		// former one.
		err = f.root.Remove(name)
	default: // free, or the same file if names are case-insensitive
		err = f.link(name, to, err == nil)
	}
	if err != nil {
		return err
	}
	f.removeEmpty(path.Dir(name))
	return nil
}

// link renames a file. It cannot overwrite another file if the file system supports hard
// links. isSame reports that both names already mean this file: they differ only in case.
func (f *folder) link(name, to string, isSame bool) error {
	if isSame {
		return f.respell(name, to)
	}
	switch err := f.root.Link(name, to); {
	case err == nil:
		return f.root.Remove(name)
	case errors.Is(err, fs.ErrExist):
		return errChanged
	}
	return f.root.Rename(name, to)
}

// removeEmpty removes a folder and its parents while they are empty.
func (f *folder) removeEmpty(dir string) {
	for dir != "." && f.root.Remove(dir) == nil {
		dir = path.Dir(dir)
	}
}

// setAside renames a file to a conflict file, and returns its name.
func (f *folder) setAside(name string) (string, error) {
	conflict := f.conflictFile(name)
	return conflict, f.root.Rename(name, conflict)
}

// conflictFile returns the name of a new conflict file for a file: "name (conflict
// 2026-11-26 13.05.12).md", in local time.
func (f *folder) conflictFile(name string) string {
	extension := path.Ext(name)
	stem := path.Join(path.Dir(name), cut(strings.TrimSuffix(path.Base(name), extension))) + " (conflict " + f.now().Format("2006-01-02 15.04.05")
	for n := 1; ; n++ {
		conflict := stem + ")" + extension
		if n > 1 {
			conflict = fmt.Sprintf("%s %d)%s", stem, n, extension)
		}
		if _, err := f.root.Lstat(conflict); errors.Is(err, fs.ErrNotExist) {
			return conflict
		}
	}
}

// cut truncates a file's name so that a suffix can be added: file systems allow 255 bytes.
func cut(name string) string {
	const most = 180
	if len(name) <= most {
		return name
	}
	end := most
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// remove moves a file to the folder's trash. It returns errChanged if the checksum of the
// file's contents is not sum.
func (f *folder) remove(name, sum string) error {
	old, err := f.read(name)
	switch {
	case err != nil:
		return err
	case old == nil:
		return nil
	case sumOf(old) != sum:
		return errChanged
	}
	to := trashFolder + "/" + f.now().Format("2006-01-02 15.04.05") + " " + rand.Text()[:6] + "/" + name
	if err := f.root.MkdirAll(path.Dir(to), 0o700); err != nil {
		return err
	}
	if err := f.root.Rename(name, to); err != nil {
		return err
	}
	f.removeEmpty(path.Dir(name))
	return nil
}

// check returns ErrGone unless the folder still exists and its state has the ID of this
// run: the state of another run means that another program synchronizes the folder.
func (f *folder) check(id string) error {
	here, err := f.root.Stat(".")
	if err != nil {
		return ErrGone
	}
	there, err := os.Stat(f.dir)
	if err != nil || !os.SameFile(here, there) {
		return ErrGone
	}
	if s, err := f.readState(); err != nil || s.ID != id {
		return ErrGone
	}
	return nil
}
