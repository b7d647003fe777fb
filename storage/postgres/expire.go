package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/memory"
)

// Expired implements memory.Sweeper.
func (w *writer) Expired(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error) {
	w.setRLSAll()
	return w.ids(ctx, `SELECT id FROM entry WHERE state < 2 AND expires_at <= $1 ORDER BY expires_at LIMIT $2`, now, limit)
}

const sweepEntry = "UPDATE entry SET state = 2, revision = revision + 1, length = NULL, terms = NULL WHERE id = $1"

// Sweep implements memory.Sweeper. It increments the row's revision, so
// that vectors a worker is computing for the old one are rejected.
func (w *writer) Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error {
	if err := w.lockEntries(ctx, ids); err != nil {
		return err
	}
	w.prefetched.forgetAll()
	for _, id := range ids {
		row, _, err := w.storedRow(ctx, id, 0, memory.Entry{})
		if err != nil {
			return err
		}
		if row == nil || row.state == sqlcommon.Swept || row.expires.IsZero() || row.expires.After(now) {
			continue
		}
		// The row goes first: its lock serializes this with a worker that saves
		// its vectors.
		w.announceEnd(id, row, row.expires)
		w.setRLSAll()
		w.queueStatement(sweepEntry, [16]byte(id))
		if err := w.unindex(ctx, id, row); err != nil {
			return err
		}
		w.enqueue(id, row, row.revision+1, 0, now)
	}
	return nil
}

// unindex removes a row's postings, forms, tags, vectors and usage.
func (w *writer) unindex(ctx context.Context, id uuid.UUID, row *storedRow) error {
	delete(w.locked, id)
	w.removeTagsAndUsage(id, row)
	w.replaceForms(id, row, nil, nil)
	if _, err := w.postings.Replace(row.document, nil); err != nil {
		return err
	}
	return w.dropVectors(ctx, id)
}

// selectErasable are queries for deleted, sqlcommon.Swept and expired entries.
var selectErasable = [...]string{
	`SELECT id FROM entry WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2`,
	`SELECT id FROM entry WHERE state = 2 AND expires_at < $1 ORDER BY expires_at LIMIT $2`,
	`SELECT id FROM entry WHERE state < 2 AND expires_at < $1 ORDER BY expires_at LIMIT $2`,
}

const selectStillErasable = `SELECT id FROM entry WHERE id = ANY($1) AND (deleted_at < $2 OR expires_at < $2)`

// Purge implements memory.Purger. Change records remain until
// TrimChanges: they hold an ID and no text, and notify followers that the
// entry's vectors were removed. Erased text may remain in the database's files
// and write-ahead log until the server reuses that space (VACUUM, checkpoints).
func (w *writer) Purge(ctx context.Context, cutoff time.Time, limit int) ([]uuid.UUID, error) {
	var purged []uuid.UUID
	w.prefetched.forgetAll()
	w.setRLSAll()
	for _, query := range selectErasable {
		if len(purged) >= limit {
			break
		}
		ids, err := w.ids(ctx, query, cutoff, limit-len(purged))
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			continue
		}
		if err := w.lockEntries(ctx, ids); err != nil {
			return nil, err
		}
		// Some may have been restored before the locks were acquired.
		if ids, err = w.ids(ctx, selectStillErasable, idList(ids), cutoff); err != nil {
			return nil, err
		}
		slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		for _, id := range ids {
			if err := w.erase(ctx, id); err != nil {
				return nil, err
			}
		}
		if err := w.flushBatch(ctx); err != nil {
			return nil, err
		}
		purged = append(purged, ids...)
	}
	return purged, nil
}

const countErasable = `SELECT count(*) FROM entry WHERE deleted_at < $1 OR expires_at < $1`

// CountErasable implements memory.PurgeCounter.
func (w *writer) CountErasable(ctx context.Context, cutoff time.Time) (n int64, err error) {
	w.setRLSAll()
	err = w.each(ctx, func(rows pgx.Rows) error { return rows.Scan(&n) }, countErasable, cutoff)
	return n, err
}

// erase deletes one row and everything that refers to it, including the
// idempotency records that name it.
func (w *writer) erase(ctx context.Context, id uuid.UUID) error {
	row, _, err := w.storedRow(ctx, id, 0, memory.Entry{})
	if err != nil || row == nil {
		return err
	}
	// The row goes first: its lock serializes this with a worker that saves its
	// vectors.
	w.queueStatement("DELETE FROM entry WHERE id = $1", [16]byte(id))
	if err := w.unindex(ctx, id, row); err != nil {
		return err
	}
	w.queueStatement("DELETE FROM history WHERE id = $1", [16]byte(id))
	w.queueStatement("DELETE FROM past WHERE entry = $1", [16]byte(id))
	w.announceEnd(id, row, row.expires)
	w.queueStatement(forgetPath, [16]byte(id))
	w.queueStatement("DELETE FROM queue WHERE entry = $1", [16]byte(id))
	w.queueStatement("DELETE FROM replay WHERE ids @> ARRAY[$1::uuid]", [16]byte(id))
	return nil
}

// sweepGrants updates the counts of several stores in the order of their names, so
// that two sweeps do not wait for each other.
const sweepGrants = `WITH swept AS (DELETE FROM permit WHERE expires_at <= $1 RETURNING store)
	INSERT INTO permit_count (store, grants) SELECT store, -count(*) FROM swept GROUP BY store ORDER BY store
	ON CONFLICT (store) DO UPDATE SET grants = permit_count.grants + excluded.grants`

// SweepFacts implements memory.Sweeper.
func (w *writer) SweepFacts(ctx context.Context, now time.Time) error {
	w.queueStatement(sweepGrants, now)
	for _, query := range [...]string{
		"DELETE FROM participant WHERE expires_at <= $1",
		"DELETE FROM session WHERE expires_at <= $1",
		"DELETE FROM replay WHERE expires_at <= $1",
	} {
		w.queueStatement(query, now)
	}
	return w.flushBatch(ctx)
}
