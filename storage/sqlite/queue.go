package sqlite

import (
	"context"
	"time"

	"mneme/indexer"
)

const upsertQueue = `INSERT INTO queue (doc, revision, not_before, attempts, last_error, queued_at, store, label, chunks, long)
	VALUES (?, ?, 0, 0, NULL, ?, ?, ?, ?, ?)` + orReset

// orReset resets a row that is there.
const orReset = ` ON CONFLICT DO UPDATE SET revision = excluded.revision,
	not_before = 0, attempts = 0, last_error = NULL, queued_at = CASE WHEN min(chunks, excluded.chunks) > 0
	THEN min(queued_at, excluded.queued_at) ELSE excluded.queued_at END,
	store = excluded.store, label = excluded.label, chunks = excluded.chunks, long = excluded.long`

// enqueue inserts a queue row or resets an existing one, so that a worker that
// holds a lease on it does not remove it. chunks is its cost.
func (w *writer) enqueue(ctx context.Context, row storedRow, revision int64, chunks int, at time.Time) error {
	_, err := w.exec(ctx, upsertQueue, row.doc, revision, micros(at), row.Store, row.Label, chunks, chunks > indexer.LongChunks)
	return err
}

// Refused returns entries that their embedder does not take, those first that wait longest.
func (s *Storage) Refused(ctx context.Context, limit int) (list []indexer.Refused, err error) {
	err = s.view(ctx, func(r *reader) (err error) {
		list, err = r.Refused(ctx, limit)
		return err
	})
	return list, err
}
