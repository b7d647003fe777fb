package storagetest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

// sweep, trimHistory, sweepFacts and trimChanges are what a transaction erases and trims.

func sweep(ctx context.Context, tx memory.Eraser, ids []uuid.UUID, now time.Time) error {
	_, err := tx.Erase(ctx, memory.Expired{Entries: ids, Now: now})
	return err
}

func trimHistory(ctx context.Context, tx memory.Eraser, id uuid.UUID, keep memory.HistoryLimits) error {
	_, err := tx.Erase(ctx, memory.FormerVersions{Keep: keep, Entry: id})
	return err
}

func sweepFacts(ctx context.Context, tx memory.Trimmer, now time.Time) error {
	_, err := tx.Trim(ctx, memory.ExpiredFacts{Now: now, Limit: 1000})
	return err
}

func trimChanges(ctx context.Context, tx memory.Trimmer, before time.Time) error {
	_, err := tx.Trim(ctx, memory.OldChanges{Before: before, Now: time.Now(), Limit: 1000})
	return err
}

// expired returns the entries that a query lists.
func expired(ctx context.Context, tx memory.ExpiryReader, query memory.ExpiryQuery) ([]uuid.UUID, error) {
	list, err := tx.Expiring(ctx, query)
	var ids []uuid.UUID
	for _, e := range list {
		ids = append(ids, e.Entry)
	}
	return ids, err
}

// feedOf returns the feed of one query.
func feedOf(ctx context.Context, tx memory.FeedReader, query memory.FeedQuery) (memory.Feed, error) {
	feeds, err := tx.Feed(ctx, query)
	if err != nil {
		return memory.Feed{}, err
	}
	return feeds[0], nil
}
