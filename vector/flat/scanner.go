package flat

import (
	"math"
	"sync/atomic"
)

// A scanner is one goroutine's part of a scan.
type scanner struct {
	*Index
	query     []float32       // padded to the stride
	quantized *quantizedQuery // nil until a quantized segment is scanned
	best      *topK
	shared    *threshold // of all goroutines of the scan
	scores    []float32
	dots      []int32
}

func newScanner(x *Index, query []float32, limit int, shared *threshold) *scanner {
	return &scanner{Index: x, query: query, best: newTopK(limit), shared: shared, scores: make([]float32, x.perSegment)}
}

// scan ranks the rows of a span.
func (s *scanner) scan(rows span) {
	s.best.raise(s.shared.load())
	scores := s.scores[:len(rows.ids)]
	if z := s.quantizedOf(rows); z != nil {
		s.scanQuantized(rows, z, scores)
	} else {
		s.dot(scores, s.query, rows.halves)
		s.best.add(scores, rows.ids, rows.chunks)
	}
	s.shared.raise(s.best.threshold)
}

// quantizedOf returns the quantized copy of a span's rows; nil if there is none.
func (s *scanner) quantizedOf(rows span) *quantized {
	if rows.full == nil {
		return nil
	}
	return rows.full.scanned(rows.halves, s.stride, s.quantizeAfter)
}

// scanQuantized scores those rows of a span whose bound reaches the threshold.
func (s *scanner) scanQuantized(rows span, z *quantized, bounds []float32) {
	if s.quantized == nil {
		s.quantized, s.dots = quantizeQuery(s.query), make([]int32, s.perSegment)
	}
	s.quantized.bounds(bounds, s.dots, z, s.dot, s.multiply)
	for i, bound := range bounds {
		if bound < s.best.threshold {
			continue
		}
		s.dot(bounds[i:i+1], s.query, rows.halves[i*s.stride:][:s.stride])
		s.best.add(bounds[i:i+1], rows.ids[i:i+1], rows.chunks[i:i+1])
	}
}

// threshold is a score that the goroutines of a scan raise together. Where one of them
// knows as many entries as the scan is to find, no row below the last of these is
// among the results, whichever goroutine reads it.
type threshold struct{ bits atomic.Uint32 }

func newThreshold() *threshold {
	t := new(threshold)
	t.bits.Store(math.Float32bits(float32(math.Inf(-1))))
	return t
}

func (t *threshold) load() float32 { return math.Float32frombits(t.bits.Load()) }

// raise raises the threshold to score, unless it is there already.
func (t *threshold) raise(score float32) {
	for {
		old := t.bits.Load()
		if score <= math.Float32frombits(old) || t.bits.CompareAndSwap(old, math.Float32bits(score)) {
			return
		}
	}
}
