package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
)

// Pending implements indexer.QueueReader.
func (r *reader) Pending(ctx context.Context, id uuid.UUID) (bool, error) {
	return r.one(ctx, []any{new(int)}, "SELECT 1 FROM entry e CROSS JOIN queue q ON q.doc = e.doc WHERE e.id = ?", id[:])
}

const (
	countQueue = "SELECT count(*) FROM queue"
	selectAged = "SELECT queued_at FROM queue ORDER BY queued_at LIMIT 1 OFFSET ?"
)

// QueueDepth implements indexer.QueueReader.
func (r *reader) QueueDepth(ctx context.Context, now time.Time) (rows int64, waits indexer.Waits, err error) {
	if _, err := r.one(ctx, []any{&rows}, countQueue); err != nil || rows == 0 {
		return rows, waits, err
	}
	err = waits.Read(rows, func(offset int64) (time.Duration, error) {
		var queued int64
		_, err := r.one(ctx, []any{&queued}, selectAged, offset)
		return now.Sub(fromMicros(queued)), err
	})
	return rows, waits, err
}

const (
	selectOldestQueued = "SELECT min(queued_at) FROM queue"
	// The row decides whether an entry is live: it may have expired.
	selectLagging = scopeTable + `SELECT 1 FROM scope CROSS JOIN queue q INDEXED BY queue_wait
	ON q.store = scope.store AND q.label IN ` + labels + ` AND q.label <= scope.ceiling AND q.chunks > 0 AND q.queued_at < ?2
	CROSS JOIN entry e ON e.doc = q.doc AND e.state = 0 AND (e.expires_at IS NULL OR e.expires_at > ?3) LIMIT 1`
)

// Lagging implements memory.LagReader.
func (r *reader) Lagging(ctx context.Context, scope acl.Scope, before, now time.Time) (bool, error) {
	stores := scope.Indexed()
	if len(stores) == 0 {
		return false, nil
	}
	var oldest sql.NullInt64
	if _, err := r.one(ctx, []any{&oldest}, selectOldestQueued); err != nil || !oldest.Valid || oldest.Int64 >= micros(before) {
		return false, err
	}
	return r.one(ctx, []any{new(int)}, selectLagging, scopeList(stores), micros(before), micros(now))
}

const upsertQueue = `INSERT INTO queue (doc, revision, not_before, attempts, last_error, queued_at, store, label, chunks, long)
	VALUES (?, ?, 0, 0, NULL, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision,
	not_before = 0, attempts = 0, last_error = NULL, queued_at = CASE WHEN min(chunks, excluded.chunks) > 0
	THEN min(queued_at, excluded.queued_at) ELSE excluded.queued_at END,
	store = excluded.store, label = excluded.label, chunks = excluded.chunks, long = excluded.long`

// enqueue inserts a queue row or resets an existing one, so that a worker that
// holds a lease on it does not remove it. chunks is its cost.
func (w *writer) enqueue(ctx context.Context, row storedRow, revision int64, chunks int, at time.Time) error {
	_, err := w.exec(ctx, upsertQueue, row.doc, revision, micros(at), row.store, row.label, chunks, chunks > indexer.LongChunks)
	return err
}

const (
	// Rows whose backoff or lease has ended become due like others.
	returnRows = `UPDATE queue SET not_before = 0 WHERE doc IN (SELECT doc FROM queue INDEXED BY queue_due
	WHERE not_before > 0 AND not_before <= ? ORDER BY not_before LIMIT ` + returned + `)`
	// A clock that was set back leaves rows that would be due far too late.
	returnDelayed = `UPDATE queue SET not_before = 0 WHERE doc IN (SELECT doc FROM queue INDEXED BY queue_due
	WHERE not_before > ? ORDER BY not_before LIMIT ` + returned + `)`
	returned  = "256"
	nextStore = `SELECT store FROM queue INDEXED BY queue_turn WHERE not_before = 0 AND long = ? AND store > ? ORDER BY store LIMIT 1`

	leaseColumns = `SELECT e.id, q.revision, q.attempts, q.store, q.chunks FROM queue q `
	selectTurn   = leaseColumns + `INDEXED BY queue_turn CROSS JOIN entry e ON e.doc = q.doc
	WHERE q.not_before = 0 AND q.long = ? AND q.store = ? ORDER BY q.chunks, q.queued_at, q.doc LIMIT ?`
	selectFirst = leaseColumns + `INDEXED BY queue_due CROSS JOIN entry e ON e.doc = q.doc
	WHERE q.not_before = 0 ORDER BY q.queued_at, q.doc LIMIT ?`
	leaseRow = "UPDATE queue SET not_before = ? WHERE doc = (SELECT doc FROM entry WHERE id = ?)"
)

// Lease implements indexer.QueueWriter.
func (w *writer) Lease(ctx context.Context, now, until time.Time, turn indexer.Turn) (leases []indexer.Lease, last int64, err error) {
	if _, err := w.exec(ctx, returnRows, micros(now)); err != nil {
		return nil, 0, err
	}
	if _, err := w.exec(ctx, returnDelayed, micros(now.Add(indexer.MaxDelay))); err != nil {
		return nil, 0, err
	}
	take := func(leases []indexer.Lease) error {
		for _, lease := range leases {
			if _, err := w.exec(ctx, leaseRow, max(micros(until), micros(now)+1), lease.Entry[:]); err != nil {
				return err
			}
		}
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
	return turn.Walk(stores, func(stores []int64, limit int) (rows []indexer.Lease, err error) {
		for _, store := range stores {
			found, err := w.due(ctx, selectTurn, long, store, limit)
			if err != nil {
				return nil, err
			}
			rows = append(rows, found...)
		}
		return rows, nil
	}, take)
}

// due reads rows that can be leased.
func (w *writer) due(ctx context.Context, query string, args ...any) (leases []indexer.Lease, err error) {
	err = w.each(ctx, func(rows *sql.Rows) error {
		var lease indexer.Lease
		err := rows.Scan((*idColumn)(&lease.Entry), &lease.Revision, &lease.Attempts, &lease.Store, &lease.Chunks)
		leases = append(leases, lease)
		return err
	}, query, args...)
	return leases, err
}

// dueStores returns the numbers of stores that have rows to lease, at most
// limit: those after one, and then the others. It probes the index once a store.
func (w *writer) dueStores(ctx context.Context, long bool, after int64, limit int) (stores []int64, err error) {
	for from, wrapped := after, false; len(stores) < limit; {
		var store int64
		found, err := w.one(ctx, []any{&store}, nextStore, long, from)
		switch {
		case err != nil:
			return nil, err
		case !found && !wrapped && after > 0:
			from, wrapped = 0, true
		case !found || wrapped && store > after:
			return stores, nil
		default:
			stores, from = append(stores, store), store
		}
	}
	return stores, nil
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
