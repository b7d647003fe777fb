package flat

import (
	"sync/atomic"

	"github.com/google/uuid"

	"mneme/acl"
)

// segmentBytes is the approximate size of a segment's rows (256 rows of 384 elements). It is
// small enough to copy a segment in some 20 µs, and for a segment to stay in a core's
// second-level cache. It is large enough that the overhead per segment does not matter.
const segmentBytes = 192 << 10

// noRow is the end of the linked list of an entry's rows.
const noRow = ^uint32(0)

// A segment holds up to a fixed number of rows, as a structure of arrays.
//
// Searches read segments without a lock. First, under the index's read lock, a search freezes
// the rows that it will read. Frozen rows are never written again: to change one, a writer
// replaces the segment by a copy. Rows that are not frozen are written in place.
type segment struct {
	halves []uint16     // the rows, contiguous, each padded to the stride
	ids    []uuid.UUID  // the entry of each row
	chunks []uint32     // the number of each row's chunk
	next   []uint32     // the next row of the same entry, for each row; read by writers only
	frozen atomic.Int32 // rows before this index are frozen

	// quantized is a quantized copy of the first rows. These rows are frozen, so the copy stays
	// correct. It is nil until Index.quantizeAfter scans have read the segment.
	quantized atomic.Pointer[quantized]
	scans     atomic.Int32 // number of scans that found no copy of all their rows
}

// scanned returns the segment's quantized copy if that has at least the given rows, which must
// be the first ones and frozen. Otherwise it counts the scan and returns nil; but the scan with
// the number quantizeAfter makes a copy, replacing one with fewer rows.
func (s *segment) scanned(halves []uint16, stride int, quantizeAfter int32) *quantized {
	if z := s.quantized.Load(); z != nil && len(z.weights) >= len(halves)/stride {
		return z
	}
	if s.scans.Add(1) != quantizeAfter {
		return nil
	}
	z := newQuantized(halves, stride)
	s.quantized.Store(z)
	s.scans.Store(0)
	return z
}

func newSegment(rows, stride int) *segment {
	return &segment{
		halves: make([]uint16, 0, rows*stride),
		ids:    make([]uuid.UUID, 0, rows),
		chunks: make([]uint32, 0, rows),
		next:   make([]uint32, 0, rows),
	}
}

// clone returns a copy of the segment with capacity for rows rows. None of them is frozen.
func (s *segment) clone(rows, stride int) *segment {
	c := newSegment(rows, stride)
	c.halves = append(c.halves, s.halves...)
	c.ids = append(c.ids, s.ids...)
	c.chunks = append(c.chunks, s.chunks...)
	c.next = append(c.next, s.next...)
	return c
}

// freeze makes the rows that the segment has now immutable. The caller must hold at least the
// read lock.
func (s *segment) freeze() {
	if n := int32(len(s.ids)); s.frozen.Load() < n {
		s.frozen.Store(n) // concurrent searches see and store the same n
	}
}

// bytes returns the size of the segment in memory.
func (s *segment) bytes() int {
	const header = 4*24 + 24
	n := header + 2*cap(s.halves) + 16*cap(s.ids) + 4*cap(s.chunks) + 4*cap(s.next)
	if z := s.quantized.Load(); z != nil {
		n += z.bytes()
	}
	return n
}

// A slab holds all rows of one store at one label. A scope therefore selects whole slabs. Rows
// are numbered consecutively through the slab's segments, of which all but the last are full.
type slab struct {
	store    int64
	label    acl.Label
	segments []*segment
}

// rows returns the number of rows.
func (s *slab) rows(perSegment int) int {
	if len(s.segments) == 0 {
		return 0
	}
	last := len(s.segments) - 1
	return last*perSegment + len(s.segments[last].ids)
}

// at returns the segment of a row and the row's index in it.
func (s *slab) at(row uint32, perSegment int) (*segment, int) {
	return s.segments[int(row)/perSegment], int(row) % perSegment
}

// push appends a row and returns its number. vector may be shorter than the stride: the rest
// becomes zero.
func (s *slab) push(id uuid.UUID, chunk int, vector []uint16, next uint32, perSegment, stride int) uint32 {
	n := len(s.segments)
	if n == 0 || len(s.segments[n-1].ids) == perSegment {
		rows := perSegment
		if n == 0 {
			rows = 1 // most stores are small: start small
		}
		s.segments = append(s.segments, newSegment(rows, stride))
		n++
	}
	last := s.segments[n-1]
	size := len(last.ids)
	switch {
	case size == cap(last.ids):
		last = last.clone(min(size+max(size/4, 3), perSegment), stride)
		s.segments[n-1] = last
	case int(last.frozen.Load()) > size: // a search may still read a row that pop removed from here
		last = last.clone(cap(last.ids), stride)
		s.segments[n-1] = last
	}
	start := len(last.halves)
	last.halves = last.halves[:start+stride]
	clear(last.halves[start+copy(last.halves[start:], vector):])
	last.ids = append(last.ids, id)
	last.chunks = append(last.chunks, uint32(chunk))
	last.next = append(last.next, next)
	return uint32((n-1)*perSegment + size)
}

// pop removes the last row. Its contents stay in memory for searches that still read it.
func (s *slab) pop(stride int) {
	n := len(s.segments) - 1
	last := s.segments[n]
	size := len(last.ids) - 1
	last.halves, last.ids = last.halves[:size*stride], last.ids[:size]
	last.chunks, last.next = last.chunks[:size], last.next[:size]
	if size == 0 {
		s.segments[n] = nil
		s.segments = s.segments[:n]
	}
}

// copyRow copies row src over row dst. The caller must update the list that refers to src.
func (s *slab) copyRow(dst, src uint32, perSegment, stride int) {
	source, from := s.at(src, perSegment)
	target, to := s.at(dst, perSegment)
	if int(target.frozen.Load()) > to {
		target = target.clone(cap(target.ids), stride)
		s.segments[int(dst)/perSegment] = target
	}
	copy(target.halves[to*stride:(to+1)*stride], source.halves[from*stride:(from+1)*stride])
	target.ids[to] = source.ids[from]
	target.chunks[to] = source.chunks[from]
	target.next[to] = source.next[from]
}
