package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mneme/acl"
	"mneme/cmd/mneme/importer"
	"mneme/markdown"
	"mneme/memory"
)

// leaf is a Markdown file to import, without its body, which is read again for the write: a
// folder may be larger than memory.
type leaf struct {
	file    string // relative to the folder
	path    memory.Path
	label   acl.Label
	sum     contents
	deleted time.Time
	number  int // N of trash/key~N.md, from 1
	fields  map[string]int
}

// contents is the digest of an entry in the form of a note.
type contents [sha256.Size]byte

func contentsOf(n markdown.Note) contents { return sha256.Sum256(n.Contents()) }

// storedEntry has the fields of a stored entry that an import compares.
type storedEntry struct {
	label acl.Label
	sum   contents
}

// folderImport is one import of a folder.
type folderImport struct {
	*importing
	root    *os.Root
	source  *entrySource
	taint   acl.Label
	files   markdown.Files       // all files outside the trash, including damaged ones
	named   map[memory.Path]bool // the entries that these files name
	live    []leaf
	deleted []leaf
	decoded map[string]string           // the reason why a file was decoded
	stored  map[memory.Path]storedEntry // the stored entries that have a file
}

// writeFolder imports a folder of Markdown files.
func (i *importing) writeFolder(ctx context.Context, to *connection) (err error) {
	started := time.Now()
	defer func() { i.counts.WriteS = time.Since(started).Seconds() }()
	i.counts.DryRun = i.dryRun
	root, err := os.OpenRoot(i.markdown)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	principal, err := i.as.principal(i.as.agent)
	if err != nil {
		return err
	}
	source, err := to.source(i.as.agent, i.store)
	if err != nil {
		return err
	}
	f := folderImport{
		importing: i, root: root, source: source, taint: principal.Taint,
		files: make(markdown.Files), named: make(map[memory.Path]bool), decoded: make(map[string]string),
	}
	if err := f.read(ctx); err != nil {
		return err
	}
	if err := f.compare(ctx); err != nil {
		return to.failure(err)
	}
	if err := f.restoreTrash(ctx); err != nil {
		return to.failure(err)
	}
	return f.write(ctx, to)
}

// read reads every file and reports its problems.
func (f *folderImport) read(ctx context.Context) error {
	index := make(markdown.Index)
	err := markdown.Walk(f.root, func(file string) error {
		note, problems := f.load(file)
		if isCopy(file, note) {
			f.note(file, markdown.Problem{Line: 1, Reason: "is left out: a temporary file, or another version of one"})
			return ctx.Err()
		}
		if reason := f.decoded[file]; reason != "" {
			f.note(file, markdown.Problem{Line: 1, Reason: reason})
		}
		l, more := f.leaf(file, note)
		for _, p := range append(problems, more...) {
			f.refuseFile(file, p)
		}
		good := len(problems)+len(more) == 0
		if good && note.Undated != "" {
			f.note(file, markdown.Problem{Line: note.Lines["occurred_at"], Reason: "occurred_at: " + importer.Undated})
		}
		switch {
		case !inTrash(file):
			f.files.Add(file)
			f.named[l.path] = true
			if good {
				f.live = append(f.live, l)
			}
			if l.path.Namespace == "" {
				index[l.path.Key] = nil
				if len(problems) == 0 {
					index[l.path.Key] = &note.Description
				}
			}
		case good:
			f.deleted = append(f.deleted, l)
		}
		return ctx.Err()
	}, func(file, reason string, foreign bool) {
		if foreign {
			f.note(file, markdown.Problem{Line: 1, Reason: reason})
		} else {
			f.refuseFile(file, markdown.Problem{Line: 1, Reason: reason})
		}
	})
	if err != nil {
		return err
	}
	f.refuseTwins()
	return f.checkIndex(index)
}

// isCopy reports whether a file has the name of a conflict copy or of a temporary file,
// and its entry has another name.
func isCopy(file string, note markdown.Note) bool {
	return (markdown.IsConflictCopy(file) || markdown.IsTemporary(file)) && !inTrash(file) && !markdown.Belongs(file, note.Namespace, note.Name)
}

