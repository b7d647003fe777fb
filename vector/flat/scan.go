package flat

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A scan finds the entries nearest to a query, in two passes over its rows.
//
// The first pass computes an upper bound of each row's score from the quantized copy of its
// segment; without a copy, the bound is the score itself. It chooses the rows with the greatest
// bounds, each of another entry, as many as the query asks for (see seeds), and scores them. No
// row that scores less than all of these can be among the results. So the second pass scores
// and ranks only the rows whose bound reaches the lowest of these scores. These are few more
// than the results, because this threshold is known from the start of the pass.
type scan struct {
	*Index
	spans     []span
	query     []float32       // padded to the stride
	quantized *quantizedQuery // nil if no span may have a quantized copy
	limit     int
	scores    []float32 // for each row of the spans, an upper bound of its score
	pooled    *[]float32
	workers   []worker
	threshold threshold
}

// A worker does the part of a scan that one goroutine does.
type worker struct {
	*scan
	dots        []int32  // one for each row of a segment
	batch       []uint16 // batchRows rows
	pooled      *[]uint16
	batchScores []float32
	seeds       seeds
	best        *topK
}

// These pools reuse memory between searches: of scan.scores (4 bytes a row), worker.batch and
// seeds. Each pool holds pointers to slices that were allocated separately: a pointer to a
// field of a scan would keep the whole scan in memory.
var (
	batchPool = sync.Pool{New: func() any { return new([]uint16) }}
	scorePool = sync.Pool{New: func() any { return new([]float32) }}
	seedPool  = sync.Pool{New: func() any { return new([]seed) }}
)

// fewRows is the number of rows per result up to which a scan ranks all rows without a
// threshold.
const fewRows = 4

// newScan returns a scan of spans, which have a number of rows in total, for limit entries.
// seeds is the maximum number of seeds: limit, or 0 if the spans may contain a row twice. The
// caller must release the scan.
func newScan(x *Index, spans []span, rows int, query []float32, limit, seeds int) *scan {
	s := &scan{Index: x, spans: spans, query: query, limit: limit, pooled: scorePool.Get().(*[]float32)}
	if cap(*s.pooled) < rows {
		*s.pooled = make([]float32, rows)
	}
	s.scores = (*s.pooled)[:rows]
	for i := range spans {
		if spans[i].source != nil {
			s.quantized = quantizeQuery(query)
			break
		}
	}
	s.threshold.reset()
	s.workers = make([]worker, max(1, min(runtime.GOMAXPROCS(0), rows/x.perWorker, len(spans))))
	if rows <= fewRows*limit && s.quantized == nil {
		seeds = 0 // sorting all rows is faster
	}
	for i := range s.workers {
		s.workers[i] = worker{scan: s, seeds: newSeeds(seeds), best: newTopK(limit)}
	}
	return s
}

// release returns the memory of the scan to the pools.
func (s *scan) release() {
	scorePool.Put(s.pooled)
	for i := range s.workers {
		w := &s.workers[i]
		w.seeds.release()
		w.best.release()
		if w.pooled != nil {
			batchPool.Put(w.pooled)
		}
	}
}

// run returns the results. It returns the error of ctx.
func (s *scan) run(ctx context.Context) (*topK, error) {
	s.each(ctx, (*worker).bound, (*worker).scoreSeeds)
	all := newSeeds(s.limit)
	defer all.release()
	for i := range s.workers {
		for _, seed := range s.workers[i].seeds.heap {
			all.add(seed)
		}
	}
	// A threshold of -1 would exclude scores below -1. These are only due to rounding and tie
	// with -1.
	if least := all.least(); least > -1 {
		s.threshold.raise(least)
	}
	s.each(ctx, (*worker).rank, nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	best := s.workers[0].best
	for _, w := range s.workers[1:] {
		best.merge(w.best)
	}
	return best, nil
}

// each calls pass for each span with one of the workers; if there are several, they run
// concurrently. Then, unless end is nil, it calls end for each worker. It stops when ctx ends.
func (s *scan) each(ctx context.Context, pass func(*worker, *span), end func(*worker)) {
	var next atomic.Int64
	work := func(w *worker) {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(s.spans) {
				if end != nil {
					end(w)
				}
				return
			}
			pass(w, &s.spans[i])
		}
	}
	var wait sync.WaitGroup
	for i := range s.workers[1:] {
		wait.Go(func() { work(&s.workers[1+i]) })
	}
	work(&s.workers[0])
	wait.Wait()
}

