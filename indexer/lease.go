package indexer

import (
	"context"
	"time"
)

const (
	// leaseTime is how long leased entries are hidden from other workers. The leases of a
	// killed worker expire after it.
	leaseTime = 10 * time.Second
	// renewEvery is the lease renewal interval.
	renewEvery = 3 * time.Second
	// releaseWait bounds the release of leases at shutdown.
	releaseWait = 5 * time.Second
)

// keepAlive renews leases until stop is called. stop waits for a renewal in progress.
func (ix *Indexer) keepAlive(ctx context.Context, leases []Lease) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
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
				// Another worker may lease and embed the same entries too: that costs time, but
				// no harm is done.
				ix.log.WarnContext(ctx, "cannot renew leases of the indexing queue", "entries", len(leases), "error", err)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func (ix *Indexer) renew(ctx context.Context, leases []Lease, until time.Time) error {
	return ix.storage.Update(ctx, func(tx Tx) error { return tx.Renew(ctx, leases, until) })
}

// release ends leases at once, without counting an attempt. It also works after ctx has ended,
// for shutdown.
func (ix *Indexer) release(ctx context.Context, leases []Lease) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWait)
	defer cancel()
	err := ix.renew(within, leases, ix.instant())
	if err != nil && ctx.Err() != nil { // no other caller reports it
		ix.log.WarnContext(ctx, "cannot release leases of the indexing queue", "entries", len(leases), "error", err)
	}
	return err
}
