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
// The first pass computes an upper bound of each row's score, from the quantized copy of
// its segment; without a copy the bound is the score itself. It collects the greatest
// bounds of different entries, as many as the query asks for (see seeds), and then scores
// their rows. No row below the lowest of these scores can be among the results. The second
// pass scores and ranks the rows whose bound reaches that score. There are few more of
// them than results: the threshold is known before any row is scored.
type scan struct {
	*Index
	spans     []span
	query     []float32       // padded to the stride
	quantized *quantizedQuery // nil if no span may have a quantized copy
	limit     int
	scores    []float32 // an upper bound of the score of each row of the spans
	pooled    *[]float32
	workers   []worker
	threshold threshold
}

// A worker is one goroutine's part of a scan.
type worker struct {
	*scan
	dots        []int32  // by row of a segment
	batch       []uint16 // batchRows rows
	pooled      *[]uint16
	batchScores []float32
	seeds       seeds
	best        *topK
}

// These pools reuse memory between searches: scan.scores, 4 bytes a row, worker.batch and
// seeds. Each pooled slice has a header of its own: a pointer to a field of a scan would
// retain the whole scan.
var (
	batchPool = sync.Pool{New: func() any { return new([]uint16) }}
	scorePool = sync.Pool{New: func() any { return new([]float32) }}
	seedPool  = sync.Pool{New: func() any { return new([]seed) }}
)

// fewRows is the maximum number of rows per result that a scan ranks without a threshold.
const fewRows = 4

// newScan returns a scan of spans with a total number of rows, for limit entries. seeds is
// the maximum number of seeds: limit, or 0 if the spans may contain a row twice. The
// caller releases the scan.
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
	// A threshold of -1 would exclude scores that rounding pushed below -1, which tie with
	// it.
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

// each passes each span to a worker, on several cores if there are several workers, and
// then calls end, if not nil, for each worker. It stops when ctx ends.
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

// bound computes the bounds of a span's rows.
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

// scoreSeeds replaces the bounds of the worker's seeds with their scores.
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

// batchRows is the number of non-contiguous rows that are scored in one batch. The copies
// of rows do not depend on each other, so the processor fetches several from memory at a
// time, and the kernel finds them in its first-level cache.
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

// rank scores and ranks the rows of a span whose bound reaches the threshold.
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
