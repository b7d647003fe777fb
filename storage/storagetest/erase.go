package storagetest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/indexer"
	"mneme/memory"
)

// sweepFacts removes expired grants, memberships and idempotency records. trimChanges removes
// changes before a time.

func sweepFacts(ctx context.Context, tx memory.FactWriter, now time.Time) error {
	_, err := tx.TrimFacts(ctx, now, 1000)
	return err
}

func trimChanges(ctx context.Context, tx indexer.VectorWriter, before time.Time) error {
	_, err := tx.TrimChanges(ctx, before, time.Now(), 1000)
	return err
}

// expiringIn returns the entries of a list of expiries.
func expiringIn(list []memory.Expiry, err error) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	for _, e := range list {
		ids = append(ids, e.Entry)
	}
	return ids, err
}

// feedOf returns the feed that one query reads.
func feedOf(ctx context.Context, tx memory.FeedReader, query memory.FeedQuery) (memory.Feed, error) {
	feeds, err := tx.Feed(ctx, query)
	if err != nil {
		return memory.Feed{}, err
	}
	return feeds[0], nil
}
