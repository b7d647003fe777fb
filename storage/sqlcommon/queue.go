package sqlcommon

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
)

// QueueDepth implements indexer.QueueReader.
func (r Reads) QueueDepth(ctx context.Context, now time.Time) (rows int64, waits indexer.Waits, err error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return 0, waits, err
	}
	if _, err := One(ctx, r.r, []any{&rows}, "queue.count"); err != nil || rows == 0 {
		return rows, waits, err
	}
	err = waits.Read(rows, func(offset int64) (time.Duration, error) {
		var queued time.Time
		_, err := One(ctx, r.r, []any{&queued}, "queue.aged", offset)
		return now.Sub(queued), err
	})
	return rows, waits, err
}

// Refused returns entries that the embedder refused, those that wait longest first.
func (r Reads) Refused(ctx context.Context, limit int) ([]indexer.Refused, error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return nil, err
	}
	return List(ctx, r.r, func(row Row) (e indexer.Refused, err error) {
		err = row.Scan(&e.Store, &e.Namespace, &e.Key, &e.Reason)
		return e, err
	}, "queue.refused", indexer.RefusedReason+"%", limit)
}

// Waiting implements indexer.QueueReader.
func (r Reads) Waiting(ctx context.Context, entry uuid.UUID) (bool, error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return false, err
	}
	return One(ctx, r.r, []any{new(int64)}, "queue.waits", entry)
}

// WaitingIn implements memory.QueueReader. It first reads the oldest row of all stores: if that
// was not queued before the given time, no row of the scope was.
func (r Reads) WaitingIn(ctx context.Context, scope acl.Scope, before, now time.Time) (bool, error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return false, err
	}
	stores := scope.Indexed()
	if len(stores) == 0 {
		return false, nil
	}
	var oldest time.Time
	if found, err := One(ctx, r.r, []any{&oldest}, "queue.aged", int64(0)); err != nil || !found || !oldest.Before(before) {
		return false, err
	}
	r.r.InScope(stores)
	return One(ctx, r.r, []any{new(int64)}, "queue.waits_in", append(r.d.Scope(stores), before, now)...)
}

// Lease implements indexer.QueueWriter.
func (w Writes) Lease(ctx context.Context, now, until time.Time, turn indexer.Turn) (leases []indexer.Lease, last int64, err error) {
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return nil, 0, err
	}
	if err := w.w.Queue(ctx, "queue.return_ended", now); err != nil {
		return nil, 0, err
	}
	if err := w.w.Queue(ctx, "queue.return_delayed", now.Add(indexer.MaxDelay)); err != nil {
		return nil, 0, err
	}
	take := func(leases []indexer.Lease) error {
		if len(leases) == 0 {
			return nil
		}
		return w.w.Queue(ctx, "queue.lease", leasedEntries(leases), until, now)
	}
	if turn.Work == indexer.Oldest {
		rows, err := List(ctx, w.w, scanLease, "queue.due_first", turn.Rows)
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
		return w.dueOf(ctx, long, stores, limit)
	}, take)
}

func scanLease(row Row) (lease indexer.Lease, err error) {
	err = row.Scan(&lease.Entry, &lease.Revision, &lease.Attempts, &lease.Store, &lease.Chunks)
	return lease, err
}

// dueOf reads the rows of stores that can be leased, at most limit of each store.
func (w Writes) dueOf(ctx context.Context, long bool, stores []int64, limit int) (rows []indexer.Lease, err error) {
	if w.d.Lateral {
		return List(ctx, w.w, scanLease, "queue.due_of", long, stores, limit)
	}
	for _, store := range stores {
		found, err := List(ctx, w.w, scanLease, "queue.due_of", long, store, limit)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// dueStores returns the numbers of at most limit stores that have rows to lease: first those
// greater than after, then the others, both in ascending order. It probes the index once per
// store.
func (w Writes) dueStores(ctx context.Context, long bool, after int64, limit int) (stores []int64, err error) {
	scan := func(row Row) error {
		var store int64
		err := row.Scan(&store)
		stores = append(stores, store)
		return err
	}
	err = w.w.EachOf(ctx, Query{"queue.due_stores", []any{long, after, noStore, limit}, scan},
		Query{"queue.due_stores", []any{long, int64(0), after, limit}, scan})
	return stores[:min(limit, len(stores))], err
}

func leasedEntries(leases []indexer.Lease) []uuid.UUID {
	ids := make([]uuid.UUID, len(leases))
	for i, lease := range leases {
		ids[i] = lease.Entry
	}
	return ids
}

// Renew implements indexer.QueueWriter. It locks rows in key order, so that two transactions
// that renew the same leases do not deadlock.
func (w Writes) Renew(ctx context.Context, leases []indexer.Lease, until time.Time) error {
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return err
	}
	leases = slices.Clone(leases)
	slices.SortFunc(leases, func(a, b indexer.Lease) int { return slices.Compare(a.Entry[:], b.Entry[:]) })
	lists := make([][]any, len(leases))
	for i, lease := range leases {
		lists[i] = []any{until, lease.Entry, lease.Revision}
	}
	_, err := w.w.ExecEach(ctx, "queue.renew", lists)
	return err
}

// Finish implements indexer.QueueWriter.
func (w Writes) Finish(ctx context.Context, lease indexer.Lease, failure *indexer.Failure) error {
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return err
	}
	if failure == nil {
		return w.w.Queue(ctx, "queue.remove_leased", lease.Entry, lease.Revision)
	}
	return w.w.Queue(ctx, "queue.return_leased", lease.Entry, lease.Revision, failure.Until, failure.Reason)
}
