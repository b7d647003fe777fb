package flat

import (
	"context"
	"iter"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// A span is the unit of work of a scan: some rows of a segment. They do not change while the
// scan reads them, because they are frozen (see segment.freeze).
type span struct {
	halves []uint16
	ids    []uuid.UUID
	chunks []uint32
	source *segment   // the segment, if the scan may use its quantized copy; nil otherwise
	copy   *quantized // the copy that the scan uses, set by the scan; nil: none
	first  int        // the number of rows of the spans before this one
}

const (
	// quantizedRows is the number of rows from which a scan uses quantized copies, which take a
	// quarter more memory. If there are fewer rows, so many of them reach the threshold of 256
	// results that it is faster to score all rows exactly.
	quantizedRows = 48 << 10
	// quantizedLeast is the minimum number of rows of a segment that is quantized. The copy has
	// the mean of the rows, too, which takes as much memory as four rows of the copy.
	quantizedLeast = 64
	// quantizedScans is the number of scans after which a segment is quantized: so many scans
	// take about as long as quantizing it. A segment that changes often is not quantized after
	// each change.
	quantizedScans = 40
)

// rowsPerWorker is the number of rows for which a scan uses another goroutine. At 384 elements
// they take 100 to 500 µs, depending on the cache that holds them.
const rowsPerWorker = 8192

// Search implements vector.Index. It returns the errors of vector.Query.Check
// and of ctx.
func (x *Index) Search(ctx context.Context, scope acl.Scope, query vector.Query) ([]vector.Hit, error) {
	if err := query.Check(x.dim); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	spans, rows := x.visible(scope, query.Only)
	padded := make([]float32, x.stride)
	copy(padded, query.Vector)
	seeds := query.Limit
	if query.Only != nil {
		seeds = 0 // few rows; and an entry that is repeated in Only repeats its rows
	}
	s := newScan(x, spans, rows, padded, query.Limit, seeds)
	defer s.release()
	best, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	return best.hits(), nil
}

// AtMost implements vector.Local.
func (x *Index) AtMost(scope acl.Scope, n int) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return !scope.Any(func(access acl.Access) bool {
		for s := range x.slabs(access) {
			n -= s.rows(x.perSegment)
		}
		return n < 0
	})
}

// slabs yields what a search may read of a store. The caller must hold the read lock.
func (x *Index) slabs(access acl.Access) iter.Seq[*slab] {
	return func(yield func(*slab) bool) {
		partition := x.stores[access.Number]
		if partition == nil {
			return
		}
		for label, s := range partition {
			if s != nil && access.Sees(acl.Label(label)) && !yield(s) {
				return
			}
		}
	}
}

// visible returns the rows that a search reads, and their number. If only is not nil, it
// returns the rows of these entries only.
//
// SECURITY: every row that a search reads comes from here, selected by the
// store and label of its slab.
func (x *Index) visible(scope acl.Scope, only []uuid.UUID) (spans []span, rows int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if only != nil {
		spans = x.visibleOf(scope, only)
		return spans, len(spans)
	}
	for _, access := range scope.Indexed() {
		for s := range x.slabs(access) {
			for _, segment := range s.segments {
				segment.freeze()
				found := span{halves: segment.halves, ids: segment.ids, chunks: segment.chunks, first: rows}
				if x.multiply != nil && len(segment.ids) >= x.quantizeLeast {
					found.source = segment
				}
				spans = append(spans, found)
				rows += len(segment.ids)
			}
		}
	}
	if rows < x.quantizeAt {
		for i := range spans {
			spans[i].source = nil
		}
	}
	return spans, rows
}

// visibleOf returns the rows of the given entries that are within the scope. Each span has one
// row. The caller must hold the read lock.
func (x *Index) visibleOf(scope acl.Scope, only []uuid.UUID) []span {
	accesses := make(map[int64]acl.Access)
	for _, access := range scope.Indexed() {
		accesses[access.Number] = access
	}
	var spans []span
	for _, id := range only {
		list, ok := x.entries[id]
		if !ok {
			continue
		}
		if access, ok := accesses[list.slab.store]; !ok || !access.Sees(list.slab.label) {
			continue
		}
		for row := list.head; row != noRow; {
			segment, i := list.slab.at(row, x.perSegment)
			segment.freeze()
			spans = append(spans, span{
				halves: segment.halves[i*x.stride : (i+1)*x.stride], ids: segment.ids[i : i+1], chunks: segment.chunks[i : i+1], first: len(spans),
			})
			row = segment.next[i]
		}
	}
	return spans
}
