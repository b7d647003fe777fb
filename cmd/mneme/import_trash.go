package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"mneme/markdown"
	"mneme/memory"
)

func inTrash(file string) bool { return strings.HasPrefix(file, markdown.TrashFolder+"/") }

// numberOf splits the number from a file name in the trash: key~2.md is the second file of
// key.md.
func numberOf(file string) (string, int) {
	stem := strings.TrimSuffix(file, ".md")
	if at := strings.LastIndexByte(stem, '~'); at >= 0 {
		if number, err := strconv.Atoi(stem[at+1:]); err == nil {
			return stem[:at] + ".md", number
		}
	}
	return file, 1
}

// restoreTrash writes the deleted entries that are missing from the store's trash, in the
// order of their deletion. Their deletion times are lost: the import deletes them now.
func (f *folderImport) restoreTrash(ctx context.Context) error {
	if len(f.deleted) == 0 {
		return nil
	}
	type deletion struct {
		path memory.Path
		sum  contents
	}
	inStore := make(map[deletion]int)
	for e, err := range f.source.trash(ctx) {
		if err != nil {
			return err
		}
		inStore[deletion{e.Path, contentsOf(markdown.NoteOf(e))}]++
	}
	slices.SortStableFunc(f.deleted, func(a, b leaf) int {
		return cmp.Or(a.deleted.Compare(b.deleted), cmp.Compare(b.number, a.number))
	})
	for _, l := range f.deleted {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d := (deletion{l.path, l.sum}); inStore[d] > 0 {
			inStore[d]--
			f.counts.Unchanged++
			continue
		}
		refused, err := f.restoreOne(ctx, l)
		if err != nil {
			return err
		}
		if refused != "" {
			r := record{line: 1, fields: l.fields}
			f.refuseFile(l.file, markdown.Problem{Line: r.lineOf(refused), Reason: refused})
			continue
		}
		f.counts.Trashed++
	}
	return nil
}

func (f *folderImport) restoreOne(ctx context.Context, l leaf) (refused string, err error) {
	stored, ok := f.stored[l.path]
	switch {
	case ok && stored.label == f.taint && stored.sum == l.sum && !f.named[l.path] && !f.files.Hold(l.path.Namespace, l.path.Key):
		// The user moved the entry's file to the trash.
		if f.dryRun {
			return "", nil
		}
		return f.source.remove(ctx, l.path)
	case ok && stored.label == f.taint:
		return occupied, nil
	}
	note, problems := f.load(l.file)
	if len(problems) > 0 {
		return problems[0].Reason, nil
	}
	put := putOf(l.path, note)
	if !ok {
		put.If.NoneMatch = []string{"*"}
	}
	if f.dryRun {
		return "", nil
	}
	return f.source.restoreToTrash(ctx, put)
}
