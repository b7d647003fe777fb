package indexer

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// workers is the number of concurrent batches: while one is embedded, the
	// other is read or saved.
	workers = 2
	// followEvery is the interval between polls for vectors that other
	// processes changed, idlePoll that of a worker whose queue is empty.
	followEvery = 200 * time.Millisecond
	idlePoll    = 500 * time.Millisecond
	// reconcileEvery is how often a shared index is compared with the rows:
	// first when it begins to serve, and at once if it reports that it lost its
	// contents. reconcileCheck is how often that is checked.
	reconcileEvery = time.Hour
	reconcileCheck = 10 * time.Second
	// keepChanges is how long change records are kept. A process that fell
	// further behind loads its index from the start. trimEvery is how often
	// older ones are removed.
	keepChanges = time.Hour
	trimEvery   = 20 * time.Second
)

// Run works the queue and follows the changes of other processes until ctx
// ends. Failures are logged and retried.
func (ix *Indexer) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error { return ix.runWorker(ctx) })
	}
	group.Go(func() error {
		return ix.every(ctx, followEvery, "follow changes", ix.models.sync)
	})
	group.Go(func() error {
		return ix.every(ctx, trimEvery, "trim changes", func(ctx context.Context) error {
			return ix.storage.Update(ctx, func(tx Tx) error { return tx.TrimChanges(ctx, ix.instant().Add(-keepChanges)) })
		})
	})
	var reconciled time.Time
	group.Go(func() error {
		return ix.every(ctx, reconcileCheck, "reconcile", func(ctx context.Context) error {
			now := ix.models.serving()
			if now == nil || now.model.Local {
				return nil
			}
			if lost(now.index) {
				reconciled = time.Time{}
			}
			if time.Since(reconciled) < reconcileEvery {
				return nil
			}
			err := ix.reconcileShared(ctx)
			if err == nil {
				reconciled = time.Now()
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

// reconcileShared reconciles the index and logs what it repaired.
func (ix *Indexer) reconcileShared(ctx context.Context) error {
	report, err := ix.Reconcile(ctx)
	if err == nil && report.Removed+report.Restored > 0 {
		ix.log.WarnContext(ctx, "the vector index was out of sync with the rows",
			"rows", report.Rows, "indexed", report.Indexed, "removed", report.Removed, "restored", report.Restored)
	}
	return err
}

// runWorker works the queue until ctx ends. It idles while the queue is empty.
func (ix *Indexer) runWorker(ctx context.Context) error {
	for {
		n, err := ix.work(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			ix.log.ErrorContext(ctx, "the indexing worker failed", "error", err)
		}
		if n > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ix.wakeCh:
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

// Drain works the queue, beside any other process that does, until it is empty.
// It calls progress, unless nil, with the number of queued entries.
func (ix *Indexer) Drain(ctx context.Context, progress func(left int64)) error {
	if ix.models.serving() == nil {
		return errNoModel
	}
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, working := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error { return ix.runWorker(working) })
	}
	watch := func() error {
		defer stop()
		for {
			left, _, err := ix.depth(working)
			if err != nil {
				return err
			}
			if progress != nil {
				progress(left)
			}
			if left == 0 {
				return nil
			}
			select {
			case <-working.Done():
				return working.Err()
			case <-time.After(100 * time.Millisecond):
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
	// The workers were stopped as the last row left the queue, maybe before
	// they applied its vectors to this process's index.
	return ix.models.sync(outer)
}

func (ix *Indexer) depth(ctx context.Context) (rows int64, oldest time.Duration, err error) {
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		rows, oldest, err = tx.QueueDepth(ctx, ix.instant())
		return err
	})
	return rows, oldest, err
}
