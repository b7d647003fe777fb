package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/indexer"
)

// enqueue inserts a queue row or resets an existing one, so that a worker with a lease on it
// does not remove it. chunks is the number of chunks to embed, the cost of the row.
func (w *writer) enqueue(id uuid.UUID, row *storedRow, revision int64, chunks int, at time.Time) {
	w.setRLSAll()
	w.bulk.add(bulkQueue, [16]byte(id), revision, at, row.Store, int16(row.Label), chunks, chunks > indexer.LongChunks)
}

// Finish implements indexer.QueueWriter. It removes completed rows in one statement.
func (w *writeTx) Finish(ctx context.Context, lease indexer.Lease, failure *indexer.Failure) error {
	if failure != nil {
		return w.Writes.Finish(ctx, lease, failure)
	}
	w.setRLSAll()
	w.bulk.add(bulkDone, [16]byte(lease.Entry), lease.Revision)
	return w.ready(ctx)
}

// Refused returns entries that the embedder refused, those that wait longest first.
func (s *Storage) Refused(ctx context.Context, limit int) (list []indexer.Refused, err error) {
	err = s.view(ctx, func(r *readTx) (err error) {
		list, err = r.Refused(ctx, limit)
		return err
	})
	return list, err
}
