package memory

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
	// sweepEvery is how often expired entries are swept; the rule is at most
	// 60 s.
	sweepEvery = 20 * time.Second
	// reconcileEvery is how often an index that several processes write is
	// compared with the rows: first when it begins to serve, and at once where
	// it says that it lost what it held. reconcileLook is how often it is
	// looked whether the time has come.
	reconcileEvery = time.Hour
	reconcileLook  = 10 * time.Second
	// keepChanges is how long the change sequence reaches back. A process
	// that slept longer loads its index anew.
	keepChanges = time.Hour
)

// Run works the queue, follows the changes of other processes and sweeps what
// has expired, until ctx ends. Failures are logged and tried again.
func (s *Service) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error { return s.runWorker(ctx) })
	}
	group.Go(func() error {
		return s.every(ctx, followEvery, "follow changes", s.models.sync)
	})
	group.Go(func() error {
		return s.every(ctx, sweepEvery, "sweep", func(ctx context.Context) error {
			return s.sweep(ctx, s.instant())
		})
	})
	var reconciled time.Time
	group.Go(func() error {
		return s.every(ctx, reconcileLook, "reconcile", func(ctx context.Context) error {
			now := s.models.serving()
			if now == nil || now.model.Local {
				return nil
			}
			if lost(now.index) {
				reconciled = time.Time{}
			}
			if time.Since(reconciled) < reconcileEvery {
				return nil
			}
			err := s.reconcileShared(ctx)
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
func (s *Service) reconcileShared(ctx context.Context) error {
	report, err := s.Reconcile(ctx)
	if err == nil && report.Removed+report.Restored > 0 {
		s.log.WarnContext(ctx, "the vector index was not in step with the rows",
			"rows", report.Rows, "indexed", report.Indexed, "removed", report.Removed, "restored", report.Restored)
	}
	return err
}

// runWorker works until ctx ends, resting while the queue is empty.
func (s *Service) runWorker(ctx context.Context) error {
	for {
		n, err := s.work(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.log.ErrorContext(ctx, "the indexing worker failed", "error", err)
		}
		if n > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.kick:
		case <-time.After(idleFor):
		}
	}
}

// every does a task again and again until ctx ends.
func (s *Service) every(ctx context.Context, pause time.Duration, task string, do func(context.Context) error) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "a background task failed", "task", task, "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// sweep hides what expired by now for good, and forgets expired facts.
func (s *Service) sweep(ctx context.Context, now time.Time) error {
	for {
		swept := 0
		err := s.storage.Update(ctx, func(tx Tx) error {
			ids, err := tx.Expired(ctx, now, 200)
			if err != nil || len(ids) == 0 {
				return err
			}
			swept = len(ids)
			return tx.Sweep(ctx, ids, now)
		})
		if err != nil {
			return err
		}
		if swept == 0 {
			break
		}
		s.wake()
	}
	return s.storage.Update(ctx, func(tx Tx) error { return tx.SweepFacts(ctx, now, keepChanges) })
}

// Drain works the queue, together with any other process that does, until it
// is empty. progress, which may be nil, is told how many entries wait.
func (s *Service) Drain(ctx context.Context, progress func(left int64)) error {
	if s.models.serving() == nil {
		return errNoModel
	}
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, working := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error { return s.runWorker(working) })
	}
	watch := func() error {
		defer stop()
		for {
			left, _, err := s.depth(working)
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
	return s.models.sync(outer)
}

func (s *Service) depth(ctx context.Context) (rows int64, oldest time.Duration, err error) {
	err = s.storage.View(ctx, func(tx ReadTx) (err error) {
		rows, oldest, err = tx.QueueDepth(ctx, s.instant())
		return err
	})
	return rows, oldest, err
}

// Status tells how the service is.
type Status struct {
	Storage    bool          // it answers
	Vector     bool          // a model serves questions, and its index is not known to be away
	Serving    string        // fingerprint of the vectors that serve; "" if no embedder here made them
	Configured string        // fingerprint of the configured embedder: where it differs, reindex
	Queue      int64         // entries whose vectors are not in step
	QueueLag   time.Duration // how long the oldest of them has waited
	Progress   Progress      // of this process
}

// Status looks at the storage and the model that serves.
func (s *Service) Status(ctx context.Context) Status {
	status := Status{Configured: s.models.wanted(), Progress: s.progress.now()}
	if now := s.models.serving(); now != nil {
		status.Vector, status.Serving = !s.away.Load(), now.fingerprint
	}
	var err error
	status.Queue, status.QueueLag, err = s.depth(ctx)
	status.Storage = err == nil
	return status
}
