package memory

import (
	"context"
	"time"
)

// checkQuota enforces the limits of keys and bytes for the new version e of an
// entry. old is the version that it replaces, nil if there is none in the store.
//
// SECURITY: an entry counts for the agent that wrote it last, in its store and at
// its label. What an agent is refused depends on nothing but its own writes, which
// it knows. An edit takes an entry over into the editor's count.
func (s *Service) checkQuota(ctx context.Context, tx EntryReader, e, old *Entry, now time.Time) error {
	var refused error
	// Leaving out what has expired costs time for each such entry of the label, and is
	// needed only if the agent would be refused with them.
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

// exceeds returns a QuotaError if e does not fit beside the usage.
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

// quotaRetry is a guess. Room appears when entries are deleted or expire.
const quotaRetry = time.Minute
