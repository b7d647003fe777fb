package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// Sweep implements memory.Eraser. It increments the row's revision, so that vectors that a
// worker is computing for the old revision are rejected.
func (w *writer) Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error {
	if err := w.lockEntries(ctx, ids); err != nil {
		return err
	}
	w.prefetched.forgetAll()
	for _, id := range ids {
		row, _, err := w.anyRow(ctx, id, 0, memory.Entry{})
		if err != nil {
			return err
		}
		if row == nil || row.State == sqlcommon.Swept || row.expires.IsZero() || row.expires.After(now) {
			continue
		}
		// The row is written first: its lock serializes this with a worker that saves its
		// vectors.
		w.announce(id, sqlcommon.AnnounceEnd(&row.Stored, row.expires))
		w.setRLSAll()
		w.queueStatement("entry.sweep", [16]byte(id), row.Store)
		if err := w.unindex(ctx, id, row); err != nil {
			return err
		}
		w.enqueue(id, row, row.Revision+1, 0, now)
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
	return w.dropVectors(ctx, id, row.Store)
}

// StillErasable implements sqlcommon.Purger. Some entries may have been restored before
// the locks were acquired.
func (w *writer) StillErasable(ctx context.Context, ids []uuid.UUID, cutoff time.Time) ([]uuid.UUID, error) {
	w.prefetched.forgetAll()
	if err := w.lockEntries(ctx, ids); err != nil {
		return nil, err
	}
	ids, err := sqlcommon.EntryIDs(ctx, w, "expiry.still", ids, cutoff)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids, err
}

// Purge implements memory.Eraser.
func (w *writer) Purge(ctx context.Context, cutoff time.Time, limit int) ([]uuid.UUID, error) {
	return sqlcommon.Purge(ctx, w, &sqlDialect, cutoff, limit)
}

// PurgeEntry implements sqlcommon.Purger. It deletes one row and everything that refers to it,
// including the idempotency records that name it. Change records remain for a while
// (indexer.VectorWriter.TrimChanges): they hold an ID and no text, and notify followers that
// the entry's vectors were removed. Erased text may remain in the database's files and
// write-ahead log until the server reuses that space (VACUUM, checkpoints).
func (w *writer) PurgeEntry(ctx context.Context, id uuid.UUID) error {
	row, _, err := w.anyRow(ctx, id, 0, memory.Entry{})
	if err != nil || row == nil {
		return err
	}
	// The row is deleted first: its lock serializes this with a worker that saves its vectors.
	w.queueStatement("entry.purge", [16]byte(id), row.Store)
	if err := w.unindex(ctx, id, row); err != nil {
		return err
	}
	w.queueStatement("history.purge", [16]byte(id))
	w.queueStatement("history.purge_past", [16]byte(id), row.Store)
	w.announce(id, sqlcommon.AnnounceEnd(&row.Stored, row.expires))
	w.queueStatement("feed.forget_paths", [16]byte(id))
	w.queueStatement("queue.purge", [16]byte(id))
	w.queueStatement("replay.purge", [16]byte(id))
	return nil
}
