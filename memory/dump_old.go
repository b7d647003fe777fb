package memory

import (
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// What the migrations of the storages do to an older database is done here to an
// older dump.

// inferAuthors sets the authors of types and descriptions. The author of a text is
// taken to be the first who wrote it among the versions of the entry, and among
// those of all entries at its path: an edit at a higher label used to copy the
// fields of the entry below. A rename to another store used to leave a deleted
// entry and begin a new one.
func inferAuthors(records []DumpRecord) []DumpRecord {
	var versions []*Entry
	for _, r := range records {
		if e := cmp.Or(r.Entry, r.Version); e != nil {
			versions = append(versions, e)
		}
	}
	slices.SortStableFunc(versions, func(a, b *Entry) int {
		return cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt), cmp.Compare(a.Version, b.Version))
	})
	type text struct {
		id       uuid.UUID
		path     Path
		kind     byte // of the field
		contents string
	}
	first := make(map[text]string)
	writerOf := func(t text, e *Entry) string {
		writer, ok := first[t]
		if !ok {
			writer = e.UpdatedBy
			first[t] = writer
		}
		return writer
	}
	author := func(e *Entry, kind byte, contents string) string {
		here := writerOf(text{id: e.ID, kind: kind, contents: contents}, e)
		there := writerOf(text{path: e.Path, kind: kind, contents: contents}, e)
		if here != e.Owner {
			return here
		}
		return there
	}
	moved := make(map[int64][]*Entry) // deleted entries with another author, by the time of their deletion
	for _, e := range versions {
		e.TypeBy, e.DescriptionBy = author(e, 't', e.Type), author(e, 'd', e.Description)
		if !e.DeletedAt.IsZero() && (e.TypeBy != e.Owner || e.DescriptionBy != e.Owner) {
			moved[e.DeletedAt.UnixMicro()] = append(moved[e.DeletedAt.UnixMicro()], e)
		}
	}
	for _, e := range versions {
		for _, d := range moved[e.CreatedAt.UnixMicro()] {
			if d.Owner == e.Owner && d.Store != e.Store && d.Type == e.Type && d.Description == e.Description &&
				e.TypeBy == e.Owner && e.DescriptionBy == e.Owner {
				e.TypeBy, e.DescriptionBy = d.TypeBy, d.DescriptionBy
			}
		}
	}
	return records
}

// keepCallers removes the names of callers that left no trace of a call: they may
// only have been named, as by a grant.
func keepCallers(records []DumpRecord) []DumpRecord {
	called := make(map[string]bool)
	for _, r := range records {
		if e := cmp.Or(r.Entry, r.Version); e != nil {
			called[e.Owner], called[e.UpdatedBy], called[e.DeletedBy] = true, true, true
		}
		if r.Grant != nil {
			called[r.Grant.Maker] = true
		}
		if r.Settings != nil {
			called[r.Settings.Agent] = true
		}
	}
	return slices.DeleteFunc(records, func(r DumpRecord) bool {
		return r.Name != nil && r.Name.Kind == KindCaller && !called[r.Name.ID]
	})
}
