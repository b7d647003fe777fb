package acl

import (
	"context"
	"slices"
	"time"
)

// Via names the rule of the cascade that gave a caller access to a store.
type Via string

// The rules of the cascade.
const (
	ViaOwn   Via = "own"
	ViaGrant Via = "grant"
	ViaChat  Via = "chat"
	ViaUser  Via = "user"
)

// MaxLinks is the maximum length of a chain of grants. A grant is in effect
// only while its maker has readwrite, which may itself come from a grant.
const MaxLinks = 8

// Access is what one caller may do with one store at one instant.
type Access struct {
	Store     string
	Number    int64  // the store's internal number; 0 if no entry was ever written to it
	Detail    Detail // other facts about the store that the caller may know; nil: none
	Level     Level
	Ceiling   Label // the highest label that the caller may read there: the lower of taint and grant
	Via       Via
	ExpiresAt time.Time // when the grant or membership ends; zero: never

	// The fields below describe the grant if Via is ViaGrant.
	Label Label
	// Unaccepted reports that the caller has not accepted the store: searches that
	// name no store leave it out.
	Unaccepted bool
	Caps       Caps
	Offer      string
	Terms      string
}

// Require returns ErrDenied unless the access allows level.
func (a Access) Require(level Level) error {
	if a.Level < level || a.Level == None {
		return ErrDenied
	}
	return nil
}

// Sees reports whether the caller may read entries with this label.
func (a Access) Sees(label Label) bool { return a.Level != None && label.CanFlowTo(a.Ceiling) }

// Decide runs the cascade for a store that the request names and returns the
// highest access among own store, chat participant, session user and grant.
// It returns ErrDenied if none of them applies, whether or not the store
// exists. Any other error comes from facts.
func Decide(ctx context.Context, facts Facts, p Principal, store string, now time.Time) (Access, error) {
	settings, err := facts.Settings(ctx, p.Agent)
	if err != nil {
		return Access{}, err
	}
	access, err := decide(ctx, facts, p, store, settings, now)
	if err != nil {
		return Access{}, err
	}
	if access.Level == None {
		return Access{}, ErrDenied
	}
	known, err := facts.StoreFacts(ctx, []string{store})
	if err != nil {
		return Access{}, err
	}
	access.Number, access.Detail = known[store].Number, known[store].Within(access.Ceiling)
	return access, nil
}

// decide is like Decide, but does not set Number and Detail, and returns Level
// None instead of ErrDenied. The three rules that give readwrite at every label
// come first, so the first rule that applies gives the highest access.
func decide(ctx context.Context, facts Facts, p Principal, store string, settings Settings, now time.Time) (Access, error) {
	full := func(via Via, until time.Time) Access {
		return Access{Store: store, Level: ReadWrite, Ceiling: p.Taint, Via: via, ExpiresAt: until}
	}
	if p.Agent == "" || !p.Taint.Valid() { // no valid token has such a principal
		return Access{}, nil
	}
	if store == p.Agent {
		if !settings.allow(ViaOwn) { // no other rule overrides the switch
			return Access{}, nil
		}
		return full(ViaOwn, time.Time{}), nil
	}
	if settings.allow(ViaChat) && p.mayUseChat(store) {
		m, err := facts.Membership(ctx, ViaChat, store, p.Agent)
		if err != nil {
			return Access{}, err
		}
		if m.activeAt(now) {
			return full(ViaChat, m.ExpiresAt), nil
		}
	}
	if settings.allow(ViaUser) && p.mayUseUser(store) {
		m, err := facts.Membership(ctx, ViaUser, store, p.Agent)
		if err != nil {
			return Access{}, err
		}
		if m.activeAt(now) {
			return full(ViaUser, m.ExpiresAt), nil
		}
	}
	if !settings.allow(ViaGrant) {
		return Access{}, nil
	}
	grants, err := GrantsOf(ctx, facts, store, p.Agent, p.Taint)
	if err != nil {
		return Access{}, err
	}
	return grantAccess(ctx, facts, p, grants, now)
}

// grantAccess returns the access that grants of one store, as GrantsOf returns
// them, give p. Its Level is None if none of them is in effect.
func grantAccess(ctx context.Context, facts Facts, p Principal, grants []Grant, now time.Time) (Access, error) {
	grant, level, ceiling, err := firstInEffect(ctx, facts, grants, now, MaxLinks)
	if err != nil || level == None {
		return Access{}, err
	}
	return Access{
		Store: grant.Store, Level: level, Ceiling: min(ceiling, p.Taint), Via: ViaGrant, ExpiresAt: grant.ExpiresAt,
		Label: grant.Label, Unaccepted: !Accepted(grants, p.Taint),
		Caps: grant.Caps, Offer: grant.Offer, Terms: grant.Terms,
	}, nil
}

// Accepted reports whether the grantee has accepted one of these grants of one
// store in a session with this taint or a lower one.
func Accepted(grants []Grant, taint Label) bool {
	return slices.ContainsFunc(grants, func(g Grant) bool { return g.Accepted.CanFlowTo(taint) })
}

// firstInEffect returns the first grant that is in effect now, with its level and
// highest label. The level is None if no grant is. links limits the length of the
// chain from that grant on.
func firstInEffect(ctx context.Context, facts Facts, grants []Grant, now time.Time, links int) (Grant, Level, Label, error) {
	for _, grant := range grants {
		level, ceiling, err := effectiveGrant(ctx, facts, grant, now, links)
		if err != nil || level != None {
			return grant, level, ceiling, err
		}
	}
	return Grant{}, None, 0, nil
}

// InEffect reports whether a grant gives any access now: it has not expired,
// and its maker still has readwrite on the store.
func InEffect(ctx context.Context, facts Facts, grant Grant, now time.Time) (bool, error) {
	level, _, err := effectiveGrant(ctx, facts, grant, now, MaxLinks)
	return level != None, err
}

// effectiveGrant returns the level and highest label that a grant gives now.
// links limits the length of the chain from this grant on.
func effectiveGrant(ctx context.Context, facts Facts, grant Grant, now time.Time, links int) (Level, Label, error) {
	if links == 0 || !grant.Level.Valid() || !grant.Label.Valid() || grant.Rests || expired(grant.ExpiresAt, now) {
		return None, 0, nil
	}
	if grant.ByPlatform {
		return grant.Level, grant.MaxLabel, nil
	}
	level, ceiling, err := makerAccess(ctx, facts, grant.Maker, grant.Store, grant.Label, now, links-1)
	if err != nil || level != ReadWrite {
		return None, 0, err
	}
	return grant.Level, min(grant.MaxLabel, ceiling), nil
}

// makerAccess returns the access that a grant's maker has to the store in a
// session with the grant's label. The maker is not the caller, so its token and
// settings do not count.
func makerAccess(ctx context.Context, facts Facts, maker, store string, label Label, now time.Time, links int) (Level, Label, error) {
	if maker == store {
		return ReadWrite, Restricted, nil
	}
	m, err := facts.Membership(ctx, ViaChat, store, maker)
	if err != nil {
		return None, 0, err
	}
	if m.activeAt(now) {
		return ReadWrite, Restricted, nil
	}
	m, err = facts.Membership(ctx, ViaUser, store, maker)
	if err != nil {
		return None, 0, err
	}
	if m.activeAt(now) {
		return ReadWrite, Restricted, nil
	}
	grants, err := GrantsOf(ctx, facts, store, maker, label)
	if err != nil {
		return None, 0, err
	}
	_, level, ceiling, err := firstInEffect(ctx, facts, grants, now, links)
	return level, ceiling, err
}
