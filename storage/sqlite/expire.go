package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

// ids runs a query that returns IDs.
func (r *reader) ids(ctx context.Context, query string, args ...any) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.each(ctx, func(rows *sql.Rows) error {
		var id uuid.UUID
		err := rows.Scan((*idColumn)(&id))
		ids = append(ids, id)
		return err
	}, query, args...)
	return ids, err
}

const selectDue = `SELECT id FROM entry INDEXED BY entry_due WHERE state < 2 AND expires_at <= ? ORDER BY expires_at LIMIT ?`

// Expired implements memory.Sweeper.
func (w *writer) Expired(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error) {
	return w.ids(ctx, selectDue, micros(now), limit)
}

const sweepEntry = "UPDATE entry SET state = 2, revision = revision + 1 WHERE doc = ?"

// Sweep implements memory.Sweeper. It increments the row's revision, so
// that vectors a worker is computing for the old one are rejected.
func (w *writer) Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error {
	for _, id := range ids {
		row, found, err := w.storedRow(ctx, id)
		if err != nil {
			return err
		}
		if !found || row.state == swept || !row.expires.Valid || row.expires.Int64 > micros(now) {
			continue
		}
		if err := w.unindex(ctx, id, row); err != nil {
			return err
		}
		w.dropped = true
		w.announceEnd(row, fromNullMicros(row.expires))
		if _, err := w.exec(ctx, sweepEntry, row.doc); err != nil {
			return err
		}
		if err := w.enqueue(ctx, row, row.revision+1, 0, now); err != nil {
			return err
		}
	}
	return nil
}

// unindex removes a row's postings, forms, tags, vectors and usage.
func (w *writer) unindex(ctx context.Context, id uuid.UUID, row storedRow) error {
	w.addUsage(row, -1)
	if err := w.untag(ctx, row); err != nil {
		return err
	}
	if err := w.index(ctx, row.doc, false, nil); err != nil {
		return err
	}
	if err := w.replaceForms(ctx, row, storedRow{doc: row.doc, state: swept}, nil); err != nil {
		return err
	}
	return w.dropVectors(ctx, id, row.doc)
}

// selectErasable are queries for deleted, swept and expired entries.
var selectErasable = [...]string{
	`SELECT id FROM entry INDEXED BY entry_deleted WHERE deleted_at IS NOT NULL AND deleted_at < ? ORDER BY deleted_at LIMIT ?`,
	`SELECT id FROM entry INDEXED BY entry_swept WHERE state = 2 AND expires_at < ? ORDER BY expires_at LIMIT ?`,
	`SELECT id FROM entry INDEXED BY entry_due WHERE state < 2 AND expires_at < ? ORDER BY expires_at LIMIT ?`,
}

// Purge implements memory.Purger. Erased text is overwritten in the file
// (secure_delete) as far as SQLite does that; Scrub does the rest. Change records remain until TrimChanges: they hold an ID and no text, and
// notify followers that the entry's vectors were removed.
func (w *writer) Purge(ctx context.Context, cutoff time.Time, limit int) ([]uuid.UUID, error) {
	var purged []uuid.UUID
	for _, query := range selectErasable {
		if len(purged) >= limit {
			break
		}
		ids, err := w.ids(ctx, query, micros(cutoff), limit-len(purged))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if err := w.erase(ctx, id); err != nil {
				return nil, err
			}
		}
		purged = append(purged, ids...)
	}
	w.purged = w.purged || len(purged) > 0
	return purged, nil
}

// countErasable counts an entry once that is both deleted and expired.
const countErasable = `SELECT
	(SELECT count(*) FROM entry INDEXED BY entry_deleted WHERE deleted_at IS NOT NULL AND deleted_at < ?1) +
	(SELECT count(*) FROM entry INDEXED BY entry_swept
		WHERE state = 2 AND expires_at < ?1 AND (deleted_at IS NULL OR deleted_at >= ?1)) +
	(SELECT count(*) FROM entry INDEXED BY entry_due
		WHERE state < 2 AND expires_at < ?1 AND (deleted_at IS NULL OR deleted_at >= ?1))`

// CountErasable implements memory.PurgeCounter.
func (w *writer) CountErasable(ctx context.Context, cutoff time.Time) (n int64, err error) {
	err = w.each(ctx, func(rows *sql.Rows) error { return rows.Scan(&n) }, countErasable, micros(cutoff))
	return n, err
}

// erase deletes one row and everything that refers to it, including the
// idempotency records that name it.
func (w *writer) erase(ctx context.Context, id uuid.UUID) error {
	row, found, err := w.storedRow(ctx, id)
	if err != nil || !found {
		return err
	}
	if err := w.unindex(ctx, id, row); err != nil {
		return err
	}
	delete(w.past, id)
	w.announceEnd(row, fromNullMicros(row.expires))
	for _, query := range [...]string{
		"DELETE FROM history WHERE doc = ?",
		"DELETE FROM past WHERE doc = ?",
		"DELETE FROM author WHERE doc = ?",
		"DELETE FROM occurrence WHERE doc = ?",
		"DELETE FROM queue WHERE doc = ?",
		forgetPath,
		"DELETE FROM entry WHERE doc = ?",
	} {
		if _, err := w.exec(ctx, query, row.doc); err != nil {
			return err
		}
	}
	// Rows of replay_entry are deleted by their foreign key.
	_, err = w.exec(ctx, "DELETE FROM replay WHERE number IN (SELECT replay FROM replay_entry WHERE entry = ?)", id[:])
	return err
}

// SweepFacts implements memory.Sweeper.
func (w *writer) SweepFacts(ctx context.Context, now time.Time) error {
	if err := w.sweepGrants(ctx, now); err != nil {
		return err
	}
	for _, query := range [...]string{
		"DELETE FROM participant WHERE expires_at <= ?",
		"DELETE FROM session WHERE expires_at <= ?",
		"DELETE FROM replay WHERE expires_at <= ?",
	} {
		result, err := w.exec(ctx, query, micros(now))
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			w.dropped = true
		}
	}
	return nil
}

var _ memory.EntryWriter = (*writer)(nil)
