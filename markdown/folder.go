package markdown

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"mneme/internal/system"
)

// Errors of OpenFolder.
var (
	ErrForeign = errors.New("the folder is not empty and was not written by an export")
	ErrOrigin  = errors.New("the folder holds an export of another store, agent or taint")
	ErrRecord  = errors.New(recordFile + ", the list of files that the last export wrote, is damaged")
)

// Kept is a file that an export neither overwrote nor removed.
type Kept struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Folder is the destination folder of an export. It is confined to the folder and does not
// follow links. It replaces each file atomically.
type Folder struct {
	Written, Unchanged, Removed int
	Kept                        []Kept // edited or foreign: conflicts for the user to resolve

	root   *os.Root
	force  bool
	before map[string]string // checksums of the last export's files, by path
	folded map[string]string // checksums of the last export's files, by folded path
	put    map[string]string // this export's files, by folded path
	record record
	made   map[string]bool // folders known to exist and not to be links
}

// OpenFolder opens a folder for an export, creating it if it does not exist. A folder that is
// not empty must be an earlier export of the same origin. Otherwise the error is ErrForeign,
// ErrOrigin or ErrRecord. With force, OpenFolder accepts any folder, and Put overwrites
// conflicting files.
func OpenFolder(dir string, origin Origin, force bool) (_ *Folder, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{
		root: root, force: force, before: map[string]string{}, folded: map[string]string{},
		put: map[string]string{}, made: map[string]bool{".": true},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Close())
		}
	}()
	f.record = record{Format: 1, Origin: origin, Files: map[string]string{}}
	last, err := f.readRecord()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		names, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			return nil, err
		}
		if len(names) > 0 && !force {
			return nil, ErrForeign
		}
	case err != nil:
		if !force {
			return nil, err
		}
	case last.Origin != origin:
		if !force {
			return nil, ErrOrigin
		}
	default:
		f.before = last.Files
	}
	for file, sum := range f.before { // until each is put or removed
		f.record.Files[file], f.folded[fold(file)] = sum, sum
	}
	return f, f.save()
}

// PreviousFiles returns the number of files that the last export wrote.
func (f *Folder) PreviousFiles() int { return len(f.before) }

// Put writes a file. If a file was edited since the last export, or was not written by an
// export, Put leaves it alone and adds it to Kept, unless compare finds the same contents. Put
// calls compare only for such files.
func (f *Folder) Put(file string, content []byte, compare func(old []byte) Diff) error {
	f.put[fold(file)] = file
	err := f.write(file, content, compare)
	if system.IsInvalidName(err) {
		f.keep(file, "its name is not valid on this file system")
		return nil
	}
	return err
}

// Diff is how an existing file differs from the note to write.
type Diff int

// The differences.
const (
	Different  Diff = iota // other contents, or not a valid note
	Outdated               // the same contents, but another label or time of deletion
	Equivalent             // the same note, perhaps formatted otherwise
)

// Compare compares a file with a note.
func Compare(old []byte, note Note) Diff {
	onDisk, problems := Parse(old, false, time.UTC)
	switch {
	case len(problems) > 0 || !bytes.Equal(onDisk.Contents(), note.Contents()):
		return Different
	case onDisk.Label != note.Label || !onDisk.DeletedAt.Equal(note.DeletedAt):
		return Outdated
	default:
		return Equivalent
	}
}

func (f *Folder) write(file string, content []byte, compare func(old []byte) Diff) error {
	if reason, err := f.makeFolders(path.Dir(file)); err != nil || reason != "" {
		if err == nil {
			f.keep(file, reason)
		}
		return err
	}
	old, state, err := f.readFile(file)
	if err != nil {
		return err
	}
	last := f.folded[fold(file)] // checksum; "": the last export did not write it
	diff := Outdated             // it may be overwritten
	if state == isFile && sumOf(old) != last {
		diff = compare(old)
	}
	switch {
	case state == isFile && (bytes.Equal(old, content) || diff == Equivalent):
		f.Unchanged++
		f.record.Files[file] = sumOf(old)
		return nil
	case state == isFolder || state == isOther && !f.force:
		f.keep(file, "is not a regular file, so the entry cannot be written")
		return nil
	case diff == Different && !f.force && last == "":
		f.keep(file, "was not written by an export, and differs from the entry")
		return nil
	case diff == Different && !f.force:
		f.keep(file, "was edited since the last export, and differs from the entry")
		return nil
	}
	if err := f.replace(file, content); err != nil {
		return err
	}
	f.Written++
	f.record.Files[file] = sumOf(content)
	return nil
}

