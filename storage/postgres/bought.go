package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/meter"
)

const (
	selectShownEntries = `SELECT DISTINCT entry FROM bought WHERE store = $1 AND buyer = $2 AND entry = ANY($3)`
	selectShownDigests = `SELECT DISTINCT digest FROM bought WHERE store = $1 AND buyer = $2 AND digest = ANY($3)`
)

// Shown implements meter.ChargeReader.
func (r *reader) Shown(ctx context.Context, store, buyer string, entries []uuid.UUID, digests [][]byte) (map[uuid.UUID]bool, map[string]bool, error) {
	shown, values := make(map[uuid.UUID]bool), make(map[string]bool)
	if !storable(store, buyer) || len(entries) == 0 && len(digests) == 0 {
		return shown, values, nil
	}
	if digests == nil {
		digests = [][]byte{}
	}
	err := r.queryBatch(ctx, []batchQuery{
		{selectShownEntries, []any{store, buyer, idList(entries)}, func(rows pgx.Rows) error {
			var id [16]byte
			err := rows.Scan(&id)
			shown[id] = true
			return err
		}},
		{selectShownDigests, []any{store, buyer, digests}, func(rows pgx.Rows) error {
			var digest []byte
			err := rows.Scan(&digest)
			values[string(digest)] = true
			return err
		}},
	})
	return shown, values, err
}

const (
	// An entry has a row for each of its values that was shown.
	countShown = `SELECT count(*) FROM entry e WHERE e.state = 0 AND e.store = (SELECT number FROM store WHERE id = $1)
	AND e.id IN (SELECT entry FROM bought WHERE store = $1 AND buyer = $2)`
	countIndexed = `SELECT coalesce(sum(t.documents), 0)::bigint FROM store s JOIN total t ON t.store = s.number AND t.label <= $2 WHERE s.id = $1`
	countExpired = `SELECT count(*) FROM store s CROSS JOIN ` + labels + ` JOIN entry e ON e.store = s.number AND e.label = l.label
	WHERE s.id = $1 AND l.label <= $2 AND e.state = 0 AND e.expires_at <= $3 AND e.in_context AND NOT e.encrypted`
)

// CountShown implements meter.ChargeReader.
func (r *reader) CountShown(ctx context.Context, store, buyer string) (n int64, err error) {
	if !storable(store, buyer) {
		return 0, nil
	}
	r.setRLSStore(store)
	_, err = r.one(ctx, []any{&n}, countShown, store, buyer)
	return n, err
}

// CountShown implements meter.ChargeReader.
func (w *writer) CountShown(ctx context.Context, store, buyer string) (int64, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return 0, err
	}
	return w.reader.CountShown(ctx, store, buyer)
}

// CountEntries implements meter.ChargeReader. The index counts its documents:
// those that expired are subtracted.
func (r *reader) CountEntries(ctx context.Context, store string, ceiling acl.Label, now time.Time) (int64, error) {
	if !storable(store) {
		return 0, nil
	}
	r.setRLSStore(store)
	var indexed, expired int64
	count := func(n *int64) func(pgx.Rows) error { return func(rows pgx.Rows) error { return rows.Scan(n) } }
	err := r.queryBatch(ctx, []batchQuery{
		{countIndexed, []any{store, int16(ceiling)}, count(&indexed)},
		{countExpired, []any{store, int16(ceiling), now}, count(&expired)},
	})
	return indexed - expired, err
}

// CountEntries implements meter.ChargeReader.
func (w *writer) CountEntries(ctx context.Context, store string, ceiling acl.Label, now time.Time) (int64, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return 0, err
	}
	if err := w.flushIndex(ctx); err != nil {
		return 0, err
	}
	return w.reader.CountEntries(ctx, store, ceiling, now)
}

const insertBought = `INSERT INTO bought (store, buyer, entry, digest, charge) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`

func boughtValues(b *meter.Bought) []any {
	return []any{b.Store, b.Buyer, [16]byte(b.Entry), nonNil(b.Digest), optionalID(b.Charge)}
}

// nonNil returns the parameter for a column that is not null.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// PutBought implements meter.ChargeWriter.
func (w *writer) PutBought(ctx context.Context, bought []meter.Bought) error {
	for i := range bought {
		w.queueStatement(insertBought, boughtValues(&bought[i])...)
	}
	return w.flushBatch(ctx)
}

// DeleteBought implements meter.ChargeWriter.
func (w *writer) DeleteBought(ctx context.Context, charge uuid.UUID) error {
	return w.exec(ctx, "DELETE FROM bought WHERE charge = $1", [16]byte(charge))
}
