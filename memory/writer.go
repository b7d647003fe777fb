package memory

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mneme/internal/fairqueue"
)

// WriterLimits bound the number of callers' concurrent transactions in a storage. Background
// writes do not count.
type WriterLimits struct {
	Running     int // in total, by weight
	RunningEach int // per agent
	// UnitBytes determines the weight of a transaction: 1, plus 1 for each further entry and
	// for each UnitBytes of values; 0: all weigh 1.
	UnitBytes int
	// ByStore makes the transactions of one store run one after another. In some storages they
	// would otherwise wait for each other while each holds a connection.
	ByStore bool
}

// WaitTooLongError says that a write was refused because other writes would have delayed it for
// longer than Limits.WriteWait. Nothing was written.
type WaitTooLongError struct {
	Wait       time.Duration
	RetryAfter time.Duration
}

func (e *WaitTooLongError) Error() string {
	return fmt.Sprintf("other writes would keep this one waiting for more than %s (limits.write_wait)", e.Wait)
}

// The maximum number of waiting writes, per agent and in total. Further calls are refused. Rate
// limits keep the usual number far below these.
const (
	writesWaitingEach = 1024
	writesWaiting     = 1 << 14
)

// retryWrite is after what time to retry a refused write: the other writes may be done by then.
const retryWrite = 2 * time.Second

// Writers is the queue in which callers wait for a storage's writing transactions, agents in
// turn. It is safe for concurrent use.
type Writers struct {
	limits WriterLimits
	wait   time.Duration
	queue  *fairqueue.Keyed
	now    func() time.Time
	last   atomic.Pointer[time.Time] // when a caller last ended a write; at first, when w was made
}

func newWriters(limits WriterLimits, wait time.Duration, now func() time.Time) *Writers {
	w := &Writers{limits: limits, wait: wait, queue: fairqueue.NewKeyed(fairqueue.Limits{
		Running: limits.Running, RunningEach: limits.RunningEach, Waiting: writesWaiting, WaitingEach: writesWaitingEach,
	}), now: now}
	w.wrote()
	return w
}

// Work describes what a transaction will write.
type Work struct {
	Stores  []string // that it reads or writes, as far as known
	Entries int      // number of entries besides the first
	Bytes   int      // of the values of all entries
}

// allOfIt is the Work.Entries of a transaction that may write any number of entries. It gives
// the transaction the largest weight that one may have.
const allOfIt = 1 << 30

// Take waits until the caller may write to the storage. done ends the turn. Until then the
// caller must call neither Take nor Readers.Take, which could deadlock. Every write for a
// caller needs a Take, in packages search and meter too. The error is a WaitTooLongError, or
// ctx's.
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

// wrote records that a caller has just ended a write.
func (w *Writers) wrote() {
	at := w.now()
	w.last.Store(&at)
}

// quiet reports whether no caller has been writing, or waiting to write, for d.
func (w *Writers) quiet(d time.Duration) bool {
	load, last := w.queue.Load(), *w.last.Load()
	at := w.now() // read after last, so that last is in the future only if the clock was ahead
	return load.Running+load.Waiting == 0 && due(last, d, at)
}

// Load returns the numbers of running, waiting and refused transactions of callers.
func (w *Writers) Load() fairqueue.Load { return w.queue.Load() }

// update runs fn in a writing transaction once it is the caller's turn: see Writers.Take. fn
// must call neither update nor view.
func (s *Service) update(ctx context.Context, c Caller, work Work, fn func(Tx) error) error {
	done, err := s.writers.Take(ctx, c, work)
	if err != nil {
		return err
	}
	defer done()
	return s.storage.Update(ctx, fn)
}

// updateBatched is update for a transaction that writes a few rows.
func (s *Service) updateBatched(ctx context.Context, c Caller, work Work, fn func(Tx) error) error {
	done, err := s.writers.Take(ctx, c, work)
	if err != nil {
		return err
	}
	defer done()
	return s.storage.UpdateBatched(ctx, fn)
}
