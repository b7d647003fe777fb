package meter

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Limits of the offers that a store has at one label.
const (
	MaxOpenOffers = 100
	MaxOffers     = 1000 // including withdrawn ones
)

// quotaRetry is the delay after which a caller should try again to create an offer. It is a
// guess: nobody knows when one of the existing offers will be withdrawn.
const quotaRetry = time.Minute

// MakeOffer offers searches of a store. The caller must be the store's own agent. The offer's
// label is the caller's taint.
func (m *Market) MakeOffer(ctx context.Context, c memory.Caller, store string, r OfferRequest, i *memory.Idempotency) (FoundOffer, error) {
	var made Offer
	err := m.update(ctx, c, func(tx Tx) error {
		if err := requireOwn(ctx, tx, c, store, m.service.Instant()); err != nil {
			return err
		}
		if err := r.checkWhole(); err != nil {
			return err
		}
		if err := r.check(c.Taint); err != nil {
			return err
		}
		record, err := m.service.Outcomes().Recorded(ctx, tx, c, i)
		if err != nil {
			return err
		}
		if record != nil {
			made, err = recordedOffer(ctx, tx, record)
			return err
		}
		if made, err = m.makeOffer(ctx, tx, c, store, r); err != nil {
			return err
		}
		return m.service.Outcomes().Record(ctx, tx, c, i, memory.IdempotencyRecord{Created: true, IDs: []uuid.UUID{made.ID}})
	})
	if err != nil {
		return FoundOffer{}, err
	}
	return m.show(c, made), nil
}

func (m *Market) makeOffer(ctx context.Context, tx OfferWriter, c memory.Caller, store string, r OfferRequest) (Offer, error) {
	if err := tx.Lock(ctx, lockOffers(store)); err != nil {
		return Offer{}, err
	}
	if err := checkOffers(ctx, tx, store, c.Taint); err != nil {
		return Offer{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Offer{}, err
	}
	now := m.service.Instant()
	offer := Offer{
		ID: id, Store: store, Seller: c.Agent, Terms: defaultTerms(c.Taint), Label: c.Taint,
		State: OfferOpen, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	r.change(&offer)
	return offer, tx.PutOffer(ctx, offer)
}

// checkOffers returns a QuotaError if a store cannot have another offer at a label. Offers at
// other labels do not count: the caller may not see them.
func checkOffers(ctx context.Context, tx OfferReader, store string, label acl.Label) error {
	offers, err := tx.OffersOn(ctx, store)
	if err != nil {
		return err
	}
	open, all := 0, 0
	for _, o := range offers {
		if o.Label == label {
			all++
			if o.State == OfferOpen {
				open++
			}
		}
	}
	switch {
	case open >= MaxOpenOffers:
		return &memory.QuotaError{Limit: "open offers", Max: MaxOpenOffers, RetryAfter: quotaRetry}
	case all >= MaxOffers:
		return &memory.QuotaError{Limit: "offers", Max: MaxOffers, RetryAfter: quotaRetry}
	}
	return nil
}

// recordedOffer returns the offer that an earlier call made, as it is now.
func recordedOffer(ctx context.Context, tx OfferReader, record *memory.IdempotencyRecord) (Offer, error) {
	if len(record.IDs) == 0 {
		return Offer{}, memory.ErrNotFound
	}
	offer, err := tx.Offer(ctx, record.IDs[0])
	if err != nil {
		return Offer{}, err
	}
	if offer == nil {
		return Offer{}, memory.ErrNotFound
	}
	return *offer, nil
}

// change sets the fields of an offer that are given.
func (r OfferRequest) change(o *Offer) {
	give(&o.Title, r.Title)
	give(&o.Description, r.Description)
	give(&o.Caps, r.Caps)
	o.Terms = r.Terms.over(o.Terms)
}

// ChangeOffer changes an offer of the caller's own store. Grants under it keep the terms that
// their buyers accepted.
func (m *Market) ChangeOffer(ctx context.Context, c memory.Caller, offer uuid.UUID, r OfferRequest, holds memory.Preconditions) (FoundOffer, error) {
	// changeOffer refuses offers whose label is not the caller's taint, so the terms can be
	// checked for that label before the offer is read.
	invalid := r.check(c.Taint)
	return m.changeOffer(ctx, c, offer, holds, invalid, r.change)
}

// WithdrawOffer ends an offer of the caller's own store. Grants under it remain valid.
func (m *Market) WithdrawOffer(ctx context.Context, c memory.Caller, offer uuid.UUID, holds memory.Preconditions) error {
	_, err := m.changeOffer(ctx, c, offer, holds, nil, func(o *Offer) { o.State = OfferWithdrawn })
	return err
}

// changeOffer applies a change to an open offer. invalid, unless nil, is the error of an
// invalid request. changeOffer returns it to callers who may change the offer, and for offers
// that do not exist. Other callers get the error that says that they may not.
func (m *Market) changeOffer(ctx context.Context, c memory.Caller, id uuid.UUID, holds memory.Preconditions, invalid error, change func(*Offer)) (FoundOffer, error) {
	var changed Offer
	err := m.update(ctx, c, func(tx Tx) error {
		now := m.service.Instant()
		offer, err := visibleOffer(ctx, tx, c, id, now)
		if err != nil && !errors.Is(err, memory.ErrNotFound) {
			return err
		}
		missing := err
		if missing == nil {
			if err := requireOwn(ctx, tx, c, offer.Store, now); err != nil {
				return err
			}
		}
		if invalid != nil {
			return invalid
		}
		if missing != nil {
			return missing
		}
		if offer, err = lockedOffer(ctx, tx, id); err != nil {
			return err
		}
		if err := checkChange(c, offer); err != nil {
			return err
		}
		if err := holds.Check(m.service.Secret().ETag(offer.ID, offer.Version)); err != nil {
			return err
		}
		change(&offer)
		offer.Version++
		offer.UpdatedAt = now
		changed = offer
		return tx.PutOffer(ctx, offer)
	})
	if err != nil {
		return FoundOffer{}, err
	}
	return m.show(c, changed), nil
}

// checkChange returns an error if a visible offer has a lower label than the session, or is
// withdrawn.
func checkChange(c memory.Caller, o Offer) error {
	if o.Label != c.Taint {
		return conflict("the offer has a lower label than the session, and is changed at its own label only")
	}
	if o.State != OfferOpen {
		return conflict("the offer is withdrawn")
	}
	return nil
}

// requireOwn returns acl.ErrDenied unless the caller is the store's own agent.
func requireOwn(ctx context.Context, tx acl.Facts, c memory.Caller, store string, now time.Time) error {
	if err := acl.CheckID(store); err != nil {
		return err
	}
	a, err := acl.Decide(ctx, tx, c.Principal, store, now)
	if err == nil && a.Via != acl.ViaOwn {
		err = acl.ErrDenied
	}
	return err
}
