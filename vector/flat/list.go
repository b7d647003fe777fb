package flat

import (
	"bytes"
	"context"
	"slices"

	"mneme/vector"
)

var _ vector.Lister = (*Index)(nil)

// List implements vector.Lister. It tells of what is held when it begins.
func (x *Index) List(ctx context.Context, yield func(vector.IndexedEntry) error) error {
	for _, held := range x.held() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := yield(held); err != nil {
			return err
		}
	}
	return nil
}

// held notes every entry, in the order of ids.
func (x *Index) held() []vector.IndexedEntry {
	x.mu.RLock()
	list := make([]vector.IndexedEntry, 0, len(x.entries))
	for id, p := range x.entries {
		list = append(list, vector.IndexedEntry{Entry: id, Chunks: x.chunks(p), Store: p.slab.store, Label: p.slab.label})
	}
	x.mu.RUnlock()
	slices.SortFunc(list, func(a, b vector.IndexedEntry) int { return bytes.Compare(a.Entry[:], b.Entry[:]) })
	return list
}

// chunks counts the rows of a chain. The caller holds the read lock.
func (x *Index) chunks(p place) int {
	n := 0
	for row := p.first; row != noRow; n++ {
		segment, i := p.slab.at(row, x.perSegment)
		row = segment.next[i]
	}
	return n
}
