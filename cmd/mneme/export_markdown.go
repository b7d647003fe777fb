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

// folderReport counts the outcomes of an export to Markdown files.
type folderReport struct {
	Entries   int             `json:"entries"`
	Trash     int             `json:"trash"`
	Written   int             `json:"written"` // files, including MEMORY.md
	Unchanged int             `json:"unchanged"`
	Removed   int             `json:"removed"`
	Kept      []markdown.Kept `json:"kept"`
}

// exportFolder exports a store to a folder of Markdown files.
func (p *program) exportFolder(ctx context.Context, from *entrySource, origin markdown.Origin, dir string, force bool) (err error) {
	// Check that the store can be read before creating the folder.
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
		return fmt.Errorf("%s: the store is empty, but the folder has entries of an earlier export; they were kept (--force removes them)", dir)
	}
	if err := w.finish(); err != nil {
		return err
	}
	return p.reportFolder(&w, dir)
}

// advice returns a remedy for an error of markdown.OpenFolder.
func advice(err error) string {
	switch {
	case errors.Is(err, markdown.ErrForeign), errors.Is(err, markdown.ErrOrigin):
		return ": choose another folder, or use --force to write into this one and overwrite its files"
	case errors.Is(err, markdown.ErrRecord):
		return ": --force writes into the folder anyway, and overwrites edited files"
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
		if !e.InContext { // the listing of live entries omits such entries, too
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

// finish writes the index and removes the files of entries that no longer exist.
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
		_, err = fmt.Fprintf(p.out, "%d entries, %d deleted entries: files written %d, unchanged %d, removed %d\n",
			r.Entries, r.Trash, r.Written, r.Unchanged, r.Removed)
	}
	if err == nil && len(r.Kept) > 0 {
		err = fmt.Errorf("%d files were kept: import them, move them away, or overwrite them with --force", len(r.Kept))
	}
	return err
}
