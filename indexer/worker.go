package indexer

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	// leaseBatch is the number of entries leased at a time, sharedBatch that
	// for a shared index, where a write takes as long for many entries as for
	// few (docs/decisions/0008-milvus.md).
	leaseBatch  = 32
	sharedBatch = 256
	// minBackoff and maxBackoff bound the wait before a retry, which doubles
	// with each attempt.
	minBackoff = time.Second
	maxBackoff = 5 * time.Minute
)

// work leases a batch from the queue, updates the vectors of its entries, and
// returns how many it finished.
func (ix *Indexer) work(ctx context.Context) (int, error) {
	now := ix.models.serving()
	if now == nil || ix.mustProbe() && !ix.probe(ctx, now) {
		return 0, nil
	}
	batch := leaseBatch
	if !now.model.Local {
		batch = sharedBatch
	}
	leases, err := ix.take(ctx, batch)
	if err != nil || len(leases) == 0 {
		return 0, err
	}
	stop := ix.keepAlive(ctx, leases)
	failed, err := ix.attempt(ctx, now, leases)
	stop()
	switch {
	case err == nil:
		return len(leases), nil
	case ctx.Err() != nil:
		return 0, errors.Join(ctx.Err(), ix.release(ctx, failed))
	case ix.indexDown.Load():
		ix.progress.failed(len(failed), err)
		return 0, ix.release(ctx, failed)
	}
	return len(leases) - len(failed), ix.retry(ctx, failed, err)
}

// attempt indexes leased entries. It returns those that failed, with an error of
// one of them.
func (ix *Indexer) attempt(ctx context.Context, now *serving, leases []Lease) (failed []Lease, err error) {
	err = ix.index(ctx, now, leases)
	if err == nil {
		ix.progress.indexed.Add(int64(len(leases)))
		return nil, nil
	}
	if ctx.Err() != nil || errors.Is(err, errIndex) && !ix.probe(ctx, now) {
		return leases, err
	}
	ix.log.WarnContext(ctx, "indexing failed", "entries", len(leases), "error", err)
	if len(leases) == 1 {
		return leases, err
	}
	return ix.indexEach(ctx, now, leases)
}

// maxConsecutiveFailures is the number of entries that may fail in a row, from
// the start of a batch, before the rest is not tried: the embedder or the index
// is down.
const maxConsecutiveFailures = 3

// indexEach indexes entries one by one after they failed together, so that one
// that cannot be embedded does not block the others.
func (ix *Indexer) indexEach(ctx context.Context, now *serving, leases []Lease) (failed []Lease, last error) {
	for i := range leases {
		err := ix.index(ctx, now, leases[i:i+1])
		if err == nil {
			ix.progress.indexed.Add(1)
			continue
		}
		failed, last = append(failed, leases[i]), err
		if len(failed) == maxConsecutiveFailures && i == maxConsecutiveFailures-1 {
			return leases, last
		}
	}
	return failed, last
}

// retry returns leases to the queue with a backoff.
func (ix *Indexer) retry(ctx context.Context, leases []Lease, cause error) error {
	reason := ix.progress.failed(len(leases), cause)
	return ix.storage.Update(ctx, func(tx Tx) error {
		for _, lease := range leases {
			if err := tx.Retry(ctx, lease, ix.instant().Add(backoff(lease.Attempts)), reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// backoff returns the wait before the next attempt, with a jitter of up to a
// fifth so that retries spread out.
func backoff(attempts int) time.Duration {
	wait := maxBackoff
	if attempts < 9 {
		wait = min(maxBackoff, minBackoff<<attempts)
	}
	return wait - time.Duration(rand.Int64N(int64(wait/5))) //nolint:gosec // jitter, no secret
}
