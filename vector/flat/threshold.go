package flat

import (
	"math"
	"sync/atomic"
)

// threshold is a score shared by the goroutines of a scan. A goroutine that has found as
// many entries as the scan returns raises it to the lowest of their scores: no row below
// it is among the results, whichever goroutine reads the row.
type threshold struct{ bits atomic.Uint32 }

// reset sets the threshold to -Inf.
func (t *threshold) reset() { t.bits.Store(math.Float32bits(float32(math.Inf(-1)))) }

func (t *threshold) load() float32 { return math.Float32frombits(t.bits.Load()) }

// raise raises the threshold to score, unless it is as high already.
func (t *threshold) raise(score float32) {
	for {
		old := t.bits.Load()
		if score <= math.Float32frombits(old) || t.bits.CompareAndSwap(old, math.Float32bits(score)) {
			return
		}
	}
}
