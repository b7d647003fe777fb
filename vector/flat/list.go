package flat

import (
	"bytes"
	"context"
	"slices"

	"mneme/vector"
)

var _ vector.Lister = (*Index)(nil)

// List implements vector.Lister. It lists the contents that the index had at the time of the
// call.
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
		all = append(all, vector.IndexedEntry{Entry: id, Digest: x.digest(list)})
	}
	x.mu.RUnlock()
	slices.SortFunc(all, func(a, b vector.IndexedEntry) int { return bytes.Compare(a.Entry[:], b.Entry[:]) })
	return all
}

// digest returns the sum of the digests of an entry's rows. The caller must hold the read lock.
func (x *Index) digest(list rowList) (sum uint64) {
	for row := list.head; row != noRow; {
		segment, i := list.slab.at(row, x.perSegment)
		sum += vector.Record{
			Chunk: int(segment.chunks[i]), Store: list.slab.store, Label: list.slab.label,
			Vector: segment.halves[i*x.stride : i*x.stride+x.dim],
		}.Digest()
		row = segment.next[i]
	}
	return sum
}
