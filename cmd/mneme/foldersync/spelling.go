package foldersync

import (
	"crypto/rand"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"mneme/markdown"
)

// findsAnyCase reports whether the file system is case-insensitive, as on Windows and
// macOS. Such file systems preserve the case of names.
func (f *folder) findsAnyCase() bool {
	own, err := f.root.Lstat(ownFolder)
	if err != nil {
		return false
	}
	other, err := f.root.Lstat(strings.ToUpper(ownFolder))
	return err == nil && os.SameFile(own, other)
}

// respell renames a file or a folder to a name that differs only in case.
func (f *folder) respell(name, to string) error {
	if err := f.root.Rename(name, to); err != nil || f.isSpelled(to) {
		return err
	}
	// The file system considers both names equal and did nothing, so a third name is
	// needed. If this is interrupted, the next pass handles the file like any renamed one.
	extension := ""
	if isNote(to) {
		extension = path.Ext(to)
	}
	between := strings.TrimSuffix(to, extension)
	between = path.Join(path.Dir(between), cut(path.Base(between))+" (renaming "+rand.Text()[:6]+")"+extension)
	if err := f.root.Rename(name, between); err != nil {
		return err
	}
	return f.root.Rename(between, to)
}

// isSpelled reports whether a file or a folder has the name in this case.
func (f *folder) isSpelled(name string) bool {
	entries, err := fs.ReadDir(f.root.FS(), path.Dir(name))
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == path.Base(name) })
}

// spelled returns the name of a file with its folders spelled as in the listing, if the
// file system ignores case.
func (p *pass) spelled(name string) string {
	if !p.folder.findsAnyCase() {
		return name
	}
	if p.folders == nil {
		p.folders = make(map[string]string)
		for _, dir := range p.listing.folders {
			p.folders[markdown.Fold(dir)] = dir
		}
	}
	dir := "."
	for segment := range strings.SplitSeq(path.Dir(name), "/") {
		dir = path.Join(dir, segment)
		if there, ok := p.folders[markdown.Fold(dir)]; ok {
			dir = there
		} else {
			p.folders[markdown.Fold(dir)] = dir // it will be created
		}
	}
	return path.Join(dir, path.Base(name))
}

// respellFolders renames folders to the case that the keys of all their files have, if an
// entry was renamed to a key whose folders are on disk in another case.
func (p *pass) respellFolders() {
	if !p.respelled {
		return
	}
	wanted := make(map[string]string) // by folder; "": the keys differ
	for name, base := range p.state.Files {
		want := path.Dir(markdown.FileName(base.Namespace, base.Key))
		dir := path.Dir(name)
		for ; dir != "." && markdown.Fold(dir) == markdown.Fold(want); dir, want = path.Dir(dir), path.Dir(want) {
			if former, ok := wanted[dir]; ok && former != path.Base(want) {
				wanted[dir] = ""
			} else {
				wanted[dir] = path.Base(want)
			}
		}
	}
	// Nested folders first, since renaming a folder changes their names.
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(wanted))) {
		if want := wanted[dir]; want != "" && want != path.Base(dir) {
			p.respellFolder(dir, path.Join(path.Dir(dir), want))
		}
	}
}

// respellFolder renames a folder, and the files of the state in it.
func (p *pass) respellFolder(dir, to string) {
	if err := p.folder.respell(dir, to); err != nil {
		p.problem(dir, 0, "cannot be renamed to "+path.Base(to))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(p.state.Files)) {
		rest, ok := strings.CutPrefix(name, dir+"/")
		if !ok {
			continue
		}
		base := p.state.Files[name]
		delete(p.state.Files, name)
		delete(p.missing, name)
		p.state.Files[to+"/"+rest] = base
		p.done(Event{Kind: Renamed, File: to + "/" + rest, From: name})
	}
}
