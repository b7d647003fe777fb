package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// QueueReader reads the queue, which has one row for each entry whose vectors are out of
// date. Writing an entry adds its row, with the cost that Chunks estimates; an entry that
// waits already keeps the time at which it was queued.
type QueueReader interface {
	// Waiting reports whether an entry waits for its vectors, whatever its state.
	Waiting(ctx context.Context, entry uuid.UUID) (bool, error)
	// QueueDepth counts queue rows, and how long they have waited.
	QueueDepth(ctx context.Context, now time.Time) (rows int64, waits Waits, err error)
	// Reread returns the work left in stores of which it changed which models read them.
	Reread(ctx context.Context) (Reread, error)
}

// Reread names stores that models read again, in their order.
type Reread struct {
	Unqueued []Unqueued // what changes have left to QueueRest
	Indexed  []string   // a memory.ReadingChange that says so would move choice.Reading.Unread
}

// Unqueued are entries of a large store that a memory.ReadingChange left to be queued: in
// the order of their IDs, those that follow After.
type Unqueued struct {
	Store    string
	QueuedAt time.Time
	Lacking  string // as in the change
	After    uuid.UUID
	From     acl.Label `json:",omitzero"` // as in the change
}

// QueueWriter takes work from the queue.
type QueueWriter interface {
	// Lease takes rows that are due, as a turn says, and hides them from other
	// workers until a time. last is the store at which the next turn goes on.
	// Rows that come back after a failure or a lost lease are due like others,
	// at the time at which they were queued first. So are rows that would come
	// back later than MaxDelay.
	Lease(ctx context.Context, now, until time.Time, turn Turn) (leases []Lease, last int64, err error)
	// Renew moves the end of leases to until, of those rows that were not
	// queued again since. An end that has passed gives them back.
	//
	// Renew and Finish know a lease by its entry and revision. A memory.ReadingChange may
	// queue a row again at the same revision, and another worker lease it: they take its
	// lease for this one.
	Renew(ctx context.Context, leases []Lease, until time.Time) error
	// Finish ends a lease, unless its row was queued again since: it removes the row,
	// or after a failure gives it back.
	Finish(ctx context.Context, lease Lease, failure *Failure) error
	// QueueRest queues those of the ids, in their order, that the change would queue, and
	// records the last as After; or with none, that nothing is left. It does nothing and
	// returns false if Unqueued is not what is left of the store any more.
	QueueRest(ctx context.Context, of Unqueued, ids []uuid.UUID) (bool, error)
}

// Failure says why and for how long a row is given back.
type Failure struct {
	Until  time.Time // it is taken again from then on
	Reason string    // an error's class, never text of a memory
}
