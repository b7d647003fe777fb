// Package flat is an exact vector index inside the process. It compares a
// query with every vector of the scope, in half precision, and needs neither
// building nor tuning: 100,000 vectors of 384 elements take a few
// milliseconds. Vectors lie side by side by store and label, so that what a
// caller may not see is never looked at.
//
// The index is a cache of the rows' vectors and lives in memory only: about
// 2·dim + 70 bytes an entry of one chunk.
package flat

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// place says where an entry's rows begin.
type place struct {
	slab  *slab
	first uint32 // the chain goes on in segment.next
}

// shelf has a store's slabs by label; nil where there is none.
type shelf [acl.Restricted + 1]*slab

// Index implements vector.Index exactly. Equal scores come in the order of
// their entries' ids. A search takes the read lock only to note what it is
// going to read (see segment), and a writer gives way between entries, so
// that neither waits for the other's work; a search sees each entry either
// wholly before or wholly after an upsert.
type Index struct {
	dim        int
	stride     int // elements from one row to the next
	perSegment int // rows of a full segment
	perWorker  int // rows that make another goroutine worth it
	dot        kernel

	mu      sync.RWMutex
	stores  map[int64]*shelf
	entries map[uuid.UUID]place
	vectors int
}

var _ vector.Index = (*Index)(nil)

// New makes an empty index for vectors of dim elements, dim > 0.
func New(dim int) *Index {
	if dim <= 0 {
		panic("flat: the dimension must be above 0")
	}
	n := stride(dim)
	return &Index{
		dim:        dim,
		stride:     n,
		perSegment: max(16, segmentBytes/(2*n)),
		perWorker:  workerRows,
		dot:        chooseKernel(),
		stores:     make(map[int64]*shelf),
		entries:    make(map[uuid.UUID]place),
	}
}

// writeRows is about how many rows a writer changes before it lets searches
// in: some 10 µs.
const writeRows = 32

// Upsert implements vector.Index. Records that break its contract change
// nothing (vector.CheckRecords); when ctx ends, some entries may be done, each
// wholly.
func (x *Index) Upsert(ctx context.Context, records []vector.Record) error {
	if err := vector.CheckRecords(records, x.dim); err != nil {
		return err
	}
	entries := group(records)
	for len(entries) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries = x.upsertSome(entries)
	}
	return nil
}

// group gathers the records of each entry, in the order of their first ones.
func group(records []vector.Record) [][]vector.Record {
	at := make(map[uuid.UUID]int, len(records))
	var entries [][]vector.Record
	for i, r := range records {
		n, ok := at[r.Entry]
		switch {
		case !ok:
			at[r.Entry] = len(entries)
			entries = append(entries, records[i:i+1:i+1])
		default:
			entries[n] = append(entries[n], r)
		}
	}
	return entries
}

// upsertSome writes entries until writeRows is reached, and returns the rest.
func (x *Index) upsertSome(entries [][]vector.Record) [][]vector.Record {
	x.mu.Lock()
	defer x.mu.Unlock()
	for rows := 0; len(entries) > 0 && rows < writeRows; entries = entries[1:] {
		rows += len(entries[0])
		x.remove(entries[0][0].Entry)
		x.add(entries[0])
	}
	return entries
}

// add appends the rows of an entry that has none.
func (x *Index) add(records []vector.Record) {
	r := records[0]
	s := x.slabFor(r.Store, r.Label)
	first := noRow
	for _, r := range records {
		first = s.push(r.Entry, r.Vector, first, x.perSegment, x.stride)
	}
	x.entries[r.Entry] = place{s, first}
	x.vectors += len(records)
}

func (x *Index) slabFor(store int64, label acl.Label) *slab {
	sh := x.stores[store]
	if sh == nil {
		sh = new(shelf)
		x.stores[store] = sh
	}
	if sh[label] == nil {
		sh[label] = &slab{store: store, label: label}
	}
	return sh[label]
}

// Delete implements vector.Index.
func (x *Index) Delete(ctx context.Context, entries []uuid.UUID) error {
	for len(entries) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(entries), writeRows)
		x.deleteSome(entries[:n])
		entries = entries[n:]
	}
	return nil
}

func (x *Index) deleteSome(entries []uuid.UUID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range entries {
		x.remove(id)
	}
}

// remove takes an entry's rows away, if it has any.
func (x *Index) remove(id uuid.UUID) {
	p, ok := x.entries[id]
	if !ok {
		return
	}
	// Each round takes the first row of the chain and looks the entry up
	// anew: filling the hole may have moved another of its rows.
	for ; p.first != noRow; p = x.entries[id] {
		segment, i := p.slab.at(p.first, x.perSegment)
		x.entries[id] = place{p.slab, segment.next[i]}
		x.fill(p.slab, p.first)
		x.vectors--
	}
	delete(x.entries, id)
	x.drop(p.slab)
}

// fill closes the hole at a row that no chain holds any more with the slab's
// last row.
func (x *Index) fill(s *slab, hole uint32) {
	last := uint32(s.rows(x.perSegment) - 1)
	if hole != last {
		s.overwrite(hole, last, x.perSegment, x.stride)
		x.relink(s, last, hole)
	}
	s.pop(x.stride)
}

// relink makes the chain that leads to row from lead to row to.
func (x *Index) relink(s *slab, from, to uint32) {
	moved, i := s.at(to, x.perSegment)
	id := moved.ids[i]
	p := x.entries[id]
	if p.first == from {
		x.entries[id] = place{s, to}
		return
	}
	for row := p.first; ; {
		segment, i := s.at(row, x.perSegment)
		if segment.next[i] == from {
			segment.next[i] = to
			return
		}
		row = segment.next[i]
	}
}

// drop forgets a slab that has become empty.
func (x *Index) drop(s *slab) {
	if len(s.segments) > 0 {
		return
	}
	sh := x.stores[s.store]
	sh[s.label] = nil
	if *sh == (shelf{}) {
		delete(x.stores, s.store)
	}
}

// Stats says what an index holds.
type Stats struct {
	Entries int
	Vectors int // one a chunk
	Bytes   int // of memory, about
}

// entryBytes is what an entry takes in the index's map: a key of 16 bytes
// and a place of 16, with the room that a map keeps free.
const entryBytes = 48

// Stats counts what the index holds.
func (x *Index) Stats() Stats {
	x.mu.RLock()
	defer x.mu.RUnlock()
	stats := Stats{Entries: len(x.entries), Vectors: x.vectors, Bytes: entryBytes * len(x.entries)}
	for _, sh := range x.stores {
		for _, s := range sh {
			if s == nil {
				continue
			}
			for _, segment := range s.segments {
				stats.Bytes += segment.bytes()
			}
		}
	}
	return stats
}
