package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// ExpiryReader reads what expires, and what may be erased.
type ExpiryReader interface {
	// Expiring lists entries of a store by the time at which they expire, the first one
	// first.
	Expiring(ctx context.Context, query ExpiryQuery) ([]Expiry, error)
	// Due lists so at most limit entries of all stores that expire until a time and are
	// not swept, deleted ones too.
	Due(ctx context.Context, until time.Time, limit int) ([]Expiry, error)
	// CountErasable returns how many entries Purge would erase without a limit.
	CountErasable(ctx context.Context, cutoff time.Time) (int64, error)
}

// ExpiryQuery is the entries of a store at labels up to a ceiling that are neither
// deleted nor swept.
type ExpiryQuery struct {
	Store   string
	Ceiling acl.Label
	Until   time.Time // the last time of expiry, the zero time for any
	Limit   int
}

// Expiry says when an entry expires.
type Expiry struct {
	Entry uuid.UUID
	At    time.Time
	Size  int // of its value, in bytes
}

// Eraser erases what the database keeps of entries.
type Eraser interface {
	// Sweep sweeps those of the entries that are expired at now: it removes their terms
	// and vectors and hides their rows until a purge. It raises the revision and queues the
	// entry, so that it leaves the vector index too, and adds a record of entries in context
	// that were not deleted to the feed.
	Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error
	// Purge erases up to limit entries that were deleted or expired before cutoff,
	// exclusively, and returns their ids: row, history, terms, vectors, queue rows, the
	// paths in the feed, and the idempotency records that name them. Call it until it
	// returns none.
	Purge(ctx context.Context, cutoff time.Time, limit int) ([]uuid.UUID, error)
}
