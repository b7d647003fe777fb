package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/meter"
)

const (
	selectShownEntries = `SELECT j.value FROM json_each(?) j WHERE EXISTS
	(SELECT 1 FROM bought b WHERE b.store = ? AND b.buyer = ? AND b.entry = unhex(j.value))`
	selectShownDigests = `SELECT j.value FROM json_each(?) j WHERE EXISTS
	(SELECT 1 FROM bought b WHERE b.store = ? AND b.buyer = ? AND b.digest = unhex(j.value))`
)

// Shown implements meter.ChargeReader.
func (r *reader) Shown(ctx context.Context, store, buyer string, entries []uuid.UUID, digests [][]byte) (map[uuid.UUID]bool, map[string]bool, error) {
	shown, values := make(map[uuid.UUID]bool), make(map[string]bool)
	list := make([]string, len(digests))
	for i, digest := range digests {
		list[i] = hex.EncodeToString(digest)
	}
	texts, err := textList(list)
	if err != nil {
		return nil, nil, err
	}
	for _, q := range [...]struct {
		query, list string
		add         func(value []byte)
	}{
		{selectShownEntries, idList(entries), func(value []byte) { shown[uuid.UUID(value)] = true }},
		{selectShownDigests, texts, func(value []byte) { values[string(value)] = true }},
	} {
		if q.list == "[]" {
			continue
		}
		err := r.each(ctx, func(rows *sql.Rows) error {
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			value, err := hex.DecodeString(text)
			if err == nil {
				q.add(value)
			}
			return err
		}, q.query, q.list, store, buyer)
		if err != nil {
			return nil, nil, err
		}
	}
	return shown, values, nil
}

const (
	// An entry has a row for each of its values that was shown.
	countShown = `SELECT count(*) FROM entry e WHERE e.state = 0 AND e.store = (SELECT number FROM store WHERE id = ?1)
	AND e.id IN (SELECT entry FROM bought WHERE store = ?1 AND buyer = ?2)`
	countIndexed = `SELECT coalesce(sum(t.documents), 0) FROM store s CROSS JOIN total t ON t.store = s.number AND t.label <= ?2 WHERE s.id = ?1`
	countExpired = `SELECT count(*) FROM store s
	CROSS JOIN entry e INDEXED BY entry_expiring ON e.store = s.number AND e.label IN ` + labels + `
	WHERE s.id = ?1 AND e.label <= ?2 AND e.state = 0 AND e.expires_at <= ?3 AND e.in_context AND NOT e.encrypted`
)

// CountShown implements meter.ChargeReader.
func (r *reader) CountShown(ctx context.Context, store, buyer string) (n int64, err error) {
	_, err = r.one(ctx, []any{&n}, countShown, store, buyer)
	return n, err
}

// CountEntries implements meter.ChargeReader. The index counts its documents:
// those that expired are subtracted.
func (r *reader) CountEntries(ctx context.Context, store string, ceiling acl.Label, now time.Time) (int64, error) {
	var indexed, expired int64
	if _, err := r.one(ctx, []any{&indexed}, countIndexed, store, ceiling); err != nil {
		return 0, err
	}
	_, err := r.one(ctx, []any{&expired}, countExpired, store, ceiling, micros(now))
	return indexed - expired, err
}

// CountEntries implements meter.ChargeReader.
func (w *writer) CountEntries(ctx context.Context, store string, ceiling acl.Label, now time.Time) (int64, error) {
	if err := w.flush(ctx); err != nil {
		return 0, err
	}
	return w.reader.CountEntries(ctx, store, ceiling, now)
}

const insertBought = `INTO bought (store, buyer, entry, digest, charge) VALUES (?, ?, ?, ?, ?)`

func boughtValues(b *meter.Bought) []any {
	return []any{b.Store, b.Buyer, b.Entry[:], nonNil(b.Digest), optionalID(b.Charge)}
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
		if _, err := w.exec(ctx, "INSERT OR IGNORE "+insertBought, boughtValues(&bought[i])...); err != nil {
			return err
		}
	}
	return nil
}

// DeleteBought implements meter.ChargeWriter.
func (w *writer) DeleteBought(ctx context.Context, charge uuid.UUID) error {
	_, err := w.exec(ctx, "DELETE FROM bought WHERE charge = ?", charge[:])
	return err
}
