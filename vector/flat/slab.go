package flat

import (
	"sync/atomic"

	"github.com/google/uuid"

	"mneme/acl"
)

// segmentBytes is about how many bytes of rows a segment holds: small enough
// to copy in some 20 µs and to stay in a core's second-level cache, large
// enough that a scan is not about segments (256 rows of 384 elements).
const segmentBytes = 192 << 10

// noRow ends the chain of an entry's rows.
const noRow = ^uint32(0)

// A segment holds up to a fixed number of rows, as a structure of arrays.
//
// Searches read segments without a lock: a search notes in seen, under the
// index's read lock, how many rows it is going to read, and those rows are
// never written again. A writer that must change one of them replaces the
// segment by a copy; rows from seen on it writes in place.
type segment struct {
	halves []uint16    // rows, side by side, each padded to the stride
	ids    []uuid.UUID // each row's entry
	next   []uint32    // each row's next row of the same entry; only writers look
	seen   atomic.Int32
}

func newSegment(rows, stride int) *segment {
	return &segment{
		halves: make([]uint16, 0, rows*stride),
		ids:    make([]uuid.UUID, 0, rows),
		next:   make([]uint32, 0, rows),
	}
}

// copyFor is a copy with room for rows, unseen by any search.
func (s *segment) copyFor(rows, stride int) *segment {
	c := newSegment(rows, stride)
	c.halves = append(c.halves, s.halves...)
	c.ids = append(c.ids, s.ids...)
	c.next = append(c.next, s.next...)
	return c
}

// mark promises a search that the rows which the segment has now stay as
// they are. The caller holds the read lock at least.
func (s *segment) mark() {
	if n := int32(len(s.ids)); s.seen.Load() < n {
		s.seen.Store(n) // concurrent searches see, and store, the same n
	}
}

// bytes is the memory that the segment takes.
func (s *segment) bytes() int {
	const header = 3*24 + 8
	return header + 2*cap(s.halves) + 16*cap(s.ids) + 4*cap(s.next)
}

// A slab holds every row of one store at one label, so that to search within
// a scope is to choose slabs. A row's number is its place among all rows of
// the slab; all segments but the last are full.
type slab struct {
	store    int64
	label    acl.Label
	segments []*segment
}

// rows is how many rows the slab has.
func (s *slab) rows(perSegment int) int {
	if len(s.segments) == 0 {
		return 0
	}
	last := len(s.segments) - 1
	return last*perSegment + len(s.segments[last].ids)
}

// at finds a row.
func (s *slab) at(row uint32, perSegment int) (*segment, int) {
	return s.segments[int(row)/perSegment], int(row) % perSegment
}

// push appends a row and returns its number. vector may be shorter than the
// stride.
func (s *slab) push(id uuid.UUID, vector []uint16, next uint32, perSegment, stride int) uint32 {
	n := len(s.segments)
	if n == 0 || len(s.segments[n-1].ids) == perSegment {
		rows := perSegment
		if n == 0 {
			rows = 1 // most stores are small: the first segment grows
		}
		s.segments = append(s.segments, newSegment(rows, stride))
		n++
	}
	last := s.segments[n-1]
	size := len(last.ids)
	switch {
	case size == cap(last.ids):
		last = last.copyFor(min(size+max(size/4, 3), perSegment), stride)
		s.segments[n-1] = last
	case int(last.seen.Load()) > size: // a row that was here is still being read
		last = last.copyFor(cap(last.ids), stride)
		s.segments[n-1] = last
	}
	start := len(last.halves)
	last.halves = last.halves[:start+stride]
	clear(last.halves[start+copy(last.halves[start:], vector):])
	last.ids = append(last.ids, id)
	last.next = append(last.next, next)
	return uint32((n-1)*perSegment + size)
}

// pop takes the last row away. Its bytes stay for the searches that read it.
func (s *slab) pop(stride int) {
	n := len(s.segments) - 1
	last := s.segments[n]
	size := len(last.ids) - 1
	last.halves, last.ids, last.next = last.halves[:size*stride], last.ids[:size], last.next[:size]
	if size == 0 {
		s.segments[n] = nil
		s.segments = s.segments[:n]
	}
}

// overwrite puts the contents of row from into row to. Chains that lead to
// from are the caller's to mend.
func (s *slab) overwrite(to, from uint32, perSegment, stride int) {
	source, f := s.at(from, perSegment)
	target, t := s.at(to, perSegment)
	if int(target.seen.Load()) > t {
		target = target.copyFor(cap(target.ids), stride)
		s.segments[int(to)/perSegment] = target
	}
	copy(target.halves[t*stride:(t+1)*stride], source.halves[f*stride:(f+1)*stride])
	target.ids[t] = source.ids[f]
	target.next[t] = source.next[f]
}
