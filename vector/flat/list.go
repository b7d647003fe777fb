package flat

import (
	"bytes"
	"context"
	"slices"

	"mneme/vector"
)

var _ vector.Lister = (*Index)(nil)

// List implements vector.Lister. It lists the contents at the time of the call.
func (x *Index) List(ctx context.Context, yield func(vector.IndexedEntry) error) error {
	for _, entry := range x.snapshot() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := yield(entry); err != nil {
			return err
		}
	}
	return nil
}

// snapshot returns every entry, ordered by id.
func (x *Index) snapshot() []vector.IndexedEntry {
	x.mu.RLock()
	all := make([]vector.IndexedEntry, 0, len(x.entries))
	for id, list := range x.entries {
		all = append(all, vector.IndexedEntry{Entry: id, Chunks: x.countRows(list), Store: list.slab.store, Label: list.slab.label})
	}
	x.mu.RUnlock()
	slices.SortFunc(all, func(a, b vector.IndexedEntry) int { return bytes.Compare(a.Entry[:], b.Entry[:]) })
	return all
}

// countRows counts the rows of a list. The caller holds the read lock.
func (x *Index) countRows(list rowList) int {
	n := 0
	for row := list.head; row != noRow; n++ {
		segment, i := list.slab.at(row, x.perSegment)
		row = segment.next[i]
	}
	return n
}
