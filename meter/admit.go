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

// payableOffer returns the grant under which a search of p.Offer runs, or a PaymentError if
// the caller does not hold the grant and the request has no payment.
func payableOffer(ctx context.Context, tx ReadTx, c memory.Caller, p search.Purchase, at time.Time) (acl.Grant, error) {
	grant, held, err := offered(ctx, tx, c, p.Offer, at)
	if err == nil && !held && p.Payment == nil {
		err = unpaid(ctx, tx, c, p.Limit, grant, at)
	}
	return grant, err
}

// offered returns the grant under which the caller may search an offer. If the caller holds no
// such grant, held is false and the search needs a payment.
func offered(ctx context.Context, tx ReadTx, c memory.Caller, id uuid.UUID, at time.Time) (grant acl.Grant, held bool, err error) {
	offer, err := visibleOffer(ctx, tx, c, id, at)
	if err != nil {
		return acl.Grant{}, false, err
	}
	if offer.Store == c.Agent {
		return acl.Grant{}, false, conflict("a store's own agent cannot buy from its own store")
	}
	access, err := acl.Decide(ctx, tx, c.Principal, offer.Store, at)
	switch {
	case errors.Is(err, acl.ErrDenied):
	case err != nil:
		return acl.Grant{}, false, err
	case access.Offer == id.String():
		grant, err = grantUnder(ctx, tx, c, offer)
		return grant, true, err
	default:
		return acl.Grant{}, false, conflict("the caller already has a level on this store")
	}
	if err := requireEnabled(ctx, tx, c); err != nil {
		return acl.Grant{}, false, err
	}
	if offer.State != OfferOpen {
		return acl.Grant{}, false, memory.ErrNotFound
	}
	grant, err = meteredGrant(c, offer, at)
	return grant, false, err
}

// unpaid returns the PaymentError for an unpaid search of an offer, for up to limit hits under
// grant. If a cap is spent, it returns the CapError instead.
func unpaid(ctx context.Context, tx pricer, c memory.Caller, limit int, grant acl.Grant, at time.Time) error {
	quotas, err := loadQuotas(ctx, tx, c, nil, []acl.Access{accessBy(grant)}, at)
	if err != nil {
		return err
	}
	if spent := quotas[0].spent(at); spent != nil {
		return spent
	}
	balance, err := tx.Balance(ctx, Holder(c.Agent, c.Taint))
	if err != nil {
		return err
	}
	return quotas[0].unpaid(balance, limit, skipUnpaid)
}

// accessBy returns the access that a metered grant gives.
func accessBy(grant acl.Grant) acl.Access {
	return acl.Access{Store: grant.Store, Level: grant.Level, Offer: grant.Offer, Terms: grant.Terms}
}

// Quote returns, as a PaymentError, the most that a search of an offer with this limit could
// cost the caller now, with or without a grant. It returns Admit's errors.
func (m *Meter) Quote(ctx context.Context, c memory.Caller, offer uuid.UUID, limit int, at time.Time) (quote *search.PaymentError, err error) {
	err = m.storage.View(ctx, func(tx ReadTx) error {
		grant, _, err := offered(ctx, tx, c, offer, at)
		if err != nil {
			return err
		}
		if err = unpaid(ctx, tx, c, limit, grant, at); errors.As(err, &quote) {
			return nil
		}
		return err
	})
	return quote, err
}

// Admit implements search.Meter.
func (m *Meter) Admit(ctx context.Context, tx memory.ReadTx, c memory.Caller, p search.Purchase, stores []acl.Access, at time.Time) (a search.Admission, err error) {
	r := m.storage.Reading(tx)
	if p.Offer != uuid.Nil {
		grant, err := payableOffer(ctx, r, c, p, at)
		if p.Repeated {
			return repeated(grant, err)
		}
		if err != nil {
			return a, err
		}
		a.Grant, p.Named, stores = &grant, []string{grant.Store}, []acl.Access{accessBy(grant)}
	}
	quotas, err := loadQuotas(ctx, r, c, p.Named, stores, at)
	if err != nil {
		return search.Admission{}, err
	}
	funds, err := fundsOf(ctx, r, c, p, quotas)
	if err != nil {
		return search.Admission{}, err
	}
	if err := admit(quotas, &funds, c, p.Offer, p.Limit, at); err != nil {
		return search.Admission{}, err
	}
	for _, l := range quotas {
		if l.leftOut {
			a.LeftOut = append(a.LeftOut, l.access.Store)
		}
	}
	a.Skipped = skippedOf(quotas)
	return a, nil
}

// repeated turns the results of payableOffer into the admission of a search that only repeats
// an earlier answer. The search is admitted even if the caller can no longer buy; the admission
// then has no grant.
func repeated(grant acl.Grant, err error) (search.Admission, error) {
	var clash *memory.ConflictError
	var price *search.PaymentError
	var spent *search.CapError // unpaid returns it before a PaymentError
	switch {
	case err == nil:
		return search.Admission{Grant: &grant}, nil
	case errors.Is(err, memory.ErrNotFound), errors.As(err, &clash), errors.As(err, &price), errors.As(err, &spent):
		return search.Admission{}, nil
	}
	return search.Admission{}, err
}

// skippedOf returns the metered stores that the search leaves out, with the reasons.
func skippedOf(quotas []*quota) (skipped []search.Skipped) {
	for _, l := range quotas {
		if l.skipped != "" {
			skipped = append(skipped, search.Skipped{Store: l.access.Store, Offer: l.access.Offer, Reason: l.skipped})
		}
	}
	return skipped
}
