package meter

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Offer returns an offer. Only its seller and agents with a grant under it see an offer that
// is withdrawn.
func (m *Market) Offer(ctx context.Context, c memory.Caller, offer uuid.UUID) (FoundOffer, error) {
	var found Offer
	err := m.view(ctx, c, func(tx ReadTx) (err error) {
		found, err = visibleOffer(ctx, tx, c, offer, m.service.Instant())
		return err
	})
	if err != nil {
		return FoundOffer{}, err
	}
	return m.show(c, found), nil
}

// Offers returns a page of the open offers of all stores, in the order of their
// creation.
func (m *Market) Offers(ctx context.Context, c memory.Caller, limit int, cursor string) (OfferPage, error) {
	bound := []string{"offers", c.Agent, c.Taint.String()}
	var after uuid.UUID
	if cursor != "" {
		if err := m.service.Secret().OpenCursor(cursor, &after, bound); err != nil {
			return OfferPage{}, err
		}
	}
	if err := checkLimit(limit); err != nil {
		return OfferPage{}, err
	}
	var offers []Offer
	err := m.view(ctx, c, func(tx ReadTx) (err error) {
		offers, err = tx.OpenOffers(ctx, c.Taint, after, limit+1)
		return err
	})
	if err != nil {
		return OfferPage{}, err
	}
	var page OfferPage
	if len(offers) > limit {
		offers = offers[:limit]
		if page.Next, err = m.service.Secret().SealCursor(offers[limit-1].ID, bound); err != nil {
			return OfferPage{}, err
		}
	}
	page.Items = m.showAll(c, offers)
	return page, nil
}

// OffersOn returns the offers on a store, including withdrawn ones. The caller must be
// the store's own agent.
func (m *Market) OffersOn(ctx context.Context, c memory.Caller, store string) ([]FoundOffer, error) {
	var found []Offer
	err := m.view(ctx, c, func(tx ReadTx) error {
		if err := requireOwn(ctx, tx, c, store, m.service.Instant()); err != nil {
			return err
		}
		offers, err := tx.OffersOn(ctx, store)
		if err != nil {
			return err
		}
		found = nil
		for _, o := range offers {
			if o.Label.CanFlowTo(c.Taint) {
				found = append(found, o)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m.showAll(c, found), nil
}

// visibleOffer returns an offer that exists for the caller; memory.ErrNotFound if
// there is none.
func visibleOffer(ctx context.Context, tx interface {
	OfferReader
	acl.Facts
}, c memory.Caller, id uuid.UUID, now time.Time,
) (Offer, error) {
	offer, err := tx.Offer(ctx, id)
	if err != nil {
		return Offer{}, err
	}
	if offer == nil || !offer.Label.CanFlowTo(c.Taint) {
		return Offer{}, memory.ErrNotFound
	}
	if offer.State == OfferOpen || offer.Store == c.Agent {
		return *offer, nil
	}
	grant, err := grantUnder(ctx, tx, c, *offer)
	if err != nil {
		return Offer{}, err
	}
	if grant.Level == acl.None || !grant.ExpiresAt.IsZero() && !now.Before(grant.ExpiresAt) {
		return Offer{}, memory.ErrNotFound
	}
	return *offer, nil
}

// grantUnder returns the caller's grant under an offer. If the caller's session sees several,
// it is the grant with the highest label; if it sees none, the Level of the result is None.
func grantUnder(ctx context.Context, tx acl.Facts, c memory.Caller, o Offer) (acl.Grant, error) {
	grants, err := acl.GrantsOf(ctx, tx, o.Store, c.Agent, c.Taint)
	if err != nil {
		return acl.Grant{}, err
	}
	for _, grant := range grants {
		if grant.Offer == o.ID.String() {
			return grant, nil
		}
	}
	return acl.Grant{}, nil
}

// lockedOffer locks an offer that exists, and reads it.
func lockedOffer(ctx context.Context, tx OfferWriter, id uuid.UUID) (Offer, error) {
	if err := tx.Lock(ctx, lockOffer(id)); err != nil {
		return Offer{}, err
	}
	offer, err := tx.Offer(ctx, id)
	if err != nil {
		return Offer{}, err
	}
	if offer == nil {
		return Offer{}, memory.ErrNotFound
	}
	return *offer, nil
}

// show returns an offer as the caller may see it. Only the store's own agent sees the caps
// over all buyers.
func (m *Market) show(c memory.Caller, o Offer) FoundOffer {
	if o.Store != c.Agent {
		o.Caps = OfferCaps{}
	}
	return FoundOffer{Offer: o, ETag: m.service.Secret().ETag(o.ID, o.Version)}
}

func (m *Market) showAll(c memory.Caller, offers []Offer) []FoundOffer {
	found := make([]FoundOffer, len(offers))
	for i, o := range offers {
		found[i] = m.show(c, o)
	}
	return found
}

func checkLimit(limit int) error {
	if limit < 1 || limit > 100 {
		return rule("limit", "must be 1 to 100")
	}
	return nil
}
