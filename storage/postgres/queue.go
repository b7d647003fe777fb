package postgres

import (
	"context"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/indexer"
)

// Pending implements indexer.QueueReader.
func (r *reader) Pending(ctx context.Context, id uuid.UUID) (bool, error) {
	r.setRLSAll()
	return r.one(ctx, []any{new(int)}, "SELECT 1 FROM queue WHERE entry = $1", [16]byte(id))
}

// QueueDepth implements indexer.QueueReader.
func (r *reader) QueueDepth(ctx context.Context, now time.Time) (rows int64, waits indexer.Waits, err error) {
	r.setRLSAll()
	if _, err := r.one(ctx, []any{&rows}, "SELECT count(*) FROM queue"); err != nil || rows == 0 {
		return rows, waits, err
	}
	err = waits.Read(rows, func(offset int64) (time.Duration, error) {
		var queued time.Time
		_, err := r.one(ctx, []any{&queued}, "SELECT queued_at FROM queue ORDER BY queued_at LIMIT 1 OFFSET $1", offset)
		return now.Sub(queued), err
	})
	return rows, waits, err
}

const (
	selectOldestQueued = "SELECT queued_at FROM queue ORDER BY queued_at LIMIT 1"
	// The row decides whether an entry is live: it may have expired. LATERAL and
	// OFFSET 0 force the planner to one probe per store and label.
	selectLagging = scopeTable + `SELECT 1 FROM scope CROSS JOIN ` + labels + ` CROSS JOIN LATERAL (SELECT x.entry FROM queue x
		WHERE x.store = scope.store AND x.label = l.label AND x.chunks > 0 AND x.queued_at < $3 ORDER BY x.queued_at OFFSET 0) q
	JOIN entry e ON e.id = q.entry
	WHERE l.label <= scope.ceiling AND e.state = 0 AND (e.expires_at IS NULL OR e.expires_at > $4) LIMIT 1`
)

