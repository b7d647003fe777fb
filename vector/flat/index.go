// Package flat is an exact in-memory vector index. It compares a query with every vector of the
// scope, in half precision. It needs neither training nor tuning: 100,000 vectors of 384
// elements take a few milliseconds. Vectors are stored contiguously by store and label, so a
// search never touches vectors that the caller may not see.
//
// A scan of many rows first computes an upper bound of each row's score, from a copy of the
// rows with four bits an element. It then scores only the rows that may be among the results
// (see quantized). The results are the same as without the copy.
//
// The index is a cache of the vectors that the database stores with the entries. It has no
// file, since a file could retain the vectors of erased entries. An entry of one chunk takes
// about 2·dim + 74 bytes of memory. In stores that are often searched, it takes dim/2 + 12 more
// if a scan reads 49,152 chunks or more.
package flat

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// A rowList is the linked list of an entry's rows, one per chunk.
type rowList struct {
	slab *slab
	head uint32 // noRow if there are none; the list continues in segment.next
}

// A storePartition holds a store's slabs by label; nil if a label has none.
type storePartition [acl.Restricted + 1]*slab

// Index implements vector.Index exactly. Hits with equal scores are ordered by
// entry id.
//
// A search holds the read lock only while it determines which rows to read (see segment). A
// writer releases the lock between batches. So neither waits for most of the other's work. A
// search sees an entry either as it was before an upsert or as it is after it, never in
// between.
type Index struct {
	dim           int
	stride        int // elements per row, including padding
	perSegment    int // rows of a segment that is full
	perWorker     int // number of rows for which a search uses another goroutine
	dot           kernel
	multiply      intKernel // nil: rows are not quantized
	quantizeAt    int       // number of rows of a scan from which it uses quantized copies
	quantizeLeast int       // minimum number of rows of a segment to be quantized
	quantizeAfter int32     // number of scans after which a segment is quantized

	mu      sync.RWMutex
	stores  map[int64]*storePartition
	entries map[uuid.UUID]rowList
	vectors int
}

var (
	_ vector.Index = (*Index)(nil)
	_ vector.Local = (*Index)(nil)
)

// New returns an empty index for vectors of dim elements, dim > 0.
func New(dim int) *Index {
	if dim <= 0 {
		panic("flat: dimension must be positive")
	}
	n := stride(dim)
	return &Index{
		dim:           dim,
		stride:        n,
		perSegment:    max(16, segmentBytes/(2*n)),
		perWorker:     rowsPerWorker,
		dot:           chooseKernel(),
		multiply:      chooseIntKernel(),
		quantizeAt:    quantizedRows,
		quantizeLeast: quantizedLeast,
		quantizeAfter: quantizedScans,
		stores:        make(map[int64]*storePartition),
		entries:       make(map[uuid.UUID]rowList),
	}
}

// writeBatch is about how many rows a writer changes before it releases the
// lock to searches: some 10 µs of work.
const writeBatch = 32

// Upsert implements vector.Index. Records that violate its contract change
// nothing (see vector.CheckRecords). If ctx ends, some entries may have been
// written, each entirely.
func (x *Index) Upsert(ctx context.Context, records []vector.Record) error {
	if err := vector.CheckRecords(records, x.dim); err != nil {
		return err
	}
	entries := groupByEntry(records)
	for len(entries) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries = x.upsertBatch(entries)
	}
	return nil
}

// groupByEntry returns the records grouped by entry. Entries are in the order of their first
// records.
func groupByEntry(records []vector.Record) [][]vector.Record {
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

// upsertBatch writes the first of entries, until that makes about writeBatch rows, and returns
// the rest.
func (x *Index) upsertBatch(entries [][]vector.Record) [][]vector.Record {
	x.mu.Lock()
	defer x.mu.Unlock()
	for rows := 0; len(entries) > 0 && rows < writeBatch; entries = entries[1:] {
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
	head := noRow
	for _, r := range records {
		head = s.push(r.Entry, r.Chunk, r.Vector, head, x.perSegment, x.stride)
	}
	x.entries[r.Entry] = rowList{s, head}
	x.vectors += len(records)
}

func (x *Index) slabFor(store int64, label acl.Label) *slab {
	partition := x.stores[store]
	if partition == nil {
		partition = new(storePartition)
		x.stores[store] = partition
	}
	if partition[label] == nil {
		partition[label] = &slab{store: store, label: label}
	}
	return partition[label]
}

// Delete implements vector.Index.
func (x *Index) Delete(ctx context.Context, entries []uuid.UUID) error {
	for len(entries) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(entries), writeBatch)
		x.deleteBatch(entries[:n])
		entries = entries[n:]
	}
	return nil
}

func (x *Index) deleteBatch(entries []uuid.UUID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range entries {
		x.remove(id)
	}
}

// remove removes an entry's rows, if it has any.
func (x *Index) remove(id uuid.UUID) {
	list, ok := x.entries[id]
	if !ok {
		return
	}
	// Look the entry up again for each row: fillHole may have moved another row of this entry.
	for ; list.head != noRow; list = x.entries[id] {
		segment, i := list.slab.at(list.head, x.perSegment)
		x.entries[id] = rowList{list.slab, segment.next[i]}
		x.fillHole(list.slab, list.head)
		x.vectors--
	}
	delete(x.entries, id)
	x.dropIfEmpty(list.slab)
}

// fillHole moves the slab's last row to hole, a row number to which no list refers any more.
func (x *Index) fillHole(s *slab, hole uint32) {
	last := uint32(s.rows(x.perSegment) - 1)
	if hole != last {
		s.copyRow(hole, last, x.perSegment, x.stride)
		x.relink(s, last, hole)
	}
	s.pop(x.stride)
}

// relink updates the list of the entry to which a moved row belongs: the row has the number to,
// and the list still refers to it by from.
func (x *Index) relink(s *slab, from, to uint32) {
	moved, i := s.at(to, x.perSegment)
	id := moved.ids[i]
	list := x.entries[id]
	if list.head == from {
		x.entries[id] = rowList{s, to}
		return
	}
	for row := list.head; ; {
		segment, i := s.at(row, x.perSegment)
		if segment.next[i] == from {
			segment.next[i] = to
			return
		}
		row = segment.next[i]
	}
}

// dropIfEmpty removes a slab that has no rows. It also removes the store's partition if that
// has no other slab.
func (x *Index) dropIfEmpty(s *slab) {
	if len(s.segments) > 0 {
		return
	}
	partition := x.stores[s.store]
	partition[s.label] = nil
	if *partition == (storePartition{}) {
		delete(x.stores, s.store)
	}
}

// Stats describes the size of an index.
type Stats struct {
	Entries int
	Vectors int // one per chunk
	Bytes   int // of memory, approximately
}

// entryBytes is the memory of an entry in the index's map: a key of 16 bytes, a rowList of
// 16, and the map's free space.
const entryBytes = 48

// Stats returns the size of the index.
func (x *Index) Stats() Stats {
	x.mu.RLock()
	defer x.mu.RUnlock()
	stats := Stats{Entries: len(x.entries), Vectors: x.vectors, Bytes: entryBytes * len(x.entries)}
	for _, partition := range x.stores {
		for _, s := range partition {
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
