package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"mneme/indexer"
)

// Pending implements indexer.QueueReader.
func (r *reader) Pending(ctx context.Context, id uuid.UUID) (bool, error) {
	return r.one(ctx, []any{new(int)}, "SELECT 1 FROM entry e CROSS JOIN queue q ON q.doc = e.doc WHERE e.id = ?", id[:])
}

// QueueDepth implements indexer.QueueReader.
func (r *reader) QueueDepth(ctx context.Context, now time.Time) (rows int64, oldest time.Duration, err error) {
	var first sql.NullInt64
	_, err = r.one(ctx, []any{&rows, &first}, "SELECT (SELECT count(*) FROM queue), (SELECT min(queued_at) FROM queue)")
	if first.Valid {
		oldest = max(0, now.Sub(fromMicros(first.Int64)))
	}
	return rows, oldest, err
}

const upsertQueue = `INSERT INTO queue (doc, revision, not_before, attempts, last_error, queued_at)
	VALUES (?, ?, 0, 0, NULL, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision,
	not_before = 0, attempts = 0, last_error = NULL, queued_at = excluded.queued_at`

// enqueue inserts a queue row or resets an existing one, so that a worker that
// holds a lease on it does not remove it.
func (w *writer) enqueue(ctx context.Context, doc, revision int64, at time.Time) error {
	_, err := w.exec(ctx, upsertQueue, doc, revision, micros(at))
	return err
}

// Fresh rows are due whatever the clocks say. Returned rows (retried, or with an
// expired lease) get a share of each batch; otherwise they would wait for the
// end of an import.
const (
	selectReturned = `SELECT e.id, q.doc, q.revision, q.attempts FROM queue q INDEXED BY queue_due CROSS JOIN entry e ON e.doc = q.doc
	WHERE q.not_before > 0 AND q.not_before <= ?1 ORDER BY q.not_before, q.queued_at LIMIT ?2`
	selectFresh = `SELECT e.id, q.doc, q.revision, q.attempts FROM queue q INDEXED BY queue_due CROSS JOIN entry e ON e.doc = q.doc
	WHERE q.not_before = 0 AND ?1 IS NOT NULL ORDER BY q.queued_at, q.doc LIMIT ?2`
	leaseRow = "UPDATE queue SET not_before = ? WHERE doc = ?"
)

// Lease implements indexer.QueueWriter.
func (w *writer) Lease(ctx context.Context, now, until time.Time, limit int) ([]indexer.Lease, error) {
	var leases []indexer.Lease
	for _, share := range [...]struct {
		query string
		upTo  int
	}{
		{selectReturned, (limit + 3) / 4},
		{selectFresh, limit},
		{selectReturned, limit},
	} {
		var docs []int64
		err := w.each(ctx, func(rows *sql.Rows) error {
			var lease indexer.Lease
			var doc int64
			err := rows.Scan((*idColumn)(&lease.Entry), &doc, &lease.Revision, &lease.Attempts)
			leases, docs = append(leases, lease), append(docs, doc)
			return err
		}, share.query, micros(now), max(0, share.upTo-len(leases)))
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			if _, err := w.exec(ctx, leaseRow, max(micros(until), micros(now)+1), doc); err != nil {
				return nil, err
			}
		}
	}
	return leases, nil
}

const whereLeased = " WHERE doc = (SELECT doc FROM entry WHERE id = ?) AND revision = ?"

// Renew implements indexer.QueueWriter.
func (w *writer) Renew(ctx context.Context, leases []indexer.Lease, until time.Time) error {
	for _, lease := range leases {
		_, err := w.exec(ctx, "UPDATE queue SET not_before = max(1, ?)"+whereLeased, micros(until), lease.Entry[:], lease.Revision)
		if err != nil {
			return err
		}
	}
	return nil
}

// Done implements indexer.QueueWriter.
func (w *writer) Done(ctx context.Context, lease indexer.Lease) error {
	_, err := w.exec(ctx, "DELETE FROM queue"+whereLeased, lease.Entry[:], lease.Revision)
	return err
}

// Retry implements indexer.QueueWriter.
func (w *writer) Retry(ctx context.Context, lease indexer.Lease, notBefore time.Time, reason string) error {
	_, err := w.exec(ctx, "UPDATE queue SET not_before = max(1, ?), attempts = attempts + 1, last_error = ?"+whereLeased,
		micros(notBefore), reason, lease.Entry[:], lease.Revision)
	return err
}
