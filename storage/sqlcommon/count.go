package sqlcommon

import (
	"context"
	"time"

	"mneme/meter"
)

var (
	counts       = NewTable("metered_count", "store, buyer, offer, span, start", "store, buyer, offer, span, start, searches, entries")
	selectCounts = counts.Select + "ORDER BY store, buyer, offer, span, start"
	insertCount  = counts.Insert
	addCount     = counts.Add
)

const (
	selectCount        = "SELECT searches, entries FROM metered_count WHERE store = $1 AND buyer = $2 AND offer = $3 AND span = $4 AND start = $5"
	deleteCountsBefore = "DELETE FROM metered_count WHERE start < $1 AND span <> 'total'"
)

func countKey(k *meter.CountKey) []any {
	return []any{k.Store, k.Buyer, k.Offer, string(k.Window), Start(k.Start)}
}

// Counts implements meter.CountReader.
func (m MeterReader) Counts(ctx context.Context, keys []meter.CountKey) ([]meter.Count, error) {
	counts := make([]meter.Count, len(keys))
	queries := make([]Query, len(keys))
	for i := range keys {
		queries[i] = Query{selectCount, countKey(&keys[i]), func(row Row) error {
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
	_, err := m.w.ExecEach(ctx, addCount, rows)
	return err
}

// DeleteCountsBefore implements meter.CountWriter.
func (m MeterWriter) DeleteCountsBefore(ctx context.Context, start time.Time) error {
	_, err := m.w.Exec(ctx, deleteCountsBefore, start)
	return err
}
