package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// QueueReader reads the queue, which has one row for each entry whose vectors are out of date.
// Writing an entry adds its row, with the cost that Chunks estimates. An entry that is queued
// already retains its original queue time.
type QueueReader interface {
	// Waiting reports whether an entry is queued for its vectors, whatever its state.
	Waiting(ctx context.Context, entry uuid.UUID) (bool, error)
	// QueueDepth returns the number of queue rows, and how long they have waited.
	QueueDepth(ctx context.Context, now time.Time) (rows int64, waits Waits, err error)
	// Reread returns the remaining work in stores whose models have changed.
	Reread(ctx context.Context) (Reread, error)
}

// Reread names stores that models must read again, in order.
type Reread struct {
	Unqueued []Unqueued // the entries that changes left to QueueRest
	Indexed  []string   // stores where a memory.ReadingChange with Indexed would move choice.Reading.Unread
}

// Unqueued stands for entries of a large store that a memory.ReadingChange left to be queued:
// those after After, in order of their IDs.
type Unqueued struct {
	Store    string
	QueuedAt time.Time
	Lacking  string // as in the change
	After    uuid.UUID
	From     acl.Label `json:",omitzero"` // as in the change
}

// QueueWriter takes work from the queue.
type QueueWriter interface {
	// Lease takes due rows as a turn allows, and hides them from other workers until a time.
	// last is the store at which the next turn continues. Rows that were returned after a
	// failure or a lost lease are due like others, at the time when they were first queued.
	// Rows delayed by more than MaxDelay are due as well.
	Lease(ctx context.Context, now, until time.Time, turn Turn) (leases []Lease, last int64, err error)
	// Renew extends leases to until, except for rows that were queued again since. A time in
	// the past gives the rows back.
	//
	// Renew and Finish identify a lease by its entry and revision. A memory.ReadingChange may
	// queue a row again at the same revision, and another worker may lease it: Renew and Finish
	// then treat that worker's lease as this one.
	Renew(ctx context.Context, leases []Lease, until time.Time) error
	// Finish ends a lease, unless its row was queued again since. It removes the row, or
	// returns it to the queue after a failure.
	Finish(ctx context.Context, lease Lease, failure *Failure) error
	// QueueRest queues, in order, those of ids that the change would queue, and records the
	// last as After. Without ids, it records that nothing is left. It does nothing and returns
	// false if the store's remaining work no longer equals of.
	QueueRest(ctx context.Context, of Unqueued, ids []uuid.UUID) (bool, error)
}

// Failure says why a row is returned to the queue, and for how long it waits.
type Failure struct {
	Until  time.Time // the time from which it may be leased again
	Reason string    // an error's class, never memory text
}