// Lagging implements memory.LagReader.
func (r *reader) Lagging(ctx context.Context, scope acl.Scope, before, now time.Time) (bool, error) {
	stores := scope.Indexed()
	if len(stores) == 0 {
		return false, nil
	}
	// The age of the oldest row of all only decides whether to look further.
	r.setRLSAll()
	var oldest time.Time
	if found, err := r.one(ctx, []any{&oldest}, selectOldestQueued); err != nil || !found || !oldest.Before(before) {
		return false, err
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	return r.one(ctx, []any{new(int)}, selectLagging, numbers, ceilings, before, now)
}

const orReset = ` ON CONFLICT (entry) DO UPDATE SET revision = excluded.revision,
	not_before = excluded.not_before, attempts = 0, last_error = NULL, queued_at = CASE WHEN least(q.chunks, excluded.chunks) > 0
	THEN least(q.queued_at, excluded.queued_at) ELSE excluded.queued_at END,
	store = excluded.store, label = excluded.label, chunks = excluded.chunks, long = excluded.long`

// enqueue inserts a queue row or resets an existing one, so that a worker that
// holds a lease on it does not remove it. chunks is its cost.
func (w *writer) enqueue(id uuid.UUID, row *storedRow, revision int64, chunks int, at time.Time) {
	w.setRLSAll()
	w.bulk.add(bulkQueue, [16]byte(id), revision, at, row.store, int16(row.label), chunks, chunks > indexer.LongChunks)
}

// Rows that another transaction has locked are skipped. Every statement names
// the condition of queue_turn's partial index.
const (
	// Rows whose backoff or lease has ended become due like others.
	returnRows = `UPDATE queue q SET not_before = '-infinity' FROM (SELECT entry FROM queue
		WHERE not_before > '-infinity' AND not_before <= $1 ORDER BY not_before LIMIT 256 FOR UPDATE SKIP LOCKED) due WHERE q.entry = due.entry`
	// A clock that was set back leaves rows that would be due far too late.
	returnDelayed = `UPDATE queue q SET not_before = '-infinity' FROM (SELECT entry FROM queue
		WHERE not_before > $1 ORDER BY not_before LIMIT 256 FOR UPDATE SKIP LOCKED) due WHERE q.entry = due.entry`
	// selectStores probes the index once a store.
	selectStores = `WITH RECURSIVE found (store) AS (
		(SELECT store FROM queue WHERE not_before = '-infinity' AND long = $1 AND store > $2 AND store <= $3 ORDER BY store LIMIT 1)
		UNION ALL
		SELECT (SELECT q.store FROM queue q WHERE q.not_before = '-infinity' AND q.long = $1 AND q.store > found.store AND q.store <= $3
			ORDER BY q.store LIMIT 1) FROM found WHERE found.store IS NOT NULL)
	SELECT store FROM found WHERE store IS NOT NULL LIMIT $4`
	selectTurn = `SELECT q.entry, q.revision, q.attempts, q.store, q.chunks FROM unnest($2::bigint[]) WITH ORDINALITY s (store, i)
	CROSS JOIN LATERAL (SELECT x.* FROM queue x WHERE x.not_before = '-infinity' AND x.long = $1 AND x.store = s.store
		ORDER BY x.chunks, x.queued_at, x.entry LIMIT $3 FOR UPDATE SKIP LOCKED) q
	ORDER BY s.i, q.chunks, q.queued_at, q.entry`
	selectFirst = `SELECT entry, revision, attempts, store, chunks FROM queue
	WHERE not_before = '-infinity' ORDER BY queued_at, entry LIMIT $1 FOR UPDATE SKIP LOCKED`
	leaseRows = `UPDATE queue SET not_before = greatest($2, $3::timestamptz + interval '1 microsecond') WHERE entry = ANY($1)`
)

// Lease implements indexer.QueueWriter.
func (w *writer) Lease(ctx context.Context, now, until time.Time, turn indexer.Turn) (leases []indexer.Lease, last int64, err error) {
	w.setRLSAll()
	w.queueStatement(returnRows, now)
	w.queueStatement(returnDelayed, now.Add(indexer.MaxDelay))
	take := func(leases []indexer.Lease) error {
		if len(leases) == 0 {
			return nil
		}
		ids := make([][16]byte, len(leases))
		for i, lease := range leases {
			ids[i] = lease.Entry
		}
		w.queueStatement(leaseRows, ids, until, now)
		return nil
	}
	if turn.Work == indexer.Oldest {
		rows, err := w.due(ctx, selectFirst, turn.Rows)
		if err != nil {
			return nil, 0, err
		}
		leases = turn.First(rows)
		return leases, turn.After, take(leases)
	}
	long := turn.Work == indexer.Long
	stores, err := w.dueStores(ctx, long, turn.After, turn.Rows)
	if err != nil {
		return nil, 0, err
	}
	return turn.Walk(stores, func(stores []int64, limit int) ([]indexer.Lease, error) {
		return w.due(ctx, selectTurn, long, stores, limit)
	}, take)
}

// due locks and reads rows that can be leased.
func (w *writer) due(ctx context.Context, query string, args ...any) (leases []indexer.Lease, err error) {
	err = w.each(ctx, func(rows pgx.Rows) error {
		var lease indexer.Lease
		err := rows.Scan((*[16]byte)(&lease.Entry), &lease.Revision, &lease.Attempts, &lease.Store, &lease.Chunks)
		leases = append(leases, lease)
		return err
	}, query, args...)
	return leases, err
}

// dueStores returns the numbers of stores that have rows to lease, at most
// limit: those after one, and then the others.
func (w *writer) dueStores(ctx context.Context, long bool, after int64, limit int) (stores []int64, err error) {
	scan := func(rows pgx.Rows) error {
		var store int64
		err := rows.Scan(&store)
		stores = append(stores, store)
		return err
	}
	err = w.queryBatch(ctx, []batchQuery{
		{selectStores, []any{long, after, int64(math.MaxInt64), limit}, scan},
		{selectStores, []any{long, int64(0), after, limit}, scan},
	})
	return stores[:min(limit, len(stores))], err
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
	w.setRLSAll()
	return w.exec(ctx, renewLeases, ids, revisions, until)
}

// Done implements indexer.QueueWriter.
func (w *writer) Done(ctx context.Context, lease indexer.Lease) error {
	w.setRLSAll()
	w.bulk.add(bulkDone, [16]byte(lease.Entry), lease.Revision)
	return w.ready(ctx)
}

// Retry implements indexer.QueueWriter.
func (w *writer) Retry(ctx context.Context, lease indexer.Lease, notBefore time.Time, reason string) error {
	w.setRLSAll()
	w.queueStatement("UPDATE queue SET not_before = $3, attempts = attempts + 1, last_error = $4 WHERE entry = $1 AND revision = $2",
		[16]byte(lease.Entry), lease.Revision, notBefore, reason)
	return w.ready(ctx)
}
