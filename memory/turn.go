package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mneme/internal/fairqueue"
)

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

// Waiting calls that read, of an agent and in all, above which a call is refused. Rates
// of requests keep their number far below.
const (
	readsWaitingEach = 4096
	readsWaiting     = 1 << 16
)

// readTurns returns the queue of what reads a database with so many readers. One agent
// never holds more than half of them.
func readTurns(readers int) *fairqueue.Queue {
	return fairqueue.New(fairqueue.Limits{
		Running: readers, RunningEach: max(1, readers/2), Waiting: readsWaiting, WaitingEach: readsWaitingEach,
	})
}

// TakeReader waits until a reader of the storage is free and it is the caller's turn. done
// gives it back; until then the caller must not take another, for which it would wait
// itself. Whatever reads for a caller takes one, in package meter too.
func (s *Service) TakeReader(ctx context.Context, c Caller) (done func(), err error) {
	done, err = s.reads.Enter(ctx, c.Agent, 1)
	if errors.Is(err, fairqueue.ErrFull) {
		return nil, &BusyError{Limits: s.searchLimits, RetryAfter: retryBusy}
	}
	return done, err
}

// view runs fn on a snapshot once it is the caller's turn: see TakeReader. fn must not
// call view.
func (s *Service) view(ctx context.Context, c Caller, fn func(ReadTx) error) error {
	done, err := s.TakeReader(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	return s.storage.View(ctx, fn)
}

// ReadLoad returns how many snapshots are read and wait, and how many were refused.
func (s *Service) ReadLoad() fairqueue.Load { return s.reads.Load() }
