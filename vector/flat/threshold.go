package flat

import (
	"math"
	"sync/atomic"
)

// threshold is a score that the goroutines of a scan raise together. Where one of them
// knows as many entries as the scan is to find, no row below the last of these is
// among the results, whichever goroutine reads it.
type threshold struct{ bits atomic.Uint32 }

// reset sets the threshold to -Inf.
func (t *threshold) reset() { t.bits.Store(math.Float32bits(float32(math.Inf(-1)))) }

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
