package indexer

import (
	"context"
	"time"

	"mneme/vector"
)

const (
	// leaseTime is how long entries that a worker took are hidden from
	// others, and renewEvery how often a worker that goes on with them makes
	// that anew. What a killed worker had taken is free again after leaseTime.
	leaseTime  = 10 * time.Second
	renewEvery = 3 * time.Second
	// releaseWait bounds the giving back of leases by a worker that ends.
	releaseWait = 5 * time.Second
)

// take leases one batch from the queue.
func (ix *Indexer) take(ctx context.Context, batch int) (leases []Lease, err error) {
	err = ix.storage.Update(ctx, func(tx Tx) (err error) {
		at := ix.instant()
		leases, err = tx.Lease(ctx, at, at.Add(leaseTime), batch)
		return err
	})
	return leases, err
}

// hold renews leases until the returned function is called.
func (ix *Indexer) hold(ctx context.Context, leases []Lease) (let func()) {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(renewEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := ix.renew(ctx, leases, ix.instant().Add(leaseTime)); err != nil && ctx.Err() == nil {
				// Another may begin with them too, which costs time alone.
				ix.log.WarnContext(ctx, "leases of the indexing queue were not renewed", "entries", len(leases), "error", err)
			}
		}
	}()
	return func() {
		stop()
		<-done
	}
}

func (ix *Indexer) renew(ctx context.Context, leases []Lease, until time.Time) error {
	return ix.storage.Update(ctx, func(tx Tx) error { return tx.Renew(ctx, leases, until) })
}

// release gives leases back as if nobody had taken them. It does so too when
// the process is ending.
func (ix *Indexer) release(ctx context.Context, leases []Lease) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWait)
	defer cancel()
	return ix.renew(ctx, leases, ix.instant())
}

// While an index outside the process is away, the queue rests: nothing is
// leased or embedded in vain, no entry's wait grows, and all of them go on as
// soon as it is back.

// inDoubt tells whether the index should be asked before work is taken: it
// was away, or has not answered a search since it was asked.
func (ix *Indexer) inDoubt() bool { return ix.doubted.Swap(false) || ix.away.Load() }

// answers tells whether an index answers that may have been away.
func (ix *Indexer) answers(ctx context.Context, now *serving) bool {
	settler, ok := now.index.(vector.Settler)
	if !ok {
		return true
	}
	err := settler.Settle(ctx)
	if err != nil && ctx.Err() != nil {
		return false // the process is ending
	}
	if away := err != nil; ix.away.Swap(away) != away {
		if away {
			ix.log.WarnContext(ctx, "the vector index does not answer: vectors are made when it does again", "error", err)
		} else {
			ix.log.InfoContext(ctx, "the vector index answers again")
		}
	}
	return err == nil
}
