package search

import (
	"context"
	"errors"
	"time"

	"mneme/internal/fairqueue"
	"mneme/memory"
)

// defaultSearches are the default limits on searches.
var defaultSearches = fairqueue.Limits{Running: 64, RunningEach: 8, Waiting: 1024, WaitingEach: 64}

// weightBytes is the length of question text that makes a search count as one more of its
// agent's concurrent searches, since the time of a search grows with the text of its question.
// Of an agent's questions of 16 kB only one is answered at a time, which leaves a processor to
// others.
const weightBytes = 2000

// takeTurn waits until a search of the caller may run. The caller must call done when the
// search ends. The wait depends only on the searches that run and wait.
func (s *Searcher) takeTurn(ctx context.Context, c memory.Caller, r Request) (done func(), waited time.Duration, err error) {
	weight := 1
	for _, wording := range r.wordings() {
		weight += len(wording) / weightBytes
	}
	ctx, end := s.startStep(ctx, "queue", &waited)
	done, err = s.searches.Enter(ctx, c.Agent, weight)
	if errors.Is(err, fairqueue.ErrFull) {
		err = memory.NewBusyError(s.searchLimits)
	}
	end(&err)
	return done, waited, err
}

// Load returns how many searches run, wait, and were refused.
func (s *Searcher) Load() fairqueue.Load { return s.searches.Load() }
