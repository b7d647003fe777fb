package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mneme/internal/fairqueue"
)

// BusyError says that as many searches or reads as are allowed are already waiting.
type BusyError struct {
	fairqueue.Limits
	RetryAfter time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("too many searches: %d of an agent and %d in all may run at a time, %d and %d wait",
		e.RunningEach, e.Running, e.WaitingEach, e.Waiting)
}

// NewBusyError returns the error of a queue with these limits. The caller may retry after a
// second: by then many of the waiting calls have run.
func NewBusyError(limits fairqueue.Limits) *BusyError {
	return &BusyError{Limits: limits, RetryAfter: time.Second}
}

// The maximum number of waiting reads, per agent and in total. Further calls are refused. Rate
// limits keep the usual number far below these.
const (
	readsWaitingEach = 4096
	readsWaiting     = 1 << 16
)

// Readers is the queue in which callers wait for a storage's concurrent reads. It takes turns
// among agents, and no agent has more than half of the reads. It is safe for concurrent use.
type Readers struct {
	limits fairqueue.Limits
	queue  *fairqueue.Queue
}

func newReaders(n int) *Readers {
	limits := fairqueue.Limits{Running: n, RunningEach: max(1, n/2), Waiting: readsWaiting, WaitingEach: readsWaitingEach}
	return &Readers{limits: limits, queue: fairqueue.New(limits)}
}

// Take waits until a read of the storage is free and it is the caller's turn. done gives the
// read back. Until then the caller must not call Take again, which could deadlock. Every
// snapshot read for a caller needs a Take, in packages search and meter too.
func (r *Readers) Take(ctx context.Context, c Caller) (done func(), err error) {
	done, err = r.queue.Enter(ctx, c.Agent, 1)
	if errors.Is(err, fairqueue.ErrFull) {
		return nil, NewBusyError(r.limits)
	}
	return done, err
}

// Load returns the numbers of running, waiting and refused snapshots.
func (r *Readers) Load() fairqueue.Load { return r.queue.Load() }
