package meter

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// Offered implements search.Meter.
func (m *Meter) Offered(ctx context.Context, tx memory.ReadTx, c memory.Caller, p search.Purchase, at time.Time) (acl.Grant, error) {
	grant, err := m.offered(ctx, m.storage.Reading(tx), c, p, at)
	m.refused(err)
	return grant, err
}

func (m *Meter) offered(ctx context.Context, tx ReadTx, c memory.Caller, p search.Purchase, at time.Time) (acl.Grant, error) {
	offer, err := visibleOffer(ctx, tx, c, p.Offer, at)
	if err != nil {
		return acl.Grant{}, err
	}
	if offer.Store == c.Agent {
		return acl.Grant{}, conflict("a store's own agent buys nothing from itself")
	}
	access, err := acl.Decide(ctx, tx, c.Principal, offer.Store, at)
	switch {
	case errors.Is(err, acl.ErrDenied):
	case err != nil:
		return acl.Grant{}, err
	case access.Offer == p.Offer.String():
		return tx.Grant(ctx, offer.Store, c.Agent)
	default:
		return acl.Grant{}, conflict("the caller has a level on this store already")
	}
	if err := requireEnabled(ctx, tx, c); err != nil {
		return acl.Grant{}, err
	}
	if offer.State != OfferOpen {
		return acl.Grant{}, memory.ErrNotFound
	}
	grant, err := meteredGrant(c, offer, at)
	if err != nil || p.Payment != nil {
		return grant, err
	}
	return acl.Grant{}, m.unpaid(ctx, tx, c, p, grant, at)
}

// unpaid returns the PaymentError for a search of an offer under a grant that has
// not been paid for, or the CapError that stands before it.
func (m *Meter) unpaid(ctx context.Context, tx ReadTx, c memory.Caller, p search.Purchase, grant acl.Grant, at time.Time) error {
	access := acl.Access{Store: grant.Store, Level: grant.Level, Offer: grant.Offer, Terms: grant.Terms}
	lots, err := loadLots(ctx, tx, c, p, []acl.Access{access}, at)
	if err != nil {
		return err
	}
	if spent := lots[0].spent(at); spent != nil {
		return spent
	}
	w, err := openPurse(ctx, tx, c, p, lots)
	if err != nil {
		return err
	}
	return lots[0].unpaid(&w, p, skipUnpaid)
}

// Quote returns the most that a search of an offer with this limit could cost the
// caller now, whether or not it has a grant, as a PaymentError, or Offered's and
// Admit's errors.
func (m *Meter) Quote(ctx context.Context, c memory.Caller, offer uuid.UUID, limit int, at time.Time) (quote *search.PaymentError, err error) {
	p := search.Purchase{Offer: offer, Limit: limit, Payment: new(int64(0))}
	err = m.storage.View(ctx, func(tx ReadTx) error {
		grant, err := m.offered(ctx, tx, c, p, at)
		if err != nil {
			return err
		}
		if err = m.unpaid(ctx, tx, c, p, grant, at); errors.As(err, &quote) {
			return nil
		}
		return err
	})
	return quote, err
}

// Admit implements search.Meter.
func (m *Meter) Admit(ctx context.Context, tx memory.ReadTx, c memory.Caller, p search.Purchase, stores []acl.Access, at time.Time) (search.Admission, error) {
	r := m.storage.Reading(tx)
	lots, err := loadLots(ctx, r, c, p, stores, at)
	if err != nil {
		return search.Admission{}, err
	}
	w, err := openPurse(ctx, r, c, p, lots)
	if err != nil {
		return search.Admission{}, err
	}
	if err := admit(lots, &w, c, p, at); err != nil {
		m.refused(err)
		return search.Admission{}, err
	}
	var a search.Admission
	for _, l := range lots {
		if l.leftOut {
			a.LeftOut = append(a.LeftOut, l.access.Store)
		}
	}
	a.Skipped = skippedOf(lots)
	for _, skipped := range a.Skipped {
		if skipped.Reason != search.SkipNotNamed {
			m.options.Observer.Refused(skipped.Reason)
		}
	}
	return a, nil
}

// skippedOf returns the metered lots that are left out with a reason.
func skippedOf(lots []*lot) (skipped []search.Skipped) {
	for _, l := range lots {
		if l.skipped != "" {
			skipped = append(skipped, search.Skipped{Store: l.access.Store, Offer: l.access.Offer, Reason: l.skipped})
		}
	}
	return skipped
}

// refused tells the observer of a search that failed for its price or a cap.
func (m *Meter) refused(err error) {
	var spent *search.CapError
	var unpaid *search.PaymentError
	switch {
	case errors.As(err, &spent):
		m.options.Observer.Refused(search.SkipCap)
	case errors.As(err, &unpaid):
		m.options.Observer.Refused(search.SkipBalance)
	}
}
