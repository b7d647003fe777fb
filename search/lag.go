package search

import (
	"context"
	"slices"
	"time"
)

// LagVector is the name in Answer.Degraded of a vector leg that lacks entries because
// they wait for their vectors.
const LagVector = "vector_lag"

// maxLag is how long entries may wait for their vectors before answers say so.
const maxLag = 5 * time.Second

// missing returns Answer.Degraded: the legs that failed, StepRerank if the Reranker
// failed, and LagVector if the vector leg searched but entries within the scope have
// waited for their vectors for longer than maxLag.
func (s *Searcher) missing(ctx context.Context, in snapshot, q *searchQuery, found *retrieved) ([]string, error) {
	failed := slices.Clone(found.failed)
	if found.verdict.failed {
		failed = append(failed, StepRerank)
	}
	if found.former != nil && found.former.unread && !slices.Contains(failed, LegVector) {
		return append(failed, LagVector), nil
	}
	if q.page != nil || q.request.Mode == ModeLexical || slices.Contains(failed, LegVector) {
		return failed, nil
	}
	now := s.instant()
	lagging, err := in.tx.WaitingIn(ctx, withGaps(in.scope), now.Add(-maxLag), now)
	if err != nil || !lagging {
		return failed, err
	}
	return append(failed, LagVector), nil
}
