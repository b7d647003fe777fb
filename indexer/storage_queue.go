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
	// Reread returns the stores that models still have to read again, for example after the
	// owner chose another model.
	Reread(ctx context.Context) (Reread, error)
}

// Reread lists the stores that models still have to read again, ordered by name.
type Reread struct {
	Unqueued []Unqueued // entries that are still to be queued, in steps, by QueueRest
	Indexed  []string   // stores whose choice.Reading.Unread would move by a memory.ReadingChange
}

// Unqueued stands for the entries of a large store that are still to be queued after a
// memory.ReadingChange: those whose IDs are greater than After.
type Unqueued struct {
	Store    string
	QueuedAt time.Time
	Lacking  string // as in the ReadingChange
	After    uuid.UUID
	From     acl.Label `json:",omitzero"` // as in the ReadingChange
}

// QueueWriter takes work from the queue.
type QueueWriter interface {
	// Lease takes due rows as a turn allows, and hides them from other workers until a time.
	// last is the store after which the next turn begins. A row that was returned after a
	// failure, or whose lease expired, keeps the time at which it was first queued. Rows
	// delayed by more than MaxDelay are due as well.
	Lease(ctx context.Context, now, until time.Time, turn Turn) (leases []Lease, last int64, err error)
	// Renew extends leases to until, except for rows that were queued again since. If until is
	// in the past, the rows are due again at once.
	//
	// Renew and Finish identify a lease by its entry and revision. A memory.ReadingChange may
	// queue a row again at the same revision, and another worker may lease it: Renew and Finish
	// then treat that worker's lease as this one.
	Renew(ctx context.Context, leases []Lease, until time.Time) error
	// Finish ends a lease, unless its row was queued again since. It removes the row, or
	// returns it to the queue after a failure.
	Finish(ctx context.Context, lease Lease, failure *Failure) error
	// QueueRest queues those of ids that the ReadingChange applies to (see Unqueued), and
	// records the last of ids as After. ids are the store's next entries, in order. If ids is
	// empty, it records that nothing is left. If the store's remaining work is no longer equal
	// to of, because another process or change was faster, it does nothing and returns false.
	QueueRest(ctx context.Context, of Unqueued, ids []uuid.UUID) (bool, error)
}

// Failure says why a row is returned to the queue, and for how long it waits.
type Failure struct {
	Until  time.Time // the time from which it may be leased again
	Reason string    // an error's class, never memory text
}
