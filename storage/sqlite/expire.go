package sqlite

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/storage/sqlcommon"
)

// Sweep implements memory.Eraser. It increments the row's revision, so that vectors that a
// worker is computing for the old revision are rejected.
func (w *writer) Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error {
	for _, id := range ids {
		if err := w.sweep(ctx, id, now); err != nil {
			return err
		}
	}
	return nil
}

// sweep sweeps an entry if it has expired.
func (w *writer) sweep(ctx context.Context, id uuid.UUID, now time.Time) error {
	row, found, err := w.storedRow(ctx, id)
	if err != nil || !found || row.State == sqlcommon.Swept || row.expires.IsZero() || row.expires.After(now) {
		return err
	}
	if err := w.unindex(ctx, id, row); err != nil {
		return err
	}
	w.dropped = true
	w.announce(row.doc, sqlcommon.AnnounceEnd(&row.Stored, row.expires))
	if _, err := w.exec(ctx, "entry.sweep", row.doc); err != nil {
		return err
	}
	return w.enqueue(ctx, row, row.Revision+1, 0, now)
}

// unindex removes a row's postings, forms, tags, vectors and usage.
func (w *writer) unindex(ctx context.Context, id uuid.UUID, row storedRow) error {
	w.usage.AddRow(&row.Stored, -1)
	if err := w.untag(ctx, row); err != nil {
		return err
	}
	if err := w.index(ctx, row.doc, false, nil); err != nil {
		return err
	}
	if err := w.replaceForms(ctx, row, storedRow{Stored: sqlcommon.Stored{State: sqlcommon.Swept}, doc: row.doc}, nil); err != nil {
		return err
	}
	return w.dropVectors(ctx, id, row.doc)
}

// StillErasable implements sqlcommon.Purger. It returns all: no other transaction writes during
// this one.
func (w *writer) StillErasable(_ context.Context, ids []uuid.UUID, _ time.Time) ([]uuid.UUID, error) {
	return ids, nil
}

// Purge implements memory.Eraser.
func (w *writer) Purge(ctx context.Context, cutoff time.Time, limit int) ([]uuid.UUID, error) {
	return sqlcommon.Purge(ctx, w, &sqlDialect, cutoff, limit)
}

// PurgeEntry implements sqlcommon.Purger. It deletes one row and everything that refers to it,
// including the idempotency records that name it. SQLite overwrites erased text in the file
// (secure_delete) as far as it can; Scrub does the rest. Change records remain for a while
// (indexer.VectorWriter.TrimChanges): they hold an ID and no text, and notify followers that
// the entry's vectors were removed.
func (w *writer) PurgeEntry(ctx context.Context, id uuid.UUID) error {
	row, found, err := w.storedRow(ctx, id)
	if err != nil || !found {
		return err
	}
	if err := w.unindex(ctx, id, row); err != nil {
		return err
	}
	w.purged = true
	delete(w.past, id)
	w.announce(row.doc, sqlcommon.AnnounceEnd(&row.Stored, row.expires))
	for _, query := range [...]string{
		"history.purge",
		"history.purge_past",
		"entry.delete_author",
		"entry.delete_occurrence",
		"queue.purge",
		"feed.forget_paths",
		"entry.purge",
	} {
		if _, err := w.exec(ctx, query, row.doc); err != nil {
			return err
		}
	}
	_, err = w.exec(ctx, "replay.purge", id[:])
	return err
}
