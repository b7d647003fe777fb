package indexer

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// workers is the number of concurrent batches: while one is embedded, another is read or
	// saved. One worker takes no long entries, so that short entries always have a worker.
	workers = 3
	// followEvery is the interval between polls for vectors that other processes changed.
	// idlePoll is the interval between polls of a worker whose queue is empty.
	followEvery = 200 * time.Millisecond
	idlePoll    = 500 * time.Millisecond
	// loadEvery is the interval between attempts to load a local index that is not fully
	// loaded: at the start, after a failure, or after the index was opened again.
	loadEvery = 5 * time.Second
	// reconcileEvery is the interval between comparisons of a shared index with the rows. The
	// first comparison is when the index starts serving, and there is one at once if the index
	// reports that it lost its contents. reconcileAgain is the time from the first comparison
	// to the second, which finds writes of a killed process that the index applied only after
	// the first. reconcileCheck is the interval between checks for a due comparison.
	reconcileEvery = time.Hour
	reconcileAgain = 30 * time.Second
	reconcileCheck = 10 * time.Second
	// keepChanges is how long change records are retained. A process that has not applied a
	// change by then reloads its index. trimEvery is the interval between removals of older
	// records, and trimBatch the number removed in one transaction. remakeEvery is the interval
	// between checks for vectors to recompute, queueEvery between checks for entries of large
	// stores that are still to be queued (see queueRest).
	remakeEvery = time.Minute
	queueEvery  = 5 * time.Second
	keepChanges = time.Hour
	trimEvery   = 20 * time.Second
	trimBatch   = 2000
)

// Run works the queue and follows the changes of other processes until ctx
// ends. Failures are logged and retried.
func (ix *Indexer) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	ix.startWorkers(ctx, group)
	group.Go(func() error {
		return ix.every(ctx, followEvery, "follow changes", ix.sync)
	})
	group.Go(func() error {
		return ix.every(ctx, loadEvery, "load the vector index", ix.loadLocal)
	})
	group.Go(func() error { return ix.every(ctx, trimEvery, "trim changes", ix.trimChanges) })
	group.Go(func() error {
		return ix.every(ctx, queueEvery, "queue entries", func(ctx context.Context) error {
			_, err := ix.queueRest(ctx)
			return err
		})
	})
	group.Go(func() error { return ix.every(ctx, queueEvery, "note what is indexed", ix.noteIndexed) })
	group.Go(func() error { return ix.every(ctx, remakeEvery, "make vectors again", ix.remake) })
	var done reconciliations
	group.Go(func() error {
		return ix.every(ctx, reconcileCheck, "reconcile", func(ctx context.Context) error {
			shared := ix.shared()
			if !done.due(shared, time.Now()) {
				return nil
			}
			err := ix.reconcileShared(ctx, shared)
			if err == nil {
				done.add(time.Now())
			}
			return err
		})
	})
	err := group.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// trimChanges removes old change records.
