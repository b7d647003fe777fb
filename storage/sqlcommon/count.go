package sqlcommon

import (
	"context"
	"time"

	"mneme/meter"
)

func countKey(k *meter.CountKey) []any {
	return []any{k.Store, k.Buyer, k.Offer, string(k.Window), Start(k.Start)}
}

// Counts implements meter.CountReader.
func (m MeterReader) Counts(ctx context.Context, keys []meter.CountKey) ([]meter.Count, error) {
	counts := make([]meter.Count, len(keys))
	queries := make([]Query, len(keys))
	for i := range keys {
		queries[i] = Query{"count.of", countKey(&keys[i]), func(row Row) error {
			return row.Scan(&counts[i].Searches, &counts[i].Entries)
		}}
	}
	return counts, m.r.EachOf(ctx, queries...)
}

// AddCounts implements meter.CountWriter.
func (m MeterWriter) AddCounts(ctx context.Context, keys []meter.CountKey, add meter.Count) error {
	rows := make([][]any, len(keys))
	for i := range keys {
		rows[i] = append(countKey(&keys[i]), add.Searches, add.Entries)
	}
	_, err := m.w.ExecEach(ctx, "count.add", rows)
	return err
}

// DeleteCountsBefore implements meter.CountWriter.
func (m MeterWriter) DeleteCountsBefore(ctx context.Context, start time.Time) error {
	_, err := m.w.Exec(ctx, "count.delete_before", start)
	return err
}
