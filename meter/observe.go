package meter

import (
	"context"
	"errors"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// sold is a search's purchase from a store.
type sold struct {
	store, buyer string
	entries      int64 // newly charged
}

// Observe notifies the observer of an answered or failed search. It leaves the queries that
// this needs to Run, so that the time of a search does not depend on the size of a store.
func (m *Meter) Observe(c memory.Caller, bill search.Bill, err error) {
	var spent *search.CapError
	var unpaid *search.PaymentError
	switch {
	case errors.As(err, &spent):
		m.options.Observer.Refused(search.SkipCap)
	case errors.As(err, &unpaid):
		m.options.Observer.Refused(search.SkipBalance)
	}
	if err != nil {
		return
	}
	m.options.Observer.Charged(len(bill.Charges))
	for _, skipped := range bill.Skipped {
		if skipped.Offer != "" && skipped.Reason != search.SkipNotNamed {
			m.options.Observer.Refused(skipped.Reason)
		}
	}
	for _, charge := range bill.Charges {
		if len(charge.Entries) == 0 {
			continue
		}
		select {
		case m.sold <- sold{charge.Store, Holder(c.Agent, c.Taint), int64(len(charge.Entries))}:
		default: // drop it: a search never waits for the metric
		}
	}
}

// sweepEvery is how often Run sweeps counts.
const sweepEvery = time.Hour

// keepCounts is how long counts are stored after the beginning of their window. It exceeds
// the longest window, because a payment may be refused after the window ends.
const keepCounts = 72 * time.Hour

// Run tells the observer of sales by which a buyer passed half of a store, and removes the
// counts of past windows, until ctx is done. After a failure it tries again at the next sale or
// hour.
func (m *Meter) Run(ctx context.Context) error {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	m.sweep(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-sweep.C:
			m.sweep(ctx)
		case s := <-m.sold:
			if passed, err := m.passedHalf(ctx, s); err == nil && passed {
				m.options.Observer.PassedHalf()
			}
		}
	}
}

func (m *Meter) sweep(ctx context.Context) {
	_ = m.storage.Update(ctx, func(tx Tx) error { return tx.DeleteCountsBefore(ctx, m.options.Now().Add(-keepCounts)) })
}

// passedHalf reports whether a sale raised the buyer's part of the store's entries above half.
func (m *Meter) passedHalf(ctx context.Context, s sold) (passed bool, err error) {
	err = m.storage.View(ctx, func(tx ReadTx) error {
		shown, err := tx.CountShown(ctx, s.store, s.buyer)
		if err != nil {
			return err
		}
		entries, err := tx.CountInStore(ctx, s.store, acl.Restricted, m.options.Now())
		passed = 2*shown > entries && 2*(shown-s.entries) <= entries
		return err
	})
	return passed, err
}
