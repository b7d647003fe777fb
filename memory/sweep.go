package memory

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// sweepEvery is the interval between sweeps of expired entries. They must be swept within 60 s.
const sweepEvery = 20 * time.Second

const (
	// trimFeedsEvery is the interval between removals of old records from the feeds of changes.
	// trimFeedBatch is the number removed in a transaction.
	trimFeedsEvery = time.Hour
	trimFeedBatch  = 2000
	// trimFactsBatch is the number of each kind of facts removed in a transaction: an
	// idempotency record may have a thousand ids.
	trimFactsBatch = 500
)

// Run sweeps expired entries and scrubs erased data until ctx ends. It logs and retries
// failures. At the start it erases former versions that exceed the limits: writes obey the
// limits, but these may have been lowered, or the database may be from an older mneme without
// limits.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	trimmed := false
	var lastTrim time.Time // of the feed
	var scrubs scrubbing
	for {
		if !trimmed {
			err := s.trimHistories(ctx)
			if trimmed = err == nil; err != nil && ctx.Err() == nil {
				s.log.ErrorContext(ctx, "a background task failed", "task", "trim", "error", err)
			}
		}
		if now := s.Instant(); due(lastTrim, trimFeedsEvery, now) {
			err := s.trimFeeds(ctx, now)
			if lastTrim = now; err != nil && ctx.Err() == nil {
				s.log.ErrorContext(ctx, "a background task failed", "task", "trim_feed", "error", err)
			}
		}
		if err := s.sweep(ctx, s.Instant()); err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "a background task failed", "task", "sweep", "error", err)
		}
		if !s.scrubUntil(ctx, tick.C, &scrubs) {
			return nil
		}
	}
}

// trimFeeds removes old records from the feeds of changes.
func (s *Service) trimFeeds(ctx context.Context, now time.Time) error {
	return s.trim(ctx, func(tx Tx) (more bool, err error) {
		return tx.TrimFeed(ctx, now.Add(-s.limits.Feed.Age), s.limits.Feed.Records, trimFeedBatch)
	})
}

// trim removes records, one batch per transaction, until batch reports that there are no more.
func (s *Service) trim(ctx context.Context, batch func(Tx) (more bool, err error)) error {
	for {
		more := false
		err := s.storage.Update(ctx, func(tx Tx) (err error) {
			more, err = batch(tx)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// trimHistories erases the versions that exceed the limits.
func (s *Service) trimHistories(ctx context.Context) error {
	var last uuid.UUID
	for {
		var ids []uuid.UUID
		err := s.storage.Update(ctx, func(tx Tx) (err error) {
			ids, err = tx.TrimHistories(ctx, last, s.limits.History, 20)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		last = ids[len(ids)-1]
	}
}

// sweep removes expired entries from every index, and deletes expired facts.
func (s *Service) sweep(ctx context.Context, now time.Time) error {
	for {
		swept := 0
		err := s.storage.Update(ctx, func(tx Tx) error {
			due, err := tx.Due(ctx, now, 200)
			if err != nil || len(due) == 0 {
				return err
			}
			swept, err = sweepDue(ctx, tx, due, now)
			return err
		})
		if err != nil {
			return err
		}
		if swept == 0 {
			break
		}
		s.indexer.Wake()
	}
	return s.trim(ctx, func(tx Tx) (more bool, err error) { return tx.TrimFacts(ctx, now, trimFactsBatch) })
}

// sweepDue sweeps the first of the entries due, as many as partCost allows in one transaction,
// and returns their number.
func sweepDue(ctx context.Context, tx Eraser, due []Expiry, now time.Time) (int, error) {
	due = due[:part(len(due), func(i int) int { return due[i].Size })]
	ids := make([]uuid.UUID, len(due))
	for i, e := range due {
		ids[i] = e.Entry
	}
	return len(due), tx.Sweep(ctx, ids, now)
}
