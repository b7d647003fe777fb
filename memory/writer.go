package memory

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mneme/internal/fairqueue"
)

// WriterLimits say how many transactions of callers may be given to a storage at a time.
// What writes in the background does not count.
type WriterLimits struct {
	Running     int // in all, each with its weight
	RunningEach int // of one agent
	// UnitBytes of values make a transaction weigh one more, and so does each entry; 0:
	// all weigh the same.
	UnitBytes int
	// ByStore: transactions on one store are given one after another, since the storage
	// would have one wait for the other while it holds a connection.
	ByStore bool
}

// WaitTooLongError says that other writes would have kept a write waiting for longer than
// Limits.WriteWait. Nothing was written.
type WaitTooLongError struct {
	Wait       time.Duration
	RetryAfter time.Duration
}

func (e *WaitTooLongError) Error() string {
	return fmt.Sprintf("other writes would keep this one waiting for more than %s (limits.write_wait)", e.Wait)
}

// Waiting calls that write, of an agent and in all, above which a call is refused. Rates
// of requests keep their number far below.
const (
	writesWaitingEach = 1024
	writesWaiting     = 1 << 14
)

// retryWrite is when a write that was refused may find the others done.
const retryWrite = 2 * time.Second

// Writers gives the writers of a storage to callers in turn. It is safe for concurrent
// use.
type Writers struct {
	limits WriterLimits
	wait   time.Duration
	queue  *fairqueue.Keyed
	now    func() time.Time
	last   atomic.Pointer[time.Time] // when a caller ended writing; at first when w was made
}

func newWriters(limits WriterLimits, wait time.Duration, now func() time.Time) *Writers {
	w := &Writers{limits: limits, wait: wait, queue: fairqueue.NewKeyed(fairqueue.Limits{
		Running: limits.Running, RunningEach: limits.RunningEach, Waiting: writesWaiting, WaitingEach: writesWaitingEach,
	}), now: now}
	w.wrote()
	return w
}

// Work is what a transaction is about to write.
type Work struct {
	Stores  []string // that it reads or writes, as far as is known
	Entries int      // beside the first
	Bytes   int      // of their values
}

// allOfIt is the work of a transaction that may be as long as any.
const allOfIt = 1 << 30

// Take waits until the caller may write to the storage. done gives the turn back; until
// then the caller must take neither another nor a turn of Readers, for which it would wait
// itself. Whatever writes for a caller takes one, in packages search and meter too. The
// error is a WaitTooLongError, or that of ctx.
func (w *Writers) Take(ctx context.Context, c Caller, work Work) (done func(), err error) {
	call := fairqueue.KeyedCall{Caller: c.Agent, Weight: 1, Patience: w.wait}
	if w.limits.UnitBytes > 0 {
		call.Weight += work.Entries + work.Bytes/w.limits.UnitBytes
	}
	if w.limits.ByStore {
		call.Keys = work.Stores
	}
	leave, err := w.queue.Enter(ctx, call)
	if errors.Is(err, fairqueue.ErrLate) || errors.Is(err, fairqueue.ErrFull) {
		return nil, &WaitTooLongError{Wait: w.wait, RetryAfter: retryWrite}
	}
	if err != nil {
		return nil, err
	}
	return func() { w.wrote(); leave() }, nil
}

// wrote notes that a caller ends writing.
func (w *Writers) wrote() {
	at := w.now()
	w.last.Store(&at)
}

// quiet reports whether no caller has been writing for so long.
func (w *Writers) quiet(d time.Duration) bool {
	load, last := w.queue.Load(), *w.last.Load()
	at := w.now() // after last: it is in the future only if the clock was ahead
	return load.Running+load.Waiting == 0 && due(last, d, at)
}

// Load returns how many transactions of callers are written and wait, and how many were
// refused.
func (w *Writers) Load() fairqueue.Load { return w.queue.Load() }

// update runs fn in a writing transaction once it is the caller's turn: see Writers.Take.
// fn must call neither update nor view.
func (s *Service) update(ctx context.Context, c Caller, work Work, fn func(Tx) error) error {
	done, err := s.writers.Take(ctx, c, work)
	if err != nil {
		return err
	}
	defer done()
	return s.storage.Update(ctx, fn)
}

// updateTogether is update for a transaction that writes a few rows.
func (s *Service) updateTogether(ctx context.Context, c Caller, work Work, fn func(Tx) error) error {
	done, err := s.writers.Take(ctx, c, work)
	if err != nil {
		return err
	}
	defer done()
	return s.storage.UpdateTogether(ctx, fn)
}
