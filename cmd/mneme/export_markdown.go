package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mneme/markdown"
	"mneme/memory"
)

// folderReport is what an export to Markdown files did.
type folderReport struct {
	Entries   int             `json:"entries"`
	Trash     int             `json:"trash"`
	Written   int             `json:"written"` // files, MEMORY.md among them
	Unchanged int             `json:"unchanged"`
	Removed   int             `json:"removed"`
	Kept      []markdown.Kept `json:"kept"`
}

// exportFolder writes a store into a folder of Markdown files.
func (p *program) exportFolder(ctx context.Context, from *entrySource, origin markdown.Origin, dir string, force bool) (err error) {
	// A store that cannot be read leaves no folder behind.
	for _, err := range from.entries(ctx) {
		if err != nil {
			return err
		}
		break
	}
	folder, err := markdown.OpenFolder(dir, origin, force)
	if err != nil {
		return fmt.Errorf("%s: %w%s", dir, err, advice(err))
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	w := folderWriter{folder: folder, names: markdown.NewNames(), agent: origin.Agent}
	if err := w.all(ctx, from); err != nil {
		return err
	}
	if w.report.Entries+w.report.Trash == 0 && folder.PreviousFiles() > 1 && !force {
		return fmt.Errorf("%s: the store has no entries, and the folder those of an earlier export: they stay (--force removes them)", dir)
	}
	if err := w.finish(); err != nil {
		return err
	}
	return p.reportFolder(&w, dir)
}

func advice(err error) string {
	switch {
	case errors.Is(err, markdown.ErrForeign), errors.Is(err, markdown.ErrOrigin):
		return ": take another folder, or --force to write into it and over files that are in the way"
	case errors.Is(err, markdown.ErrRecord):
		return ": with --force the folder is written all the same, over files that were edited"
	}
	return ""
}

// folderWriter writes entries as files.
type folderWriter struct {
	folder *markdown.Folder
	names  *markdown.Names
	agent  string
	index  strings.Builder
	report folderReport
}

func (w *folderWriter) all(ctx context.Context, from *entrySource) error {
	for e, err := range from.entries(ctx) {
		if err != nil {
			return err
		}
		file, err := w.names.File(e.Namespace, e.Key)
		if err != nil {
			return err
		}
		w.index.WriteString(markdown.IndexLine(w.agent, e))
		w.report.Entries++
		if err := w.put(file, e); err != nil {
			return err
		}
	}
	for e, err := range from.trash(ctx) {
		if err != nil {
			return err
		}
		if !e.InContext { // never exported
			continue
		}
		w.report.Trash++
		if err := w.put(w.names.Deleted(e.Namespace, e.Key), e); err != nil {
			return err
		}
	}
	return nil
}

func (w *folderWriter) put(file string, e *memory.Entry) error {
	note := markdown.NoteOf(e)
	return w.folder.Put(file, note.Render(), func(old []byte) markdown.Diff { return markdown.Compare(old, note) })
}

// finish writes the index and takes away what is gone.
func (w *folderWriter) finish() error {
	other := func([]byte) markdown.Diff { return markdown.Different }
	if err := w.folder.Put(markdown.IndexFile, []byte(w.index.String()), other); err != nil {
		return err
	}
	if err := w.folder.Finish(); err != nil {
		return err
	}
	w.report.Written, w.report.Unchanged, w.report.Removed = w.folder.Written, w.folder.Unchanged, w.folder.Removed
	w.report.Kept = append([]markdown.Kept{}, w.folder.Kept...)
	return nil
}

func (p *program) reportFolder(w *folderWriter, dir string) (err error) {
	r := &w.report
	for _, kept := range r.Kept {
		fmt.Fprintf(p.err, "%s: %s\n", fileName(filepath.Join(dir, kept.File)), kept.Reason)
	}
	if p.json {
		err = p.printJSON(r)
	} else {
		_, err = fmt.Fprintf(p.out, "entries %d, deleted ones %d: files written %d, unchanged %d, removed %d\n",
			r.Entries, r.Trash, r.Written, r.Unchanged, r.Removed)
	}
	if err == nil && len(r.Kept) > 0 {
		err = fmt.Errorf("files that were left as they are: %d; import them, move them away, or give --force to overwrite them", len(r.Kept))
	}
	return err
}
