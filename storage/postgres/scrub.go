package postgres

import (
	"context"
	"time"

	"mneme/memory"
)

// Unscrubbed implements memory.Scrubber. Vacuum removes erased data from PostgreSQL's files,
// and recycling removes it from its log: docs/security.md.
func (*Storage) Unscrubbed(context.Context) (memory.Unscrubbed, error) {
	return memory.Unscrubbed{}, nil
}

// Scrub implements memory.Scrubber. It does nothing, and returns the zero time: when the server
// removes erased data is unknown.
func (*Storage) Scrub(context.Context, func() time.Time) (time.Time, error) { return time.Time{}, nil }
