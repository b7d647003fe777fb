package memory

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// HistoryReader reads the versions of entries.
type HistoryReader interface {
	// History returns versions of an entry, newest first. The current row is the newest
	// of them.
	History(ctx context.Context, query HistoryQuery) ([]Entry, error)
}

// HistoryQuery is a range of an entry's versions.
type HistoryQuery struct {
	Entry  uuid.UUID
	Before int       // a version; 0: all
	Until  time.Time // those written later are left out; the zero time: none
	Limit  int
}

// HistoryTrimmer erases former versions that exceed limits.
type HistoryTrimmer interface {
	// TrimHistory erases the oldest former versions of an entry until the others are
	// within the limits. The newest former version stays. Its cost does not depend on the
	// number or size of the versions that stay.
	TrimHistory(ctx context.Context, id uuid.UUID, keep HistoryLimits) error
	// TrimHistories does so for up to limit entries that exceed them, and returns their
	// ids: in an order of the storage's own, those after an entry, which is uuid.Nil for
	// the first call, and then the last of the ids.
	TrimHistories(ctx context.Context, after uuid.UUID, keep HistoryLimits, limit int) ([]uuid.UUID, error)
}

// HistoryLimits bound what is kept of an entry's versions.
type HistoryLimits struct {
	Versions int   // the current one included
	Bytes    int64 // of the values and sources of the former ones
}

// Former returns how many former versions may be kept, at least one.
func (l HistoryLimits) Former() int64 { return max(1, int64(l.Versions)-1) }
