package indexer

import (
	"sync/atomic"
	"time"
)

const (
	// minBudget and maxBudget bound the chunks of a lease.
	minBudget, maxBudget = 4, 2048
	// shortBatch and longBatch bound the time that a batch should take: a batch
	// is done when its last chunk is, so a larger one keeps all its entries
	// waiting, and a smaller one costs transactions.
	shortBatch, longBatch = 300 * time.Millisecond, time.Second
)

// budget is the number of chunks of a lease. It follows the time that the
// embedder takes: a model on the processor gets a few, a remote one hundreds. It
// is safe for concurrent use.
type budget struct{ limit atomic.Int64 }

func newBudget() *budget {
	b := &budget{}
	b.limit.Store(4 * minBudget)
	return b
}

func (b *budget) chunks() int { return int(b.limit.Load()) }

// took adapts the budget to a batch. Two batches at once may lose a change.
func (b *budget) took(chunks int, took time.Duration) {
	limit := b.limit.Load()
	switch {
	case took > longBatch:
		b.limit.Store(max(minBudget, limit/2))
	case took < shortBatch && int64(chunks) >= limit/2:
		b.limit.Store(min(maxBudget, 2*limit))
	}
}
