package memory

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// HistoryReader reads the versions of entries.
type HistoryReader interface {
	// History returns versions of an entry, newest first. The current row is the newest
	// version.
	History(ctx context.Context, query HistoryQuery) ([]Entry, error)
}

// HistoryQuery is a range of an entry's versions.
type HistoryQuery struct {
	Entry  uuid.UUID
	Before int       // a version, exclusive; 0: all versions
	Until  time.Time // excludes later versions; the zero time: none
	Limit  int
}

// HistoryTrimmer erases former versions that exceed limits.
type HistoryTrimmer interface {
	// TrimHistory erases the oldest former versions of an entry until the rest is within the
	// limits. The newest former version stays. The cost does not depend on the number or size
	// of the versions that stay.
	TrimHistory(ctx context.Context, id uuid.UUID, keep HistoryLimits) error
	// TrimHistories does what TrimHistory does, for up to limit entries that exceed the limits.
	// It returns their ids, in an order that the storage chooses. after is uuid.Nil for the
	// first call, and then the last id of the previous one.
	TrimHistories(ctx context.Context, after uuid.UUID, keep HistoryLimits, limit int) ([]uuid.UUID, error)
}

// HistoryLimits bound the stored versions of an entry.
type HistoryLimits struct {
	Versions int   // including the current one
	Bytes    int64 // of the values and sources of former versions
}

// Former returns the maximum number of former versions, at least one.
func (l HistoryLimits) Former() int64 { return max(1, int64(l.Versions)-1) }
