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
	"syscall"
)

// Errors of OpenFolder.
var (
	ErrForeign = errors.New("the folder is not empty, and holds no earlier export")
	ErrOrigin  = errors.New("the folder holds an export of another store, agent or taint")
	ErrRecord  = errors.New(recordFile + ", which says what the last export wrote, is damaged")
)

// Kept is a file that an export left as it was.
type Kept struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Folder is a folder that an export writes to. Nothing is read or written
// outside of it, wherever links in it lead; each file is written whole or not
// at all.
type Folder struct {
	Written, Unchanged, Removed int
	Kept                        []Kept // edited or foreign: a conflict for the user to solve

	root   *os.Root
	force  bool
	before map[string]string // what the last export wrote
	folded map[string]string // the same by folded path
	put    map[string]bool   // folded paths of the files of this export
	record record
	made   map[string]bool // folders known to be there, and to be no links
}

// OpenFolder makes the folder if there is none. A folder in which there is
// something already must be an earlier export of the same origin; with force
// any will do, and files that are in the way are overwritten.
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
		put: map[string]bool{}, made: map[string]bool{".": true},
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
	for file, sum := range f.before { // until each is looked at
		f.record.Files[file], f.folded[fold(file)] = sum, sum
	}
	return f, f.save()
}

// Earlier is how many files the last export wrote here.
func (f *Folder) Earlier() int { return len(f.before) }

// Put brings a file to a content. What was edited since the last export, or
// was never written by one, stays as it is and is listed among Kept, unless
// judge finds that it says nothing else.
func (f *Folder) Put(file string, content []byte, judge func(old []byte) Verdict) error {
	f.put[fold(file)] = true
	err := f.write(file, content, judge)
	if errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EILSEQ) || errors.Is(err, syscall.EINVAL) {
		f.keep(file, "its name is none that this file system takes")
		return nil
	}
	return err
}

// Verdict is what a file that no export wrote is to the entry of its name.
type Verdict int

// The verdicts.
const (
	Other    Verdict = iota // its contents are others
	Outdated                // the same contents; what the service sets differs
	Same                    // the same in other words: another order, other quotes
)

// Judge compares a file with a note.
func Judge(old []byte, note Note) Verdict {
	there, problems := Parse(old, false)
	switch {
	case len(problems) > 0 || !bytes.Equal(there.Contents(), note.Contents()):
		return Other
	case there.Label != note.Label || !there.DeletedAt.Equal(note.DeletedAt):
		return Outdated
	default:
		return Same
	}
}

func (f *Folder) write(file string, content []byte, judge func(old []byte) Verdict) error {
	if reason, err := f.makeFolders(path.Dir(file)); err != nil || reason != "" {
		if err == nil {
			f.keep(file, reason)
		}
		return err
	}
	old, state, err := f.look(file)
	if err != nil {
		return err
	}
	last := f.folded[fold(file)] // what the last export wrote; "": nothing
	verdict := Outdated          // nothing is lost
	if state == isFile && sumOf(old) != last {
		verdict = judge(old)
	}
	switch {
	case state == isFile && (bytes.Equal(old, content) || verdict == Same):
		f.Unchanged++
		f.record.Files[file] = sumOf(old)
		return nil
	case state == isFolder || state == isOther && !f.force:
		f.keep(file, "is no file, so that the entry's file cannot be written")
		return nil
	case verdict == Other && !f.force && last == "":
		f.keep(file, "is not of an export, and differs from the entry of its name")
		return nil
	case verdict == Other && !f.force:
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

// Finish removes the files of entries that are gone, unless they were edited,
// and writes down what the folder holds now.
func (f *Folder) Finish() error {
	var gone []string
	for file := range f.before {
		if !f.put[fold(file)] {
			gone = append(gone, file)
		}
	}
	slices.Sort(gone)
	for _, file := range gone {
		old, state, err := f.look(file)
		switch {
		case err != nil:
			return err
		case state == isAbsent:
		case state != isFile || sumOf(old) != f.before[file] && !f.force:
			f.keep(file, "was edited since the last export, and its entry is gone")
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

// prune removes folders that became empty.
func (f *Folder) prune(folder string) {
	for ; folder != "."; folder = path.Dir(folder) {
		if f.root.Remove(folder) != nil { // it holds something
			return
		}
		delete(f.made, folder)
	}
}

// Close writes down what was done, as far as it came, and ends.
func (f *Folder) Close() error { return errors.Join(f.save(), f.root.Close()) }

// state is what stands at a path.
type state int

const (
	isAbsent state = iota
	isFile
	isFolder
	isOther // a link, a device
)

// look reads what stands at a path, unless a link leads there.
func (f *Folder) look(file string) ([]byte, state, error) {
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

// makeFolders makes the folders above a file. A reason says what is in the
// way: links are not followed, inside the folder either.
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

// replace writes a file beside its place and moves it there: who reads it sees
// the old one or the new one.
func (f *Folder) replace(file string, content []byte) (err error) {
	beside := path.Join(path.Dir(file), ".mneme-"+rand.Text()+".tmp")
	out, err := f.root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	if err = errors.Join(err, out.Close()); err == nil {
		err = f.root.Rename(beside, file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", file, err), f.root.Remove(beside))
	}
	return nil
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