func (f *folderImport) load(file string) (markdown.Note, []markdown.Problem) {
	text, problems := markdown.Read(f.root, file)
	if len(problems) > 0 {
		return markdown.Note{}, problems
	}
	decoded, note, err := importer.Decode(bytes.NewReader(text))
	if err == nil && note != nil {
		f.decoded[file] = note.Err.Error()
		text, err = io.ReadAll(decoded)
	}
	if err != nil {
		return markdown.Note{}, []markdown.Problem{{Line: 1, Reason: "cannot be read"}}
	}
	return markdown.Parse(text, false, f.zone.location())
}

// leaf returns a note's file, and the problems with its path and its fields in this
// import.
func (f *folderImport) leaf(file string, note markdown.Note) (l leaf, problems []markdown.Problem) {
	refuse := func(field, reason string) {
		problems = append(problems, markdown.Problem{Line: max(1, note.Lines[field]), Reason: field + ": " + reason})
	}
	path, number := file, 0
	if inTrash(file) {
		path, number = numberOf(strings.TrimPrefix(file, markdown.TrashFolder+"/"))
	}
	namespace, key, named := markdown.EntryPath(path)
	if note.Lines["namespace"] == 0 && named {
		note.Namespace = namespace
	}
	switch {
	case note.Name == "" && (!named || memory.CheckKey(key) != nil || memory.CheckNamespace(note.Namespace) != nil):
		refuse("name", "is missing, and the file name is not a valid key")
	case note.Name == "":
		note.Name = key
	}
	// Several files in trash/ may have the same name, and other programs may number them
	// differently.
	if note.Name != "" && !inTrash(file) && !markdown.Belongs(file, note.Namespace, note.Name) {
		refuse("name", "does not match the file name: change one of the two")
	}
	if note.Store != "" && note.Store != f.store && !f.reassign {
		refuse("store", "names a different store than the import")
	}
	if note.Label > f.taint {
		refuse("label", "is above the label of this session (--taint)")
	}
	if !note.ExpiresAt.IsZero() && !note.ExpiresAt.After(time.Now()) {
		refuse("expires_at", "is in the past")
	}
	note = dated(note)
	return leaf{
		file: file, path: memory.Path{Store: f.store, Namespace: note.Namespace, Key: note.Name}, label: cmp.Or(note.Label, acl.Public),
		sum: contentsOf(note), deleted: note.DeletedAt, number: number, fields: note.Lines,
	}, problems
}

// refuseTwins refuses all files of an entry with several files: only the user knows which
// file is right.
func (f *folderImport) refuseTwins() {
	files := make(map[memory.Path]int)
	for _, l := range f.live {
		files[l.path]++
	}
	f.live = slices.DeleteFunc(f.live, func(l leaf) bool {
		twin := files[l.path] > 1
		if twin {
			f.refuseFile(l.file, markdown.Problem{Line: max(1, l.fields["name"]), Reason: "name: another file here has the same name"})
		}
		return twin
	})
}