func (f *Folder) keep(file, reason string) {
	f.Kept = append(f.Kept, Kept{File: file, Reason: reason})
	if sum := f.before[file]; sum != "" {
		f.record.Files[file] = sum
	}
}

// Finish removes the files of entries that no longer exist, unless they were
// edited, and saves the record.
func (f *Folder) Finish() error {
	var stale []string
	for file := range f.before {
		switch now, put := f.put[fold(file)]; {
		case !put:
			stale = append(stale, file)
		case now != file && f.same(file, now): // one file under another name
			delete(f.record.Files, file)
		case now != file:
			stale = append(stale, file)
		}
	}
	slices.Sort(stale)
	for _, file := range stale {
		old, state, err := f.readFile(file)
		switch {
		case err != nil:
			return err
		case state == isAbsent:
		case state != isFile || sumOf(old) != f.before[file] && !f.force:
			f.keep(file, "was edited since the last export, and its entry no longer exists")
			continue
		default:
			if err := f.root.Remove(file); err != nil {
				return err
			}
			f.Removed++
			f.prune(path.Dir(file))
		}
		delete(f.record.Files, file)
	}
	return f.save()
}

// same reports whether two paths that differ in case or Unicode form lead to the same file, as
// on file systems that ignore these.
func (f *Folder) same(file, other string) bool {
	one, err := f.root.Lstat(file)
	if err != nil {
		return false
	}
	two, err := f.root.Lstat(other)
	return err == nil && os.SameFile(one, two)
}

// prune removes a folder and its parents while they are empty.
func (f *Folder) prune(folder string) {
	for ; folder != "."; folder = path.Dir(folder) {
		if f.root.Remove(folder) != nil { // it is not empty
			return
		}
		delete(f.made, folder)
	}
}

// Close saves the record, even if the export was interrupted, and closes the folder.
func (f *Folder) Close() error { return errors.Join(f.save(), f.root.Close()) }

// fileState is what exists at a path.
type fileState int

const (
	isAbsent fileState = iota
	isFile
	isFolder
	isOther // such as a link or a device
)

// readFile reads the file at a path. A path through a link is isOther.
func (f *Folder) readFile(file string) ([]byte, fileState, error) {
	for folder := path.Dir(file); !f.made[folder]; folder = path.Dir(folder) {
		info, err := f.root.Lstat(folder)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, isAbsent, nil
		}
		if err != nil || !info.IsDir() {
			return nil, isOther, err
		}
	}
	info, err := f.root.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, isAbsent, nil
	case err != nil:
		return nil, isAbsent, err
	case info.IsDir():
		return nil, isFolder, nil
	case !info.Mode().IsRegular():
		return nil, isOther, nil
	}
	text, err := f.root.ReadFile(file)
	return text, isFile, err
}

// makeFolders creates a folder and its parents. reason is set if a file or link is in the way.
// It does not follow links, even within the export.
func (f *Folder) makeFolders(folder string) (reason string, err error) {
	if f.made[folder] {
		return "", nil
	}
	if reason, err := f.makeFolders(path.Dir(folder)); err != nil || reason != "" {
		return reason, err
	}
	info, err := f.root.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = f.root.Mkdir(folder, 0o700)
	} else if err == nil && !info.IsDir() {
		return "a file or link is where its folder should be", nil
	}
	f.made[folder] = err == nil
	return "", err
}

// replace replaces a file atomically: it writes a temporary file in the same
// folder and renames it.
func (f *Folder) replace(file string, content []byte) (err error) {
	temporary := path.Join(path.Dir(file), ".mneme-"+rand.Text()+".tmp")
	out, err := f.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	if err = errors.Join(err, out.Close()); err == nil {
		err = f.root.Rename(temporary, file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", file, err), f.root.Remove(temporary))
	}
	return nil
}

// sumOf returns the checksum of a file as stored in the record.
func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
