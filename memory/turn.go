package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mneme/fairqueue"
)

// defaultSearches are the default limits on searches.
var defaultSearches = fairqueue.Limits{Running: 64, RunningEach: 8, Waiting: 1024, WaitingEach: 64}

// BusyError says that as many searches are waiting as may.
type BusyError struct {
	fairqueue.Limits
	RetryAfter time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("too many searches: %d of an agent and %d in all may run at a time, %d and %d wait",
		e.RunningEach, e.Running, e.WaitingEach, e.Waiting)
}

// retryBusy is when a caller may try again that was refused with a BusyError: by
// then many of the waiting searches have run.
const retryBusy = time.Second

// takeTurn waits until a search of the caller may run. done ends the search. How
// long it waits depends on how many searches run and wait, and nothing else.
func (s *Service) takeTurn(ctx context.Context, c Caller) (done func(), waited time.Duration, err error) {
	ctx, end := s.startStep(ctx, "queue", &waited)
	done, err = s.searches.Enter(ctx, c.Agent)
	if errors.Is(err, fairqueue.ErrFull) {
		err = &BusyError{Limits: s.searchLimits, RetryAfter: retryBusy}
	}
	end(&err)
	return done, waited, err
}

// SearchLoad returns how many searches run and wait, and how many were refused.
func (s *Service) SearchLoad() fairqueue.Load { return s.searches.Load() }
