package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mneme/acl"
)

// Share grants a store to an agent, or changes the grant. The caller needs
// readwrite on the store or a platform token. It cannot grant more than it
// has, nor change another agent's grant unless it manages the store. While an offer
// sells searches of a store, its own agent alone shares it.
//
// SECURITY: whether the grantee is a caller, a chat or unknown is neither asked
// nor recorded, so that the answer and its time do not depend on it. A grant
// never claims an id: a chat could not be made under it later.
func (s *Service) Share(ctx context.Context, c Caller, r ShareRequest) (acl.Grant, error) {
	var grant acl.Grant
	err := s.update(ctx, c, Work{Stores: []string{r.Store}}, func(tx Tx) error {
		now := s.Instant()
		a, err := shareAccess(ctx, tx, c, r.Store, now)
		if err != nil {
			return err
		}
		if err := mayShare(ctx, tx, c, r.Store); err != nil {
			return err
		}
		if r.MaxLabel == 0 {
			r.MaxLabel = a.Ceiling
		}
		if r.Level == acl.None {
			r.Level = acl.Read
		}
		if r.MaxLabel > a.Ceiling {
			return acl.ErrDenied
		}
		old, err := acl.GrantOf(ctx, tx, r.Store, r.Grantee)
		if err != nil {
			return err
		}
		if err := mayChangeGrant(ctx, tx, c, a, old, now); err != nil {
			return err
		}
		if err := checkShare(c, r); err != nil {
			return err
		}
		if old.Level == acl.None || hasExpired(old, now) {
			if err := s.checkGrants(ctx, tx, r.Store, now); err != nil {
				return err
			}
		}
		grant = acl.Grant{
			Store: r.Store, Grantee: r.Grantee, Level: r.Level, MaxLabel: r.MaxLabel,
			Maker: c.Agent, ByPlatform: c.Platform, CreatedAt: now, Caps: r.Caps,
		}
		if r.TTL != nil {
			grant.ExpiresAt = expiry(now, *r.TTL)
		}
		return tx.PutFact(ctx, GrantFact(grant))
	})
	return grant, err
}

// checkGrants enforces the limit of a store's unexpired grants for a new one.
// Whoever may share a store may list its grants: the count reveals nothing.
func (s *Service) checkGrants(ctx context.Context, tx Tx, store string, now time.Time) error {
	n, err := tx.Count(ctx, GrantsOf{store})
	if err != nil || n < s.limits.Grants {
		return err
	}
	if _, err := tx.Trim(ctx, ExpiredGrants{store, now}); err != nil { // expired grants do not count
		return err
	}
	if n, err = tx.Count(ctx, GrantsOf{store}); err != nil || n < s.limits.Grants {
		return err
	}
	return &QuotaError{Limit: "grants", Max: s.limits.Grants, RetryAfter: quotaRetry}
}

// CheckNewGrant returns a QuotaError if a store has no room for another grant.
func (s *Service) CheckNewGrant(ctx context.Context, tx Tx, store string) error {
	return s.checkGrants(ctx, tx, store, s.Instant())
}

func hasExpired(g acl.Grant, now time.Time) bool {
	return !g.ExpiresAt.IsZero() && !now.Before(g.ExpiresAt)
}

// shareAccess returns the caller's access to a store whose grants it manages. A
// platform token may manage those of any store, up to its own taint.
func shareAccess(ctx context.Context, tx acl.Facts, c Caller, store string, now time.Time) (acl.Access, error) {
	a, err := access(ctx, tx, c, store, acl.ReadWrite, now)
	if c.Platform && errors.Is(err, acl.ErrDenied) {
		return acl.Access{Store: store, Level: acl.ReadWrite, Ceiling: c.Taint}, nil
	}
	return a, err
}

// mayShare refuses to share a store that is for sale, unless the caller is its own
// agent: what others gave away would not be sold.
func mayShare(ctx context.Context, tx Counter, c Caller, store string) error {
	if c.Agent == store {
		return nil
	}
	offers, err := tx.Count(ctx, OffersOf{store})
	if err == nil && offers > 0 {
		err = acl.ErrDenied
	}
	return err
}

// mayChangeGrant refuses to change another agent's grant, unless the caller is
// the store's own agent or has a platform token. A grant that is no longer in
// effect may be changed by anybody.
func mayChangeGrant(ctx context.Context, tx acl.Facts, c Caller, a acl.Access, old acl.Grant, now time.Time) error {
	if old.Level == acl.None || old.Maker == c.Agent || a.Via == acl.ViaOwn || c.Platform {
		return nil
	}
	inEffect, err := acl.InEffect(ctx, tx, old, now)
	if err != nil {
		return err
	}
	if inEffect {
		return acl.ErrDenied
	}
	return nil
}

