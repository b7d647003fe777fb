package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mneme/acl"
	"mneme/embed/choice"
)

// Share grants a store to an agent, or changes the grant. The caller needs readwrite on the
// store or a platform token. It can neither grant more than it has, nor change another agent's
// grant unless it manages the store. While an offer sells searches of a store, only the store's
// own agent shares it.
//
// The grant has the label of the caller's session: it replaces the grant that a session of this
// label made, and takes precedence over grants of lower labels. A platform token's grant exists
// for every session. A grant that the grantee has accepted stays accepted.
//
// SECURITY: Share neither looks up nor records whether the grantee is a caller, a chat or
// unknown, so that the answer and its duration do not depend on it. A grant never claims an id:
// a chat with that id could not be created later.
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
		all, err := acl.GrantsOf(ctx, tx, r.Store, r.Grantee, c.Taint)
		if err != nil {
			return err
		}
		for _, old := range all { // their grants would be replaced or hidden by the new one
			if err := mayChangeGrant(ctx, tx, c, a, old, now); err != nil {
				return err
			}
		}
		if err := checkShare(c, r); err != nil {
			return err
		}
		old := grantAt(all, grantLabel(c))
		if old.Level == acl.None || hasExpired(old, now) {
			if err := s.checkGrants(ctx, tx, r.Store, grantLabel(c), now); err != nil {
				return err
			}
		}
		grant = acl.Grant{
			Store: r.Store, Grantee: r.Grantee, Level: r.Level, MaxLabel: r.MaxLabel, Label: grantLabel(c),
			Maker: c.Agent, ByPlatform: c.Platform, CreatedAt: now, Caps: r.Caps,
		}
		if in, err := acl.InEffect(ctx, tx, old, now); err != nil {
			return err
		} else if in {
			grant.Accepted = old.Accepted
		}
		if r.TTL != nil {
			grant.ExpiresAt = expiry(now, *r.TTL)
		}
		return tx.PutGrant(ctx, grant)
	})
	return grant, err
}

// grantAt returns the grant with a label. Its Level is None if there is none.
func grantAt(grants []acl.Grant, label acl.Label) acl.Grant {
	for _, g := range grants {
		if g.Label == label {
			return g
		}
	}
	return acl.Grant{}
}

// checkGrants returns a QuotaError if a store has no room for another unexpired grant at a
// label. Whoever may share a store may list its grants, so the error reveals nothing.
func (s *Service) checkGrants(ctx context.Context, tx Tx, store string, label acl.Label, now time.Time) error {
	n, err := tx.CountGrants(ctx, store, label)
	if err != nil || n < s.limits.Grants {
		return err
	}
	if err := tx.TrimGrants(ctx, store, now); err != nil { // expired grants do not count
		return err
	}
	if n, err = tx.CountGrants(ctx, store, label); err != nil || n < s.limits.Grants {
		return err
	}
	return &QuotaError{Limit: "grants", Max: s.limits.Grants, RetryAfter: quotaRetry}
}

// CheckNewGrant returns a QuotaError if a store has no room for another grant at a label.
func (s *Service) CheckNewGrant(ctx context.Context, tx Tx, store string, label acl.Label) error {
	return s.checkGrants(ctx, tx, store, label, s.Instant())
}

func hasExpired(g acl.Grant, now time.Time) bool {
	return !g.ExpiresAt.IsZero() && !now.Before(g.ExpiresAt)
}

// shareAccess returns the caller's access to a store whose grants it manages. A platform token
// may manage the grants of any store, up to its own taint.
func shareAccess(ctx context.Context, tx acl.Facts, c Caller, store string, now time.Time) (acl.Access, error) {
	a, err := access(ctx, tx, c, store, acl.ReadWrite, now)
	if c.Platform && errors.Is(err, acl.ErrDenied) {
		return acl.Access{Store: store, Level: acl.ReadWrite, Ceiling: c.Taint}, nil
	}
	return a, err
}

// mayShare returns an error if an offer sells searches of the store and the caller is not the
// store's own agent: nobody would buy what others share for free.
func mayShare(ctx context.Context, tx GrantCounter, c Caller, store string) error {
	if c.Agent == store {
		return nil
	}
	offers, err := tx.CountOffers(ctx, store, c.Taint)
	if err == nil && offers > 0 {
		err = acl.ErrDenied
	}
	return err
}

// mayChangeGrant returns an error if the grant is another agent's, unless the caller is the
// store's own agent or has a platform token. Anybody who may share the store may change a grant
// that is no longer in effect.
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

// checkCaps checks the caps of a grant, which bound only level search.
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

// Unshare is Revoke without cascade.
func (s *Service) Unshare(ctx context.Context, c Caller, store, grantee string) error {
	_, err := s.Revoke(ctx, c, store, grantee, false)
	return err
}

// Revoke revokes a grant that the caller made, or any grant in a store that it manages. It also
// ends or refuses a grant to the caller itself. Of several grants to the grantee, it revokes
// the one with the highest label that the session reaches. If that label is lower than the
// session's, the error is a ConflictError, because the grant's maker would see an action of a
// higher session. A platform token may revoke it nevertheless.
//
// It returns the grants that are no longer in effect, because their makers had their level by
// the revoked grant. With cascade it revokes these too.
func (s *Service) Revoke(ctx context.Context, c Caller, store, grantee string, cascade bool) (dependents []GrantInfo, err error) {
	err = s.update(ctx, c, Work{Stores: []string{store}}, func(tx Tx) error {
		now := s.Instant()
		own := grantee == c.Agent
		a, err := shareAccess(ctx, tx, c, store, now)
		if own && errors.Is(err, acl.ErrDenied) {
			err = nil
		}
		if err != nil {
			return err
		}
		all, err := acl.GrantsOf(ctx, tx, store, grantee, c.Taint)
		if err != nil {
			return err
		}
		old := slices.IndexFunc(all, func(g acl.Grant) bool { return !hasExpired(g, now) })
		if old < 0 {
			if a.Level == acl.None { // without a grant, the caller has no access
				return acl.ErrDenied
			}
			return ErrNotFound
		}
		if !own {
			if err := mayChangeGrant(ctx, tx, c, a, all[old], now); err != nil {
				return err
			}
		}
		if !mayChangeAt(c, all[old]) {
			return conflict("the grant was made in a session of a lower label, and is changed at its own label only")
		}
		dependents, err = revoke(ctx, tx, c, all[old], cascade, now)
		return err
	})
	return dependents, err
}

