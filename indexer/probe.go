package indexer

import (
	"context"

	"mneme/vector"
)

// While a shared index is down, the queue pauses: no entry is leased or embedded in vain, no
// backoff grows, and work resumes as soon as the index responds again.

// mustProbe reports whether to probe the index before leasing work: it was down, or a search
// got no response from it since the last probe.
func (ix *Indexer) mustProbe() bool { return ix.indexSuspect.Swap(false) || ix.indexDown.Load() }

// probe reports whether the index responds, and logs a change. An index that is not a
// vector.Settler always responds.
func (ix *Indexer) probe(ctx context.Context, now *serving) bool {
	settler, ok := now.index.(vector.Settler)
	if !ok {
		return true
	}
	err := settler.Settle(ctx)
	if err != nil && ctx.Err() != nil {
		return false // shutdown
	}
	if down := err != nil; ix.indexDown.Swap(down) != down {
		if down {
			ix.log.WarnContext(ctx, "the vector index does not respond: indexing pauses until it does", "error", err)
		} else {
			ix.log.InfoContext(ctx, "the vector index responds again")
		}
	}
	return err == nil
}
