package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// ExpiryReader reads what expires.
type ExpiryReader interface {
	// Expiring lists entries by the time at which they expire, the first one first.
	Expiring(ctx context.Context, query ExpiryQuery) ([]Expiry, error)
}

// ExpiryQuery asks for the entries of a store at labels up to a ceiling that are
// neither deleted nor swept; or, without a store, for those of all stores and labels
// that are not swept, deleted ones too.
type ExpiryQuery struct {
	Store   string
	Ceiling acl.Label
	Until   time.Time // the last time of expiry, the zero time for any; set if Store is ""
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
	// Erase erases what it says, and returns the ids of the entries that it concerned.
	Erase(ctx context.Context, what Erasure) ([]uuid.UUID, error)
}

// Erasure is an Expired, a Purge or a FormerVersions.
type Erasure interface{ erasure() }

// Expired sweeps those of Entries that are expired at Now: it removes their terms
// and vectors and hides their rows until a purge. It raises the revision and queues the
// entry, so that it leaves the vector index too, and adds a record of entries in context
// that were not deleted to the feed.
type Expired struct {
	Entries []uuid.UUID
	Now     time.Time
}

// Purge erases up to Limit entries that were deleted or expired before Cutoff,
// exclusively: row, history, terms, vectors, queue rows, the paths in the feed, and the
// idempotency records that name them. Use it until it concerns none.
type Purge struct {
	Cutoff time.Time
	Limit  int
}

// FormerVersions erases the oldest former versions of Entry until the others are within
// the limits. The newest former version stays. Its cost does not depend on the number
// or size of the versions that stay. If Entry is uuid.Nil it does so for up to Limit
// entries that exceed them, in an order of the storage's own, after the entry After:
// uuid.Nil for the first time, and then the last of those that it concerned.
type FormerVersions struct {
	Keep  HistoryLimits
	Entry uuid.UUID
	After uuid.UUID
	Limit int
}

func (Expired) erasure()        {}
func (Purge) erasure()          {}
func (FormerVersions) erasure() {}

// HistoryLimits bound what is kept of an entry's versions.
type HistoryLimits struct {
	Versions int   // the current one included
	Bytes    int64 // of the values and sources of the former ones
}

// Former returns how many former versions may be kept, at least one.
func (l HistoryLimits) Former() int64 { return max(1, int64(l.Versions)-1) }

// Trimmer removes records that are kept for a while.
type Trimmer interface {
	// Trim removes records and reports whether there may be more of them to remove.
	Trim(ctx context.Context, what Outdated) (more bool, err error)
}

// Outdated is a kind of records: ExpiredFacts, ExpiredGrants, ExpiredOutcome, OldFeed or
// OldChanges.
type Outdated interface{ outdated() }

// ExpiredFacts are grants, memberships and idempotency records that have expired. Limit of
// each kind are removed at a time.
type ExpiredFacts struct {
	Now   time.Time
	Limit int
}

// ExpiredGrants are those of a store.
type ExpiredGrants struct {
	Store string
	Now   time.Time
}

// ExpiredOutcome is the idempotency record of a key if it has expired.
type ExpiredOutcome struct {
	Key IdempotencyKey
	Now time.Time
}

// OldFeed are records of the feed of before a time, and those of a store and label that
// precede its last Keep ones. Limit or so are removed at a time.
type OldFeed struct {
	Before time.Time
	Keep   int64
	Limit  int
}

// OldChanges are records of changes of vectors of before a time. A record of later than
// Now, which was written by a clock that was ahead, is as old as those around it. Limit or
// so are removed at a time.
type OldChanges struct {
	Before, Now time.Time
	Limit       int
}

func (ExpiredFacts) outdated()   {}
func (ExpiredGrants) outdated()  {}
func (ExpiredOutcome) outdated() {}
func (OldFeed) outdated()        {}
func (OldChanges) outdated()     {}
