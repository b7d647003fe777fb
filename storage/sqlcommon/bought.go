package sqlcommon

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/meter"
)

// Shown implements meter.SaleReader.
func (m MeterReader) Shown(ctx context.Context, store, buyer string, entries []uuid.UUID, digests [][]byte) (map[uuid.UUID]bool, map[string]bool, error) {
	shown, values := make(map[uuid.UUID]bool), make(map[string]bool)
	var queries []Query
	if len(entries) > 0 {
		queries = append(queries, Query{"bought.entries", []any{store, buyer, entries}, func(row Row) error {
			var id uuid.UUID
			err := row.Scan(&id)
			shown[id] = true
			return err
		}})
	}
	if len(digests) > 0 {
		queries = append(queries, Query{"bought.digests", []any{store, buyer, digests}, func(row Row) error {
			var digest []byte
			err := row.Scan(&digest)
			values[string(digest)] = true
			return err
		}})
	}
	return shown, values, m.r.EachOf(ctx, queries...)
}

// CountShown implements meter.SaleReader.
func (m MeterReader) CountShown(ctx context.Context, store, buyer string) (n int64, err error) {
	if err := m.r.InStore(ctx, store); err != nil {
		return 0, err
	}
	_, err = One(ctx, m.r, []any{&n}, "bought.count", store, buyer)
	return n, err
}

// CountInStore implements meter.SaleReader. The index counts entries until they are swept, so it
// subtracts those that have expired.
func (m MeterReader) CountInStore(ctx context.Context, store string, ceiling acl.Label, at time.Time) (int64, error) {
	if err := m.r.InStore(ctx, store); err != nil {
		return 0, err
	}
	var indexed, expired int64
	count := func(n *int64) func(Row) error { return func(row Row) error { return row.Scan(n) } }
	err := m.r.EachOf(ctx,
		Query{"bought.count_indexed", []any{store, ceiling}, count(&indexed)},
		Query{"bought.count_expired", []any{store, labelsTo(ceiling), at}, count(&expired)})
	return indexed - expired, err
}

func boughtValues(b *meter.Bought) []any {
	return []any{b.Store, b.Buyer, b.Entry, NotNull(b.Digest), OrNull(b.Charge)}
}

// AddBought implements meter.BoughtWriter.
func (m MeterWriter) AddBought(ctx context.Context, list []meter.Bought) error {
	rows := make([][]any, len(list))
	for i := range list {
		rows[i] = boughtValues(&list[i])
	}
	_, err := m.w.ExecEach(ctx, "bought.insert", rows)
	return err
}

// DeleteBought implements meter.BoughtWriter. If concurrent searches have each charged for an
// entry, its row names only the charge that was booked first. Instead of deleting such a row,
// DeleteBought assigns it to another charge that paid for the entry.
func (m MeterWriter) DeleteBought(ctx context.Context, charge uuid.UUID) error {
	var store, buyer string
	left := make(map[uuid.UUID]bool)
	err := m.w.Each(ctx, func(row Row) error {
		var entry uuid.UUID
		err := row.Scan(&store, &buyer, &entry)
		left[entry] = true
		return err
	}, "bought.with", charge)
	if err != nil || len(left) == 0 {
		return err
	}
	agent, label := meter.SplitHolder(buyer)
	var moves [][]any
	err = m.w.Each(ctx, func(row Row) error {
		var other uuid.UUID
		var paid, moved []uuid.UUID
		if err := row.Scan(&other, (*IDs)(&paid)); err != nil {
			return err
		}
		for _, entry := range paid {
			if left[entry] {
				delete(left, entry)
				moved = append(moved, entry)
			}
		}
		if len(moved) > 0 {
			moves = append(moves, []any{charge, other, moved})
		}
		return nil
	}, "charge.standing", agent, store, charge, label)
	if err != nil {
		return err
	}
	if len(moves) > 0 {
		if _, err := m.w.ExecEach(ctx, "bought.move", moves); err != nil {
			return err
		}
	}
	_, err = m.w.Exec(ctx, "bought.delete", charge)
	return err
}
