package sqlite

import (
	"context"
	"time"

	"mneme/meter"
)

const (
	selectCount = `SELECT searches, entries FROM metered_count WHERE store = ? AND buyer = ? AND offer = ? AND span = ? AND start = ?`
	insertCount = `INSERT INTO metered_count (store, buyer, offer, span, start, searches, entries) VALUES (?, ?, ?, ?, ?, ?, ?)`
	addCount    = insertCount + ` ON CONFLICT DO UPDATE SET searches = searches + excluded.searches, entries = entries + excluded.entries`
)

func countKey(k *meter.CountKey) []any {
	start := int64(0)
	if !k.Start.IsZero() {
		start = micros(k.Start)
	}
	return []any{k.Store, k.Buyer, k.Offer[:], k.Window, start}
}

// Counts implements meter.CountReader.
func (r *reader) Counts(ctx context.Context, keys []meter.CountKey) ([]meter.Count, error) {
	counts := make([]meter.Count, len(keys))
	for i := range keys {
		if _, err := r.one(ctx, []any{&counts[i].Searches, &counts[i].Entries}, selectCount, countKey(&keys[i])...); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// AddCounts implements meter.CountWriter.
func (w *writer) AddCounts(ctx context.Context, keys []meter.CountKey, add meter.Count) error {
	for i := range keys {
		if _, err := w.exec(ctx, addCount, append(countKey(&keys[i]), add.Searches, add.Entries)...); err != nil {
			return err
		}
	}
	return nil
}

// SweepCounts implements meter.CountWriter.
func (w *writer) SweepCounts(ctx context.Context, before time.Time) error {
	_, err := w.exec(ctx, "DELETE FROM metered_count WHERE start < ? AND span <> 'total'", micros(before))
	return err
}
