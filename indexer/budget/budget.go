// Package budget says how many chunks a worker of the indexing queue may take at a time.
package budget

import (
	"sync/atomic"
	"time"
)

const (
	// lowest and highest bound the chunks of a lease.
	lowest, highest = 4, 2048
	// shortBatch and longBatch bound the time that a batch should take: a batch
	// is done when its last chunk is, so a larger one keeps all its entries
	// waiting, and a smaller one costs transactions.
	shortBatch, longBatch = 300 * time.Millisecond, time.Second
)

// Chunks is the number of chunks of a lease. It follows the time that the
// embedder takes: a model on the processor gets a few, a remote one hundreds. It
// is safe for concurrent use.
type Chunks struct{ limit atomic.Int64 }

// New returns the budget of an embedder that has embedded nothing yet.
func New() *Chunks {
	b := &Chunks{}
	b.limit.Store(4 * lowest)
	return b
}

// Limit returns the most that a lease may have.
func (b *Chunks) Limit() int { return int(b.limit.Load()) }

// Took adapts the budget to a batch. Two batches at once may lose a change.
func (b *Chunks) Took(chunks int, took time.Duration) {
	limit := b.limit.Load()
	switch {
	case took > longBatch:
		b.limit.Store(max(lowest, limit/2))
	case took < shortBatch && int64(chunks) >= limit/2:
		b.limit.Store(min(highest, 2*limit))
	}
}