func (f *folderImport) checkIndex(index markdown.Index) error {
	info, err := f.root.Lstat(markdown.IndexFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	problems := []markdown.Problem{{Line: 1, Reason: "is not a regular file"}}
	if info.Mode().IsRegular() {
		var text []byte
		if text, problems = markdown.Read(f.root, markdown.IndexFile); problems == nil {
			problems = index.Check(text)
		}
	}
	for _, p := range problems {
		f.note(markdown.IndexFile, p)
	}
	return nil
}

// shown returns the path of a file for printing.
func (f *folderImport) shown(file string) string {
	return filepath.Join(f.markdown, filepath.FromSlash(file))
}

func (f *folderImport) refuseFile(file string, p markdown.Problem) {
	f.refuse(f.shown(file), p.Line, p.Reason)
}

// note reports a problem for which nothing is refused.
func (f *folderImport) note(file string, p markdown.Problem) {
	f.counts.Notes = append(f.counts.Notes, refusal{File: f.shown(file), Line: p.Line, Reason: p.Reason})
}

// compare reads the stored entries that have a file in the folder.
func (f *folderImport) compare(ctx context.Context) error {
	wanted := make(map[memory.Path]bool)
	for _, l := range slices.Concat(f.live, f.deleted) {
		wanted[l.path] = true
	}
	trash, err := f.trashOf(ctx, f.source, f.as.agent) // before writing the files in the folder's trash to it
	if err != nil {
		return err
	}
	trash.forgetFiles(f.deleted)
	f.stored = make(map[memory.Path]storedEntry)
	for e, err := range f.source.entries(ctx) {
		if err != nil {
			return err
		}
		if wanted[e.Path] {
			f.stored[e.Path] = storedEntry{label: e.Label, sum: contentsOf(markdown.NoteOf(e))}
		}
	}
	return nil
}

// write writes the files whose entries differ from the stored ones.
func (f *folderImport) write(ctx context.Context, to *connection) error {
	bar := f.newBar(int64(len(f.live)), "writing")
	defer bar.Exit()
	var waiting []record
	for n, l := range f.live {
		if err := ctx.Err(); err != nil {
			return err
		}
		stored, ok := f.stored[l.path]
		switch same := ok && stored.sum == l.sum && (stored.label == f.taint || stored.label == l.label); {
		case same:
			f.counts.Unchanged++
		case f.dryRun && ok && stored.label == f.taint:
			f.counts.Updated++
		default:
			note, problems := f.load(l.file)
			for _, p := range problems { // the file has changed since it was read
				f.refuseFile(l.file, p)
			}
			if len(problems) == 0 {
				waiting = append(waiting, record{file: f.shown(l.file), line: 1, put: putOf(l.path, note), fields: note.Lines, isBack: !l.deleted.IsZero()})
			}
		}
		if len(waiting) == requestLines || n == len(f.live)-1 {
			if err := f.sendFiles(ctx, to, waiting); err != nil {
				return err
			}
			waiting = waiting[:0]
			_ = bar.Set64(int64(n + 1)) // failing to draw the bar is no reason to stop
		}
	}
	return nil
}

// sendFiles writes records, or prints the outcome of a dry run.
func (f *folderImport) sendFiles(ctx context.Context, to *connection, records []record) error {
	if !f.dryRun {
		return f.send(ctx, to, records)
	}
	kept, err := f.leaveDeleted(ctx, f.source, f.as.agent, records)
	f.counts.Created += int64(len(kept))
	return err
}

// dated returns a note with an unparsable date moved to its description.
func dated(n markdown.Note) markdown.Note {
	if n.Undated != "" {
		n.Description, n.Undated = importer.WithDate(n.Description, n.Undated), ""
	}
	return n
}

// putOf returns a write of the whole entry: it clears fields that the note omits.
func putOf(path memory.Path, n markdown.Note) memory.PutRequest {
	n = dated(n)
	tags := append([]string{}, n.Tags...)
	occurred := n.OccurredAt.String()
	put := memory.PutRequest{
		Path: path, Value: n.Value, Type: &n.Type, Description: &n.Description, Tags: &tags,
		InContext: &n.InContext, Encrypted: &n.Encrypted, OccurredAt: &occurred,
	}
	if n.ExpiresAt.IsZero() {
		put.TTL = new(time.Duration)
	} else {
		put.ExpiresAt = &n.ExpiresAt
	}
	return put
}

// reportFolder prints the counts of an import of a folder.
func (i *importing) reportFolder() error {
	c := &i.counts
	refused := make(map[string]bool)
	for _, r := range c.Refused {
		refused[r.File] = true
	}
	would := ""
	if i.dryRun {
		would = "nothing was written; it would have "
	}
	_, err := fmt.Fprintf(i.out, "%screated %d, updated %d, deleted %d, unchanged %d, refused %d files\n",
		would, c.Created, c.Updated, c.Trashed, c.Unchanged, len(refused))
	return err
}
