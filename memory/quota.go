package memory

import (
	"context"
	"time"
)

// checkQuota enforces the limits of keys and bytes for the new version e of an entry. old is
// the version that it replaces; nil for a new entry.
//
// SECURITY: an entry counts for the agent that was the last to write it, in its store and at
// its label. So whether a write is refused depends only on the agent's own writes, which it
// knows. An agent that edits an entry takes it over into its own count.
func (s *Service) checkQuota(ctx context.Context, tx EntryReader, e, old *Entry, now time.Time) error {
	var refused error
	// The first pass counts expired entries too, because excluding them costs time for each
	// one. The second pass, without them, is needed only if the first would refuse the write.
	for _, at := range [...]time.Time{{}, now} {
		usage, err := tx.Usage(ctx, e.Store, e.UpdatedBy, e.Label, at)
		if err != nil {
			return err
		}
		if refused = s.exceeds(usage, e, old); refused == nil {
			break
		}
	}
	return refused
}

// exceeds returns a QuotaError if e does not fit in addition to the usage.
func (s *Service) exceeds(usage Usage, e, old *Entry) error {
	counted := old != nil && old.UpdatedBy == e.UpdatedBy
	if !counted && usage.Entries >= s.limits.Keys {
		return &QuotaError{Limit: "keys", Max: s.limits.Keys, RetryAfter: quotaRetry}
	}
	before := 0
	if counted {
		before = old.bytes()
	}
	if usage.Bytes-int64(before)+int64(e.bytes()) > s.limits.Bytes && e.bytes() > before {
		return &QuotaError{Limit: "bytes", Max: s.limits.Bytes, RetryAfter: quotaRetry}
	}
	return nil
}

// quotaRetry is a guess: nobody knows when entries will be deleted or expire and so make room.
const quotaRetry = time.Minute
