package indexer

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"mneme/embed"
)

const (
	// localRows is the number of entries in a lease. sharedRows is the number for a shared
	// index, where a write of many entries takes as long as a write of few
	// (docs/decisions/0008-milvus.md).
	localRows  = 32
	sharedRows = 1000
	// oldestEvery: every oldestEvery-th turn of a worker takes the oldest rows, so that no row
	// starves behind shorter ones.
	oldestEvery = 4
	// minBackoff and maxBackoff bound the wait before a retry, which doubles with each attempt.
	minBackoff = time.Second
	maxBackoff = 5 * time.Minute
)

// MaxDelay is longer than any lease or backoff. A queue row that is due later than MaxDelay
// from now must be from before the clock was set back: it counts as due.
const MaxDelay = 2 * maxBackoff

// worker takes turns at the queue. Some workers take only short rows, so that these never wait
// for long ones.
type worker struct {
	*Indexer
	short bool
	turns int
	after [Oldest]int64 // for each kind of work, the store at which the last turn ended
}

// work leases a batch from the queue, updates the vectors of its entries, and returns the
// number of entries finished.
func (w *worker) work(ctx context.Context) (int, error) {
	now := w.models.serving()
	if now == nil || w.mustProbe() && !w.probe(ctx, now) {
		return 0, nil
	}
	if err := w.settle(ctx); err != nil {
		if !errors.Is(err, errIndex) || !w.probe(ctx, now) {
			return 0, err
		}
		w.log.WarnContext(ctx, "entries could not be settled in the vector index", "error", err)
	}
	leases, err := w.take(ctx, now)
	if err != nil || len(leases) == 0 {
		return 0, err
	}
	stop := w.keepAlive(ctx, leases)
	failed, err := w.attempt(ctx, now, leases)
	stop()
	switch {
	case err == nil:
		return len(leases), nil
	case ctx.Err() != nil:
		return 0, errors.Join(ctx.Err(), w.release(ctx, failed))
	case errors.Is(err, errReplaced):
		return 0, errors.Join(w.release(ctx, failed), w.syncOpened(ctx))
	case w.indexDown.Load():
		for _, lease := range failed {
			w.progress.failed(causeOf(lease, err))
		}
		return 0, w.release(ctx, failed)
	}
	return len(leases) - len(failed), w.retry(ctx, failed, err)
}

// kinds returns the kinds of work that a worker looks for, in order.
func (w *worker) kinds() []Work {
	w.turns++
	switch {
	case w.short:
		return []Work{Short}
	case w.turns%oldestEvery == 0:
		return []Work{Oldest}
	}
	return []Work{Long, Short}
}

// take leases a batch from the queue, of the first kind of work that has any.
func (w *worker) take(ctx context.Context, now *serving) (leases []Lease, err error) {
	kinds := w.kinds()
	rows := sharedRows
	if now.model.Local {
		rows = localRows
	}
	var after [Oldest]int64
	err = w.storage.Update(ctx, func(tx Tx) error {
		at := w.instant()
		after = w.after
		for _, kind := range kinds {
			turn := Turn{Work: kind, Rows: rows, Chunks: w.budgets[Short].Limit()}
			if kind != Oldest {
				turn.Chunks, turn.After = w.budgets[kind].Limit(), after[kind]
			}
			taken, last, err := tx.Lease(ctx, at, at.Add(leaseTime), turn)
			if err != nil {
				return err
			}
			leases = taken
			if kind != Oldest {
				after[kind] = last
			}
			if len(leases) > 0 {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.after = after
	return leases, nil
}

// attempt indexes leased entries. It returns the entries that failed, with one of their errors.
func (ix *Indexer) attempt(ctx context.Context, now *serving, leases []Lease) (failed []Lease, err error) {
	err = ix.index(ctx, leases)
	if err == nil {
		ix.progress.indexed.Add(int64(len(leases)))
		return nil, nil
	}
	if ctx.Err() != nil || errors.Is(err, errReplaced) || errors.Is(err, errIndex) && !ix.probe(ctx, now) {
		return leases, err
	}
	ix.log.WarnContext(ctx, "indexing failed", "entries", len(leases), "error", err)
	if len(leases) == 1 {
		return leases, err
	}
	return ix.indexEach(ctx, leases)
}

// maxConsecutiveFailures is the number of entries at the start of a batch after whose failure
// the rest is not tried: the embedder or the index is then probably down.
const maxConsecutiveFailures = 3

// eachError holds the errors of entries that were indexed one by one.
type eachError struct {
	error                     // the last one
	by    map[uuid.UUID]error // by entry
}

func (e *eachError) Unwrap() error { return e.error }

// indexEach indexes entries one by one after their batch failed, so that one entry that cannot
// be embedded does not keep the others from being indexed.
func (ix *Indexer) indexEach(ctx context.Context, leases []Lease) (failed []Lease, _ error) {
	last := &eachError{by: make(map[uuid.UUID]error)}
	refused := 0 // refused texts: they fail although the embedder works
	for i := range leases {
		err := ix.index(ctx, leases[i:i+1])
		if err == nil {
			ix.progress.indexed.Add(1)
			continue
		}
		if errors.Is(err, errReplaced) {
			return append(failed, leases[i:]...), err
		}
		failed, last.error, last.by[leases[i].Entry] = append(failed, leases[i]), err, err
		if errors.Is(err, embed.ErrText) {
			refused++
		}
		if len(failed)-refused == maxConsecutiveFailures && i == maxConsecutiveFailures-1 {
			return leases, err
		}
	}
	if len(failed) == 0 {
		return nil, nil
	}
	return failed, last
}

// retry returns leases to the queue with a backoff.
func (ix *Indexer) retry(ctx context.Context, leases []Lease, cause error) error {
	reasons := make([]string, len(leases))
	for i, lease := range leases {
		reasons[i] = ix.progress.failed(causeOf(lease, cause))
	}
	return ix.storage.Update(ctx, func(tx Tx) error {
		for i, lease := range leases {
			failure := &Failure{Until: ix.instant().Add(backoff(lease.Attempts)), Reason: reasons[i]}
			if err := tx.Finish(ctx, lease, failure); err != nil {
				return err
			}
		}
		return nil
	})
}

// causeOf returns the error of one lease among several.
func causeOf(lease Lease, cause error) error {
	var each *eachError
	if errors.As(cause, &each) {
		return each.by[lease.Entry]
	}
	return cause
}

// backoff returns the wait before the next attempt, with a jitter of up to a fifth so that
// retries spread out.
func backoff(attempts int) time.Duration {
	wait := maxBackoff
	if attempts < 9 {
		wait = min(maxBackoff, minBackoff<<attempts)
	}
	return wait - time.Duration(rand.Int64N(int64(wait/5))) //nolint:gosec // jitter, no secret
}
