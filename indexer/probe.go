package indexer

import (
	"context"

	"mneme/vector"
)

// While a shared index is down, the queue pauses: no entry is leased or
// embedded in vain, no backoff grows, and work resumes as soon as the index
// answers again.

// mustProbe reports whether the index must be probed before work is leased:
// it was down, or left a search unanswered since the last probe.
func (ix *Indexer) mustProbe() bool { return ix.indexSuspect.Swap(false) || ix.indexDown.Load() }

// probe reports whether the index answers, and logs when that changes. An index
// that is no vector.Settler always does.
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
			ix.log.WarnContext(ctx, "the vector index does not answer: indexing pauses until it does", "error", err)
		} else {
			ix.log.InfoContext(ctx, "the vector index answers again")
		}
	}
	return err == nil
}
