package meter

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Accept gives the caller a metered grant of level search on the store of an offer. The grant
// records the offer's present terms, has the label of the caller's session, and counts as
// accepted. It replaces an earlier grant that no longer gives the caller anything: because it
// has expired, because its maker may no longer share the store, or because it is suspended
// although the offer is open.
func (m *Market) Accept(ctx context.Context, c memory.Caller, offer uuid.UUID, holds memory.Preconditions, i *memory.Idempotency) (acl.Grant, error) {
	var grant acl.Grant
	err := m.update(ctx, c, func(tx Tx) error {
		now := m.service.Instant()
		if err := requireEnabled(ctx, tx, c); err != nil {
			return err
		}
		o, err := visibleOffer(ctx, tx, c, offer, now)
		if err != nil {
			return err
		}
		record, err := m.service.Outcomes().Recorded(ctx, tx, c, i)
		if err != nil {
			return err
		}
		if record != nil {
			grant, err = acceptedGrant(ctx, tx, c, o)
			return err
		}
		if grant, err = m.accept(ctx, tx, c, o, holds, now); err != nil {
			return err
		}
		return m.service.Outcomes().Record(ctx, tx, c, i, memory.IdempotencyRecord{Created: true, IDs: []uuid.UUID{offer}})
	})
	return grant, err
}

func (m *Market) accept(ctx context.Context, tx Tx, c memory.Caller, o Offer, holds memory.Preconditions, now time.Time) (acl.Grant, error) {
	if err := requireNoLevel(ctx, tx, c, o.Store, now); err != nil {
		return acl.Grant{}, err
	}
	all, err := acl.GrantsOf(ctx, tx, o.Store, c.Agent, c.Taint)
	if err != nil {
		return acl.Grant{}, err
	}
	if o, err = lockedOffer(ctx, tx, o.ID); err != nil {
		return acl.Grant{}, err
	}
	if o.State != OfferOpen { // it was withdrawn meanwhile, or the caller's grant has just ended
		return acl.Grant{}, memory.ErrNotFound
	}
	if err := holds.Check(m.service.Secret().ETag(o.ID, o.Version)); err != nil {
		return acl.Grant{}, err
	}
	if !slices.ContainsFunc(all, func(g acl.Grant) bool { return g.Label == c.Taint }) {
		if err := m.service.CheckNewGrant(ctx, tx, o.Store, c.Taint); err != nil {
			return acl.Grant{}, err
		}
	}
	grant, err := meteredGrant(c, o, now)
	if err != nil {
		return acl.Grant{}, err
	}
	return grant, tx.PutGrant(ctx, grant)
}

// requireEnabled returns acl.ErrDenied if the caller has disabled all access that a grant
// could give it.
func requireEnabled(ctx context.Context, tx acl.Facts, c memory.Caller) error {
	settings, err := tx.Settings(ctx, c.Agent)
	if err == nil && !settings.Enabled {
		err = acl.ErrDenied
	}
	return err
}

// requireNoLevel returns a ConflictError if the caller has a level on a store.
func requireNoLevel(ctx context.Context, tx acl.Facts, c memory.Caller, store string, now time.Time) error {
	if store == c.Agent {
		return conflict("a store's own agent cannot buy from its own store")
	}
	_, err := acl.Decide(ctx, tx, c.Principal, store, now)
	switch {
	case err == nil:
		return conflict("the caller already has a level on this store")
	case errors.Is(err, acl.ErrDenied):
		return nil
	}
	return err
}

// meteredGrant returns the grant that accepts an offer.
func meteredGrant(c memory.Caller, o Offer, now time.Time) (acl.Grant, error) {
	terms, err := json.Marshal(o.Terms)
	if err != nil {
		return acl.Grant{}, err
	}
	grant := acl.Grant{
		Store: o.Store, Grantee: c.Agent, Level: acl.Search, MaxLabel: o.Terms.MaxLabel,
		Maker: o.Seller, CreatedAt: now, Label: c.Taint, Accepted: c.Taint, Offer: o.ID.String(), Terms: string(terms),
	}
	if o.Terms.GrantTTL > 0 {
		grant.ExpiresAt = now.Add(time.Duration(o.Terms.GrantTTL) * time.Second)
	}
	return grant, nil
}

// acceptedGrant returns the current state of the grant that an earlier call made;
// memory.ErrNotFound if it has ended.
func acceptedGrant(ctx context.Context, tx acl.Facts, c memory.Caller, o Offer) (acl.Grant, error) {
	grant, err := grantUnder(ctx, tx, c, o)
	if err == nil && grant.Level == acl.None {
		err = memory.ErrNotFound
	}
	return grant, err
}
