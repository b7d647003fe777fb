package indexer

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// workers is how many batches are in the making at once: while one is
	// embedded, the other is read or saved.
	workers = 2
	// followEvery is how often a process looks for changes of others, and
	// idleFor how long a worker rests when the queue is empty.
	followEvery = 200 * time.Millisecond
	idleFor     = 500 * time.Millisecond
	// reconcileEvery is how often an index that several processes write is
	// compared with the rows: first when it begins to serve, and at once where
	// it says that it lost what it held. reconcileLook is how often it is
	// looked whether the time has come.
	reconcileEvery = time.Hour
	reconcileLook  = 10 * time.Second
	// keepChanges is how long change records are kept. A process that slept
	// longer loads its index from the start. trimEvery is how often older ones
	// are removed.
	keepChanges = time.Hour
	trimEvery   = 20 * time.Second
)

// Run works the queue and follows the changes of other processes until ctx
// ends. Failures are logged and tried again.
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
		return ix.every(ctx, reconcileLook, "reconcile", func(ctx context.Context) error {
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

// reconcileShared reconciles an index that other processes use too.
func (ix *Indexer) reconcileShared(ctx context.Context) error {
	report, err := ix.Reconcile(ctx)
	if err == nil && report.Removed+report.Restored > 0 {
		ix.log.WarnContext(ctx, "the vector index was not in step with the rows",
			"rows", report.Rows, "indexed", report.Indexed, "removed", report.Removed, "restored", report.Restored)
	}
	return err
}

// runWorker works until ctx ends, resting while the queue is empty.
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
		case <-ix.kick:
		case <-time.After(idleFor):
		}
	}
}

// every does a task again and again until ctx ends.
func (ix *Indexer) every(ctx context.Context, pause time.Duration, task string, do func(context.Context) error) error {
	tick := time.NewTicker(pause)
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

// Drain works the queue, together with any other process that does, until it
// is empty. progress, which may be nil, is told how many entries wait.
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
	// they took its vectors over into this process's index.
	return ix.models.sync(outer)
}

func (ix *Indexer) depth(ctx context.Context) (rows int64, oldest time.Duration, err error) {
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		rows, oldest, err = tx.QueueDepth(ctx, ix.instant())
		return err
	})
	return rows, oldest, err
}
