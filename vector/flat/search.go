package flat

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// A piece is what one step of a scan reads: some rows of a segment, which
// stay as they are (segment.mark).
type piece struct {
	halves []uint16
	ids    []uuid.UUID
}

// workerRows is how many rows make it worth to start another goroutine: at
// 384 elements 100 to 500 µs of work, by where the rows are cached.
const workerRows = 8192

// Search implements vector.Index. Its errors are those of vector.Query.Check
// and of ctx.
func (x *Index) Search(ctx context.Context, scope acl.Scope, query vector.Query) ([]vector.Hit, error) {
	if err := query.Check(x.dim); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pieces, rows := x.within(scope, query.Only)
	padded := make([]float32, x.stride)
	copy(padded, query.Vector)
	best, err := x.scan(ctx, pieces, rows, padded, query.Limit)
	if err != nil {
		return nil, err
	}
	return best.hits(), nil
}

// within notes the rows that a search reads, and counts them.
//
// SECURITY: every row that a search reads comes from here, chosen by the
// store and label that it lies under.
func (x *Index) within(scope acl.Scope, only []uuid.UUID) (pieces []piece, rows int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if only != nil {
		pieces = x.named(scope, only)
		return pieces, len(pieces)
	}
	for _, access := range scope.Indexed() {
		sh := x.stores[access.Number]
		if sh == nil {
			continue
		}
		for label, s := range sh {
			if s == nil || !access.Sees(acl.Label(label)) {
				continue
			}
			for _, segment := range s.segments {
				segment.mark()
				pieces = append(pieces, piece{segment.halves, segment.ids})
			}
			rows += s.rows(x.perSegment)
		}
	}
	return pieces, rows
}

// named notes the rows of the named entries, as far as they are within the
// scope. The caller holds the read lock.
func (x *Index) named(scope acl.Scope, only []uuid.UUID) []piece {
	accesses := make(map[int64]acl.Access)
	for _, access := range scope.Indexed() {
		accesses[access.Number] = access
	}
	var pieces []piece
	for _, id := range only {
		p, ok := x.entries[id]
		if !ok {
			continue
		}
		if access, ok := accesses[p.slab.store]; !ok || !access.Sees(p.slab.label) {
			continue
		}
		for row := p.first; row != noRow; {
			segment, i := p.slab.at(row, x.perSegment)
			segment.mark()
			pieces = append(pieces, piece{segment.halves[i*x.stride : (i+1)*x.stride], segment.ids[i : i+1]})
			row = segment.next[i]
		}
	}
	return pieces
}

// scan ranks the rows of pieces, on several cores where there are many.
func (x *Index) scan(ctx context.Context, pieces []piece, rows int, query []float32, limit int) (*top, error) {
	workers := max(1, min(runtime.GOMAXPROCS(0), rows/x.perWorker, len(pieces)))
	tops := make([]*top, workers)
	var next atomic.Int64
	work := func(w int) {
		tops[w] = newTop(limit)
		scores := make([]float32, x.perSegment)
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(pieces) {
				return
			}
			p := pieces[i]
			x.dot(scores[:len(p.ids)], query, p.halves)
			tops[w].offer(scores[:len(p.ids)], p.ids)
		}
	}
	var wait sync.WaitGroup
	for w := 1; w < workers; w++ {
		wait.Go(func() { work(w) })
	}
	work(0)
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, t := range tops[1:] {
		tops[0].merge(t)
	}
	return tops[0], nil
}
