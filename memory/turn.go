package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mneme/internal/fairqueue"
)

// BusyError says that as many searches, or reads, are waiting as may.
type BusyError struct {
	fairqueue.Limits
	RetryAfter time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("too many searches: %d of an agent and %d in all may run at a time, %d and %d wait",
		e.RunningEach, e.Running, e.WaitingEach, e.Waiting)
}

// NewBusyError returns the error of a queue with these limits. The caller may try again
// after a second: by then many of the waiting calls have run.
func NewBusyError(limits fairqueue.Limits) *BusyError {
	return &BusyError{Limits: limits, RetryAfter: time.Second}
}

// Waiting calls that read, of an agent and in all, above which a call is refused. Rates
// of requests keep their number far below.
const (
	readsWaitingEach = 4096
	readsWaiting     = 1 << 16
)

// Readers gives the readers of a storage to callers in turn. One agent never holds more
// than half of them. It is safe for concurrent use.
type Readers struct {
	limits fairqueue.Limits
	queue  *fairqueue.Queue
}

func newReaders(n int) *Readers {
	limits := fairqueue.Limits{Running: n, RunningEach: max(1, n/2), Waiting: readsWaiting, WaitingEach: readsWaitingEach}
	return &Readers{limits: limits, queue: fairqueue.New(limits)}
}

// Take waits until a reader of the storage is free and it is the caller's turn. done
// gives it back; until then the caller must not take another, for which it would wait
// itself. Whatever reads for a caller takes one, in packages search and meter too.
func (r *Readers) Take(ctx context.Context, c Caller) (done func(), err error) {
	done, err = r.queue.Enter(ctx, c.Agent, 1)
	if errors.Is(err, fairqueue.ErrFull) {
		return nil, NewBusyError(r.limits)
	}
	return done, err
}

// Load returns how many snapshots are read and wait, and how many were refused.
func (r *Readers) Load() fairqueue.Load { return r.queue.Load() }
