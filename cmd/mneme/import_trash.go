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

// numberOf takes the number from a file in the trash: key~2.md is key.md's
// second.
func numberOf(file string) (string, int) {
	stem := strings.TrimSuffix(file, ".md")
	if at := strings.LastIndexByte(stem, '~'); at >= 0 {
		if number, err := strconv.Atoi(stem[at+1:]); err == nil {
			return stem[:at] + ".md", number
		}
	}
	return file, 1
}

// bury puts deleted entries into the trash that are not in it, in the order in
// which they were deleted. An import can delete them but now: when they were
// deleted is lost.
func (f *folderImport) bury(ctx context.Context) error {
	if len(f.deleted) == 0 {
		return nil
	}
	type grave struct {
		path memory.Path
		sum  contents
	}
	there := make(map[grave]int)
	err := f.target.trash(ctx, func(e *memory.Entry) error {
		there[grave{e.Path, contentsOf(markdown.NoteOf(e))}]++
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(f.deleted, func(a, b leaf) int {
		return cmp.Or(a.deleted.Compare(b.deleted), cmp.Compare(b.number, a.number))
	})
	for _, l := range f.deleted {
		if err := ctx.Err(); err != nil {
			return err
		}
		if g := (grave{l.path, l.sum}); there[g] > 0 {
			there[g]--
			f.counts.Unchanged++
			continue
		}
		refused, err := f.buryOne(ctx, l)
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

func (f *folderImport) buryOne(ctx context.Context, l leaf) (refused string, err error) {
	stands, ok := f.stand[l.path]
	switch {
	case ok && stands.label == f.taint && stands.sum == l.sum && !f.named[l.path] && !f.files.Hold(l.path.Namespace, l.path.Key):
		// Its file was moved to the trash by hand.
		if f.dryRun {
			return "", nil
		}
		return f.target.discard(ctx, l.path)
	case ok && stands.label == f.taint:
		return inTheWay, nil
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
	return f.target.bury(ctx, put)
}