func checkShare(c Caller, r ShareRequest) error {
	if err := acl.CheckID(r.Grantee); err != nil {
		return fmt.Errorf("grantee: %w", err)
	}
	if r.Grantee == c.Agent {
		return rule("grantee", "must not be the caller itself")
	}
	if r.Grantee == r.Store {
		return rule("grantee", "must not be the store's own agent, which has full access already")
	}
	if !r.Level.Valid() {
		return rule("level", "must be search, read or readwrite")
	}
	if err := checkCaps(r); err != nil {
		return err
	}
	if r.TTL != nil {
		return CheckTTL(*r.TTL)
	}
	return nil
}

// maxCap bounds the caps of a grant.
const maxCap = 1_000_000_000

// checkCaps checks the caps of a grant, which bound level search alone.
func checkCaps(r ShareRequest) error {
	if r.Caps == (acl.Caps{}) {
		return nil
	}
	if r.Level != acl.Search {
		return rule("caps", "are for level search")
	}
	if r.Caps.SearchesPerHour < 0 || r.Caps.SearchesPerHour > maxCap {
		return rule("caps.searches_per_hour", "must be 1 to %d, or 0 for the default", maxCap)
	}
	if r.Caps.EntriesPerDay < 0 || r.Caps.EntriesPerDay > maxCap {
		return rule("caps.entries_per_day", "must be 1 to %d, or 0 for the default", maxCap)
	}
	return nil
}

// Unshare revokes a grant that the caller made, or any in a store that it
// manages.
func (s *Service) Unshare(ctx context.Context, c Caller, store, grantee string) error {
	return s.update(ctx, c, Work{Stores: []string{store}}, func(tx Tx) error {
		now := s.Instant()
		a, err := shareAccess(ctx, tx, c, store, now)
		if err != nil {
			return err
		}
		old, err := acl.GrantOf(ctx, tx, store, grantee)
		if err != nil {
			return err
		}
		if old.Level == acl.None || hasExpired(old, now) {
			return ErrNotFound
		}
		if err := mayChangeGrant(ctx, tx, c, a, old, now); err != nil {
			return err
		}
		return tx.PutFact(ctx, GrantFact{Store: store, Grantee: grantee})
	})
}

// Grants lists the unexpired grants of a store, ordered by grantee.
func (s *Service) Grants(ctx context.Context, c Caller, store string) ([]acl.Grant, error) {
	var grants []acl.Grant
	err := s.view(ctx, c, func(tx ReadTx) error {
		now := s.Instant()
		if _, err := shareAccess(ctx, tx, c, store, now); err != nil {
			return err
		}
		all, err := tx.Grants(ctx, acl.GrantQuery{Store: store})
		if err != nil {
			return err
		}
		grants = nil
		for _, g := range all {
			if !hasExpired(g, now) {
				grants = append(grants, g)
			}
		}
		return nil
	})
	return grants, err
}

// Stores lists the stores that the caller can reach: its own, granted ones, and
// those of the chat and user that its token claims or the request names. chat
// and user may be empty.
func (s *Service) Stores(ctx context.Context, c Caller, chat, user string) ([]StoreInfo, error) {
	var infos []StoreInfo
	err := s.view(ctx, c, func(tx ReadTx) error {
		scope, err := acl.NewScope(ctx, tx, c.Principal, acl.ScopeRequest{Chat: chat, User: user}, s.Instant())
		if err != nil {
			return err
		}
		infos = nil
		for _, a := range scope.Stores() {
			info, err := s.infoOf(ctx, tx, a)
			if err != nil {
				return err
			}
			infos = append(infos, info)
		}
		return nil
	})
	return infos, err
}

func (s *Service) infoOf(ctx context.Context, tx Counter, a acl.Access) (StoreInfo, error) {
	kind := string(a.Via)
	if a.Via == acl.ViaOwn {
		kind = "self"
	}
	info := StoreInfo{Store: a.Store, Kind: kind, Level: a.Level, ExpiresAt: a.ExpiresAt}
	if a.Level >= acl.Read { // else it would tell of what is stored
		info.Reading = a.Reading
		info.Models, info.Why = s.modelsOf(a.Reading)
		if err := s.addProgress(ctx, tx, a, &info); err != nil {
			return info, err
		}
	}
	return info, nil
}
