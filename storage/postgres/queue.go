package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/indexer"
)

// Pending implements indexer.QueueReader.
func (r *reader) Pending(ctx context.Context, id uuid.UUID) (bool, error) {
	return r.one(ctx, []any{new(int)}, "SELECT 1 FROM queue WHERE entry = $1", [16]byte(id))
}

// QueueDepth implements indexer.QueueReader.
func (r *reader) QueueDepth(ctx context.Context, now time.Time) (rows int64, oldest time.Duration, err error) {
	var first *time.Time
	_, err = r.one(ctx, []any{&rows, &first}, "SELECT (SELECT count(*) FROM queue), (SELECT min(queued_at) FROM queue)")
	if first != nil {
		oldest = max(0, now.Sub(*first))
	}
	return rows, oldest, err
}

const upsertQueue = `INSERT INTO queue (entry, revision, not_before, attempts, last_error, queued_at)
	VALUES ($1, $2, '-infinity', 0, NULL, $3) ON CONFLICT (entry) DO UPDATE SET revision = excluded.revision,
	not_before = excluded.not_before, attempts = 0, last_error = NULL, queued_at = excluded.queued_at`

// enqueue inserts a queue row or resets an existing one, so that a worker that
// holds a lease on it does not remove it.
func (w *writer) enqueue(id uuid.UUID, revision int64, at time.Time) {
	w.queueStatement(upsertQueue, [16]byte(id), revision, at)
}

// Fresh rows are due whatever the clocks say. Returned rows (retried, or with an
// expired lease) get a share of each batch; otherwise they would wait for the
// end of an import. Rows that another transaction has locked are skipped.
const (
	leaseBegin = `WITH due AS MATERIALIZED (SELECT entry, not_before AS since FROM queue WHERE `
	leaseEnd   = ` LIMIT $2 FOR UPDATE SKIP LOCKED)
	UPDATE queue q SET not_before = greatest($3, $1::timestamptz + interval '1 microsecond') FROM due WHERE q.entry = due.entry
	RETURNING q.entry, q.revision, q.attempts, q.queued_at`
	leaseReturned = leaseBegin + `not_before > '-infinity' AND not_before <= $1 ORDER BY not_before, queued_at, entry` + leaseEnd
	leaseFresh    = leaseBegin + `not_before = '-infinity' ORDER BY queued_at, entry` + leaseEnd
)

// Lease implements indexer.QueueWriter.
func (w *writer) Lease(ctx context.Context, now, until time.Time, limit int) ([]indexer.Lease, error) {
	var leases []indexer.Lease
	for _, share := range [...]struct {
		query string
		upTo  int
	}{
		{leaseReturned, (limit + 3) / 4},
		{leaseFresh, limit},
		{leaseReturned, limit},
	} {
		if len(leases) >= share.upTo {
			continue
		}
		taken, err := w.lease(ctx, share.query, now, until, share.upTo-len(leases))
		if err != nil {
			return nil, err
		}
		leases = append(leases, taken...)
	}
	return leases, nil
}

// lease leases up to limit rows of one share, oldest first.
func (w *writer) lease(ctx context.Context, query string, now, until time.Time, limit int) ([]indexer.Lease, error) {
	type row struct {
		indexer.Lease
		queued time.Time
	}
	var taken []row
	err := w.each(ctx, func(rows pgx.Rows) error {
		var one row
		err := rows.Scan((*[16]byte)(&one.Entry), &one.Revision, &one.Attempts, &one.queued)
		taken = append(taken, one)
		return err
	}, query, now, limit, until)
	slices.SortFunc(taken, func(a, b row) int {
		return cmp.Or(a.queued.Compare(b.queued), slices.Compare(a.Entry[:], b.Entry[:]))
	})
	leases := make([]indexer.Lease, len(taken))
	for i := range taken {
		leases[i] = taken[i].Lease
	}
	return leases, err
}

// Rows are locked in key order, so that two transactions that renew the same
// leases do not deadlock.
const renewLeases = `WITH mine AS MATERIALIZED (SELECT q.entry FROM unnest($1::uuid[], $2::bigint[]) l (entry, revision)
	JOIN queue q USING (entry, revision) ORDER BY q.entry FOR UPDATE OF q)
	UPDATE queue q SET not_before = $3 FROM mine WHERE q.entry = mine.entry`

// Renew implements indexer.QueueWriter.
func (w *writer) Renew(ctx context.Context, leases []indexer.Lease, until time.Time) error {
	ids, revisions := make([][16]byte, len(leases)), make([]int64, len(leases))
	for i, lease := range leases {
		ids[i], revisions[i] = lease.Entry, lease.Revision
	}
	return w.exec(ctx, renewLeases, ids, revisions, until)
}

// Done implements indexer.QueueWriter.
func (w *writer) Done(ctx context.Context, lease indexer.Lease) error {
	w.queueStatement("DELETE FROM queue WHERE entry = $1 AND revision = $2", [16]byte(lease.Entry), lease.Revision)
	return w.ready(ctx)
}

// Retry implements indexer.QueueWriter.
func (w *writer) Retry(ctx context.Context, lease indexer.Lease, notBefore time.Time, reason string) error {
	w.queueStatement("UPDATE queue SET not_before = $3, attempts = attempts + 1, last_error = $4 WHERE entry = $1 AND revision = $2",
		[16]byte(lease.Entry), lease.Revision, notBefore, reason)
	return w.ready(ctx)
}
