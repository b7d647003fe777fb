package memory

import (
	"context"
	"time"
)

// checkQuota enforces the limits of keys and bytes for the new version e of an entry. old is
// the version that it replaces, or nil if the store has none.
//
// SECURITY: an entry counts for the agent that wrote it last, in its store and at its label.
// Whether a write is refused depends only on the agent's own writes, which it knows. Editing an
// entry moves it to the editor's count.
func (s *Service) checkQuota(ctx context.Context, tx EntryReader, e, old *Entry, now time.Time) error {
	var refused error
	// Excluding expired entries costs time for each expired entry of the label. It is needed
	// only if counting them would refuse the write.
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

// quotaRetry is a guess. Space is freed when entries are deleted or expire.
const quotaRetry = time.Minute