// mayChangeAt reports whether a session may change or end a grant that it sees: only one with
// the session's own label. Older versions of mneme did not store labels: a grant that they made
// may be changed in any session up to its MaxLabel.
func mayChangeAt(c Caller, g acl.Grant) bool {
	return c.Platform || c.Taint == g.Label || !g.ByPlatform && c.Taint <= g.MaxLabel
}

// grantLabel is the label of the grants that a caller makes: its session's. The platform is
// trusted with every label, so its grants exist for every session.
func grantLabel(c Caller) acl.Label {
	if c.Platform {
		return acl.Public
	}
	return c.Taint
}

// AcceptGrant accepts the grants of a store to the caller, so that they count in calls that
// name no store, and returns the effective one. The acceptance has the label of the caller's
// session. The error is acl.ErrDenied if no grant gives the caller a level.
func (s *Service) AcceptGrant(ctx context.Context, c Caller, store string) (grant acl.Grant, err error) {
	err = s.update(ctx, c, Work{Stores: []string{store}}, func(tx Tx) (err error) {
		grant, err = accept(ctx, tx, c, store, s.Instant())
		return err
	})
	return grant, err
}

func accept(ctx context.Context, tx Tx, c Caller, store string, now time.Time) (acl.Grant, error) {
	a, err := access(ctx, tx, c, store, acl.Search, now)
	if err != nil {
		return acl.Grant{}, err
	}
	if a.Via != acl.ViaGrant {
		return acl.Grant{}, conflict("the caller's level on this store is not by a grant")
	}
	all, err := acl.GrantsOf(ctx, tx, store, c.Agent, c.Taint)
	if err != nil {
		return acl.Grant{}, err
	}
	grant := grantAt(all, a.Label)
	if a.Unaccepted {
		grant.Accepted = c.Taint
		err = tx.PutGrant(ctx, grant)
	}
	return grant, err
}

// acceptAgain is the pause before Named tries again to accept a grant after a failure.
const acceptAgain = time.Minute

// unacceptedBytes bounds the cache of these failures, about 5,000 of them.
const unacceptedBytes = 1 << 20

// Named accepts the grants by which the caller reached the stores that a call named. Only the
// first call of a grantee has anything to accept and writes. If the write fails, the call still
// succeeds, and a later call tries again.
func (s *Service) Named(ctx context.Context, c Caller, reached ...acl.Access) {
	for _, a := range reached {
		if a.Via != acl.ViaGrant || !a.Unaccepted {
			continue
		}
		key, now := a.Store+" "+c.Agent, s.Instant()
		if tried, ok := s.unaccepted.Get(key); ok && now.Sub(tried).Abs() < acceptAgain {
			continue
		}
		s.unaccepted.Put(key, now)
		_, err := s.AcceptGrant(ctx, c, a.Store)
		switch {
		case err == nil || isRefusal(err): // the grant has ended meanwhile
			s.unaccepted.Put(key, time.Time{})
		case ctx.Err() == nil:
			s.log.WarnContext(ctx, "a grantee named a store, but that could not be recorded", "error", err)
		}
	}
}

// Grants lists the unexpired grants of a store that exist for the caller's session, ordered by
// grantee and label.
func (s *Service) Grants(ctx context.Context, c Caller, store string) ([]GrantInfo, error) {
	var grants []GrantInfo
	err := s.view(ctx, c, func(tx ReadTx) error {
		now := s.Instant()
		if _, err := shareAccess(ctx, tx, c, store, now); err != nil {
			return err
		}
		facts, err := readGrants(ctx, tx, store)
		if err != nil {
			return err
		}
		grants, err = facts.visible(ctx, c, now)
		return err
	})
	return grants, err
}

// Stores lists the stores that the caller can reach: its own, granted ones, and the stores of
// the chat and user that its token claims or the request names. chat and user may be empty.
// Granted stores that the caller has not accepted are included.
func (s *Service) Stores(ctx context.Context, c Caller, chat, user string) ([]StoreInfo, error) {
	var infos []StoreInfo
	err := s.view(ctx, c, func(tx ReadTx) error {
		scope, err := acl.NewScope(ctx, tx, c.Principal, acl.ScopeRequest{Chat: chat, User: user, Unaccepted: true}, s.Instant())
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

func (s *Service) infoOf(ctx context.Context, tx ReadingReader, a acl.Access) (StoreInfo, error) {
	kind := string(a.Via)
	if a.Via == acl.ViaOwn {
		kind = "self"
	}
	info := StoreInfo{Store: a.Store, Kind: kind, Level: a.Level, ExpiresAt: a.ExpiresAt, Unaccepted: a.Unaccepted}
	if a.Level >= acl.Read { // a lower level may not learn what is stored
		info.Reading = choice.Of(a.Detail)
		info.Models, info.EveryLanguage = s.modelsOf(info.Reading)
		if err := s.addProgress(ctx, tx, a, &info); err != nil {
			return info, err
		}
	}
	return info, nil
}
