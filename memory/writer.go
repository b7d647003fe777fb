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
	// UnitBytes: a transaction's weight grows by one for each UnitBytes of values and for each
	// entry; 0: all weigh the same.
	UnitBytes int
	// ByStore: the transactions of one store run one after another, since otherwise the storage
	// would let one wait for the other while holding a connection.
	ByStore bool
}

// WaitTooLongError says that other writes would have delayed a write for longer than
// Limits.WriteWait. Nothing was written.
type WaitTooLongError struct {
	Wait       time.Duration
	RetryAfter time.Duration
}

func (e *WaitTooLongError) Error() string {
	return fmt.Sprintf("other writes would keep this one waiting for more than %s (limits.write_wait)", e.Wait)
}

// The maximum number of waiting writes, per agent and in total. Further calls are refused. Rate
// limits keep the number far below.
const (
	writesWaitingEach = 1024
	writesWaiting     = 1 << 14
)

// retryWrite is when to retry a refused write: the other writes may be done by then.
const retryWrite = 2 * time.Second

// Writers gives callers the writers of a storage in turn. It is safe for concurrent use.
type Writers struct {
	limits WriterLimits
	wait   time.Duration
	queue  *fairqueue.Keyed
	now    func() time.Time
	last   atomic.Pointer[time.Time] // when a caller last ended writing; initially when w was made
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
	Stores  []string // stores that it reads or writes, as far as known
	Entries int      // besides the first
	Bytes   int      // of their values
}

// allOfIt is the work of a transaction that may be as long as any.
const allOfIt = 1 << 30

// Take waits until the caller may write to the storage. done ends the turn; until then the
// caller must take neither another turn nor one of Readers, which could deadlock. All writes
// for a caller take one, in packages search and meter too. The error is a WaitTooLongError, or
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

// wrote records that a caller ends writing.
func (w *Writers) wrote() {
	at := w.now()
	w.last.Store(&at)
}

// quiet reports whether no caller has been writing for d.
func (w *Writers) quiet(d time.Duration) bool {
	load, last := w.queue.Load(), *w.last.Load()
	at := w.now() // after last: it is in the future only if the clock was ahead
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