// bound computes the upper bounds of a span's rows, and adds seeds.
func (w *worker) bound(rows *span) {
	bounds := w.scores[rows.first:][:len(rows.ids)]
	if rows.source != nil {
		rows.copy = rows.source.scanned(rows.halves, w.stride, w.quantizeAfter)
	}
	if rows.copy == nil {
		w.dot(bounds, w.query, rows.halves)
	} else {
		if w.dots == nil {
			w.dots = make([]int32, w.perSegment)
		}
		w.quantized.bounds(bounds, w.dots, rows.copy, w.dot, w.multiply)
	}
	w.seeds.choose(bounds, rows)
}

// scoreSeeds computes the scores of the worker's seeds, which replace their bounds.
func (w *worker) scoreSeeds() {
	if w.quantized == nil { // the bounds are the scores
		for i := range w.seeds.heap {
			w.seeds.heap[i].score = clamp(w.seeds.heap[i].score)
		}
		return
	}
	for seeds := w.seeds.heap; len(seeds) > 0; {
		n := min(len(seeds), batchRows)
		for i, seed := range seeds[:n] {
			w.gather(i, seed.span, seed.row)
		}
		for i, score := range w.scoreBatch(n) {
			seeds[i].score = clamp(score)
		}
		seeds = seeds[n:]
	}
}

// batchRows is the number of scattered rows that are copied together and then scored in one
// batch. The copies do not depend on each other, so the processor fetches several rows from
// memory at the same time. The kernel then finds them in the first-level cache.
const batchRows = 16

// gather copies a row of a span to a row of the batch.
func (w *worker) gather(to int, rows *span, row int) {
	if w.batch == nil {
		size := batchRows * w.stride
		w.pooled = batchPool.Get().(*[]uint16)
		*w.pooled = slices.Grow((*w.pooled)[:0], size)
		w.batch = (*w.pooled)[:size]
		w.batchScores = make([]float32, batchRows)
	}
	copy(w.batch[to*w.stride:][:w.stride], rows.halves[row*w.stride:])
}

// scoreBatch returns the scores of the first n rows of the batch.
func (w *worker) scoreBatch(n int) []float32 {
	w.dot(w.batchScores[:n], w.query, w.batch)
	return w.batchScores[:n]
}

// rank scores and ranks those rows of a span whose bound reaches the threshold.
func (w *worker) rank(rows *span) {
	w.best.raise(w.threshold.load())
	var picked [batchRows]int
	n := 0
	for i, score := range w.scores[rows.first:][:len(rows.ids)] {
		switch {
		case score < w.best.threshold:
		case rows.copy == nil:
			w.best.add(score, rows.ids[i], rows.chunks[i])
		default:
			w.gather(n, rows, i)
			picked[n] = i
			if n++; n == batchRows {
				w.rankBatch(rows, picked[:n])
				n = 0
			}
		}
	}
	if n > 0 {
		w.rankBatch(rows, picked[:n])
	}
	w.threshold.raise(w.best.threshold)
}

// rankBatch scores and ranks the rows of a span in the batch.
func (w *worker) rankBatch(rows *span, picked []int) {
	for i, score := range w.scoreBatch(len(picked)) {
		w.best.add(score, rows.ids[picked[i]], rows.chunks[picked[i]])
	}
}
