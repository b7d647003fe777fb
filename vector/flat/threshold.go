package flat

import (
	"math"
	"sync/atomic"
)

// threshold is a score that the goroutines of a scan share. When a goroutine has found as many
// entries as the scan must return, it raises the threshold to the lowest of their scores. From
// then on, no goroutine needs rows that score less: they cannot be among the results.
type threshold struct{ bits atomic.Uint32 }

// reset sets the threshold to -Inf.
func (t *threshold) reset() { t.bits.Store(math.Float32bits(float32(math.Inf(-1)))) }

func (t *threshold) load() float32 { return math.Float32frombits(t.bits.Load()) }

// raise raises the threshold to score, unless it is at least as high already.
func (t *threshold) raise(score float32) {
	for {
		old := t.bits.Load()
		if score <= math.Float32frombits(old) || t.bits.CompareAndSwap(old, math.Float32bits(score)) {
			return
		}
	}
}