func (ix *Indexer) trimChanges(ctx context.Context) error {
	now := ix.instant()
	for more := true; more; {
		err := ix.storage.Update(ctx, func(tx Tx) (err error) {
			more, err = tx.TrimChanges(ctx, now.Add(-keepChanges), now, trimBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reconciliations tracks the reconciliations of the shared indexes.
type reconciliations struct {
	indexes []*serving // the serving indexes
	times   int        // since one of the indexes started serving, or since one reported a loss
	last    time.Time
}

// due reports whether to reconcile the indexes that serve now.
func (r *reconciliations) due(now []*serving, at time.Time) bool {
	if !slices.Equal(now, r.indexes) {
		r.indexes, r.times = now, 0
	}
	for _, one := range now {
		if lost(one.index) { // lost returns true only once for each loss
			r.times = 0
		}
	}
	return len(now) > 0 && reconcileDue(r.times, at.Sub(r.last))
}

func (r *reconciliations) add(at time.Time) { r.times, r.last = r.times+1, at }

// reconcileDue reports whether to reconcile, given the number of reconciliations so far and the
// time since the last one.
func reconcileDue(times int, ago time.Duration) bool {
	switch times {
	case 0:
		return true
	case 1:
		return ago >= reconcileAgain
	default:
		return ago >= reconcileEvery
	}
}

// shared returns the serving indexes that other processes share.
func (ix *Indexer) shared() []*serving {
	all := ix.serving()
	return slices.DeleteFunc(all[:], func(now *serving) bool { return now == nil || now.model.Local })
}

// reconcileShared reconciles indexes and logs what it repaired. It returns no error if another
// model starts serving meanwhile: that model's index is then due for its own reconciliation.
func (ix *Indexer) reconcileShared(ctx context.Context, indexes []*serving) error {
	report, err := ix.reconcile(ctx, indexes)
	if errors.Is(err, errReplaced) {
		err = nil
	}
	if report.Removed+report.Restored > 0 {
		ix.log.WarnContext(ctx, "the vector index was out of sync with the rows",
			"rows", report.Rows, "indexed", report.Indexed, "removed", report.Removed, "restored", report.Restored)
	}
	return err
}

// startWorkers starts the workers in a group. They work the queue until ctx ends.
func (ix *Indexer) startWorkers(ctx context.Context, group *errgroup.Group) {
	for i := range workers {
		group.Go(func() error { return (&worker{Indexer: ix, short: i == workers-1}).run(ctx) })
	}
}

// run works the queue until ctx ends. While the queue has no work for it, it waits for a
// wake-up or the next poll.
func (w *worker) run(ctx context.Context) error {
	wakeLong := w.wakeLongCh
	if w.short {
		wakeLong = nil
	}
	woken := false
	for {
		n, err := w.work(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.log.ErrorContext(ctx, "the indexing worker failed", "error", err)
		}
		if n > 0 {
			continue
		}
		if woken && w.short {
			wake(w.wakeLongCh) // maybe it was meant for a long entry
		}
		woken = false
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.wakeCh:
			woken = true
		case <-wakeLong:
		case <-time.After(idlePoll):
		}
	}
}

// every runs a task at an interval until ctx ends.
func (ix *Indexer) every(ctx context.Context, interval time.Duration, task string, do func(context.Context) error) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			ix.log.ErrorContext(ctx, "a background task failed", "task", task, "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Drain works the queue, concurrently with any other process that does, until it is empty.
// Unless progress is nil, Drain calls it with the number of queued entries. At the start, it
// waits up to two minutes for an index that is down or starting.
func (ix *Indexer) Drain(ctx context.Context, progress func(left int64)) error {
	if _, err := ix.models.await(ctx); err != nil {
		return err
	}
	if _, err := ix.queueRest(ctx); err != nil {
		return err
	}
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, working := errgroup.WithContext(ctx)
	ix.startWorkers(working, group)
	watch := func() error {
		defer stop()
		for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
			left, _, err := ix.depth(working)
			if err != nil {
				return err
			}
			if progress != nil {
				progress(left)
			}
			if left == 0 {
				more, err := ix.queueMore(working)
				if err != nil || !more {
					return err
				}
			}
			select {
			case <-working.Done():
				return working.Err()
			case <-time.After(pause):
			}
		}
	}
	err := watch()
	if waited := group.Wait(); err == nil && !errors.Is(waited, context.Canceled) {
		err = waited
	}
	if err != nil {
		return err
	}
	// The workers stopped when the last row left the queue. They may not yet have applied that
	// row's vectors to this process's index.
	if err := ix.syncOpened(outer); err != nil {
		return err
	}
	return ix.noteIndexed(outer)
}

// queueMore looks for more work once the queue is empty: entries that queueRest still has to
// queue, and those that it queues because a store's models have read all of it. It reports
// whether there is any.
func (ix *Indexer) queueMore(ctx context.Context) (bool, error) {
	if err := ix.noteIndexed(ctx); err != nil {
		return false, err
	}
	if more, err := ix.queueRest(ctx); err != nil || more {
		return more, err
	}
	left, _, err := ix.depth(ctx)
	return left > 0, err
}

// CatchUp works the part of the queue that is due, short entries first, concurrently with any
// other process that does. It stops after as many entries as are queued at the start. It does
// not wait for entries that others have leased or that wait for a retry. It ends when ctx does,
// or at the time end unless that is zero; what is left stays queued, which is not an error.
func (ix *Indexer) CatchUp(ctx context.Context, end time.Time) error {
	left, _, err := ix.depth(ctx)
	if err != nil {
		return err
	}
	if left == 0 {
		return ix.noteIndexed(ctx)
	}
	within := ctx
	if !end.IsZero() {
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	for _, w := range []*worker{{Indexer: ix, short: true}, {Indexer: ix}} {
		for left > 0 {
			n, err := w.work(within)
			if within.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			left -= int64(n)
		}
	}
	return nil
}

// depth returns the number of entries whose vectors are out of date, including those that this
// process is writing, and how long they have waited.
func (ix *Indexer) depth(ctx context.Context) (rows int64, waits Waits, err error) {
	unsettled := int64(ix.unsettled.len()) // read before the queue, because a worker removes its row last
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		rows, waits, err = tx.QueueDepth(ctx, ix.instant())
		return err
	})
	return max(rows, unsettled), waits, err
}
