package sqlite

import (
	"context"
	"time"

	"mneme/indexer"
)

// enqueue inserts a queue row or resets an existing one, so that a worker with a lease on it
// does not remove it. chunks is the number of chunks to embed, the cost of the row.
func (w *writer) enqueue(ctx context.Context, row storedRow, revision int64, chunks int, at time.Time) error {
	_, err := w.exec(ctx, "queue.put", row.doc, revision, micros(at), row.Store, row.Label, chunks, chunks > indexer.LongChunks)
	return err
}

// Refused returns entries that the embedder refused, those that wait longest first.
func (s *Storage) Refused(ctx context.Context, limit int) (list []indexer.Refused, err error) {
	err = s.view(ctx, func(r *readTx) (err error) {
		list, err = r.Refused(ctx, limit)
		return err
	})
	return list, err
}
