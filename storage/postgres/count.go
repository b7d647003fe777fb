package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/meter"
)

const (
	selectCount = `SELECT searches, entries FROM metered_count WHERE store = $1 AND buyer = $2 AND offer = $3 AND span = $4 AND start = $5`
	insertCount = `INSERT INTO metered_count (store, buyer, offer, span, start, searches, entries) VALUES ($1, $2, $3, $4, $5, $6, $7)
	ON CONFLICT (store, buyer, offer, span, start) DO `
	orAddCount = `UPDATE SET searches = metered_count.searches + excluded.searches, entries = metered_count.entries + excluded.entries`
)

func countKey(k *meter.CountKey) []any {
	start := pgtype.Timestamptz{Time: k.Start, Valid: true}
	if k.Start.IsZero() {
		start = pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	}
	return []any{k.Store, k.Buyer, [16]byte(k.Offer), string(k.Window), start}
}

// Counts implements meter.CountReader.
func (r *reader) Counts(ctx context.Context, keys []meter.CountKey) ([]meter.Count, error) {
	counts := make([]meter.Count, len(keys))
	if len(keys) == 0 {
		return counts, nil
	}
	queries := make([]batchQuery, len(keys))
	for i := range keys {
		queries[i] = batchQuery{selectCount, countKey(&keys[i]), func(rows pgx.Rows) error {
			return rows.Scan(&counts[i].Searches, &counts[i].Entries)
		}}
	}
	return counts, r.queryBatch(ctx, queries)
}

// AddCounts implements meter.CountWriter.
func (w *writer) AddCounts(ctx context.Context, keys []meter.CountKey, add meter.Count) error {
	for i := range keys {
		w.queueStatement(insertCount+orAddCount, append(countKey(&keys[i]), add.Searches, add.Entries)...)
	}
	return w.flushBatch(ctx)
}

// SweepCounts implements meter.CountWriter.
func (w *writer) SweepCounts(ctx context.Context, before time.Time) error {
	return w.exec(ctx, "DELETE FROM metered_count WHERE start < $1 AND span <> 'total'", before)
}
