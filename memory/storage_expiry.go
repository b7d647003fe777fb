package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// ExpiryReader reads which entries expire and which may be erased.
type ExpiryReader interface {
	// Expiring lists entries of a store by time of expiry, earliest first.
	Expiring(ctx context.Context, query ExpiryQuery) ([]Expiry, error)
	// Due lists at most limit entries of all stores, also by time of expiry, that expire by a
	// time and are not swept. It includes deleted entries.
	Due(ctx context.Context, until time.Time, limit int) ([]Expiry, error)
	// CountErasable returns how many entries Purge would erase without a limit.
	CountErasable(ctx context.Context, cutoff time.Time) (int64, error)
}

// ExpiryQuery selects the entries of a store, at labels up to a ceiling, that are neither
// deleted nor swept.
type ExpiryQuery struct {
	Store   string
	Ceiling acl.Label
	Until   time.Time // the latest time of expiry; the zero time: any
	Limit   int
}

// Expiry is an entry's time of expiry.
type Expiry struct {
	Entry uuid.UUID
	At    time.Time
	Size  int // of the value, in bytes
}

// Eraser erases stored data of entries.
type Eraser interface {
	// Sweep sweeps the given entries that are expired at now: it removes their terms and
	// vectors and hides their rows until a purge. It raises the revision and queues the entry,
	// so that the entry is removed from the vector index too. It adds a record to the feed for
	// each undeleted entry in context.
	Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error
	// Purge erases up to limit entries that were deleted or expired before cutoff, exclusively,
	// and returns their ids: row, history, terms, vectors, queue rows, the paths in the feed,
	// and the idempotency records that name them. Call it until it returns none.
	Purge(ctx context.Context, cutoff time.Time, limit int) ([]uuid.UUID, error)
}
