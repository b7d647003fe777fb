// Package budget decides how many chunks a worker of the indexing queue takes at a time.
package budget

import (
	"sync/atomic"
	"time"
)

const (
	// lowest and highest bound the chunks of a lease.
	lowest, highest = 4, 2048
	// shortBatch and longBatch bound the target duration of a batch. A batch is done when its
	// last chunk is: a larger batch keeps all its entries waiting, and a smaller one costs more
	// transactions.
	shortBatch, longBatch = 300 * time.Millisecond, time.Second
)

// Chunks limits the number of chunks in a lease. It adapts to the speed of the embedder: an
// embedder on the CPU gets a few chunks, a remote one hundreds. It is safe for concurrent use.
type Chunks struct{ limit atomic.Int64 }

// New returns the budget for an embedder that has embedded nothing yet.
func New() *Chunks {
	b := &Chunks{}
	b.limit.Store(4 * lowest)
	return b
}

// Limit returns the maximum number of chunks in a lease.
func (b *Chunks) Limit() int { return int(b.limit.Load()) }

// Took adapts the limit to a batch of chunks that took a time. Of two concurrent calls, one may
// have no effect.
func (b *Chunks) Took(chunks int, took time.Duration) {
	limit := b.limit.Load()
	switch {
	case took > longBatch:
		b.limit.Store(max(lowest, limit/2))
	case took < shortBatch && int64(chunks) >= limit/2:
		b.limit.Store(min(highest, 2*limit))
	}
}
