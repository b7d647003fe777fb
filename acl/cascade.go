package acl

import (
	"context"
	"time"
)

// Via names the way by which a caller came to a store.
type Via string

// The ways of the cascade.
const (
	ViaOwn   Via = "own"
	ViaGrant Via = "grant"
	ViaChat  Via = "chat"
	ViaUser  Via = "user"
)

// maxLinks bounds the chain of grants that hang on one another: a grant counts
// while its maker has readwrite, which may itself come from a grant.
const maxLinks = 8

// Access is what one caller may do with one store, now.
type Access struct {
	Store     string
	Number    int64 // the store's internal number; 0 while it never had an entry
	Level     Level
	Ceiling   Label // the highest label that the caller sees there: taint and grant, the lower
	Via       Via
	ExpiresAt time.Time // of the grant or membership; zero: never
}

// Require returns ErrDenied unless the access allows level.
func (a Access) Require(level Level) error {
	if a.Level < level || a.Level == None {
		return ErrDenied
	}
	return nil
}

// Sees tells whether label is within the access.
func (a Access) Sees(label Label) bool { return a.Level != None && label.CanFlowTo(a.Ceiling) }

// Decide runs the cascade for a store that the request names: the highest of
// own store, participant, session user and grant. Its error is ErrDenied
// where no way leads to the store, known or unknown, and else one of facts.
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
	numbers, err := facts.StoreNumbers(ctx, []string{store})
	if err != nil {
		return Access{}, err
	}
	access.Number = numbers[store]
	return access, nil
}

// decide is Decide without the store's number; Level None for no way. The
// three ways that give readwrite at every label come first, so that the
// first hit is the highest.
func decide(ctx context.Context, facts Facts, p Principal, store string, settings Settings, now time.Time) (Access, error) {
	full := func(via Via, until time.Time) Access {
		return Access{Store: store, Level: ReadWrite, Ceiling: p.Taint, Via: via, ExpiresAt: until}
	}
	if p.Agent == "" || !p.Taint.Valid() { // no token gives such a principal
		return Access{}, nil
	}
	if store == p.Agent {
		if !settings.allow(ViaOwn) { // off is off, whatever other way leads there
			return Access{}, nil
		}
		return full(ViaOwn, time.Time{}), nil
	}
	if settings.allow(ViaChat) && p.mayUseChat(store) {
		m, err := facts.Participant(ctx, store, p.Agent)
		if err != nil {
			return Access{}, err
		}
		if m.at(now) {
			return full(ViaChat, m.ExpiresAt), nil
		}
	}
	if settings.allow(ViaUser) && p.mayUseUser(store) {
		m, err := facts.Session(ctx, store, p.Agent)
		if err != nil {
			return Access{}, err
		}
		if m.at(now) {
			return full(ViaUser, m.ExpiresAt), nil
		}
	}
	if !settings.allow(ViaGrant) {
		return Access{}, nil
	}
	grant, err := facts.Grant(ctx, store, p.Agent)
	if err != nil {
		return Access{}, err
	}
	return granted(ctx, facts, p, grant, now)
}

// granted turns a grant to p into the access it gives, if it counts.
func granted(ctx context.Context, facts Facts, p Principal, grant Grant, now time.Time) (Access, error) {
	level, ceiling, err := worth(ctx, facts, grant, now, maxLinks)
	if err != nil || level == None {
		return Access{}, err
	}
	return Access{Store: grant.Store, Level: level, Ceiling: min(ceiling, p.Taint), Via: ViaGrant, ExpiresAt: grant.ExpiresAt}, nil
}

// Counts tells whether a grant gives anything now: it has not expired, and
// its maker still has readwrite on the store.
func Counts(ctx context.Context, facts Facts, grant Grant, now time.Time) (bool, error) {
	level, _, err := worth(ctx, facts, grant, now, maxLinks)
	return level != None, err
}

// worth is the level and highest label that a grant gives now. links is how
// many grants the chain may still have, this one included.
func worth(ctx context.Context, facts Facts, grant Grant, now time.Time, links int) (Level, Label, error) {
	if links == 0 || !grant.Level.Valid() || expired(grant.ExpiresAt, now) {
		return None, 0, nil
	}
	if grant.ByPlatform {
		return grant.Level, grant.MaxLabel, nil
	}
	level, ceiling, err := standing(ctx, facts, grant.Maker, grant.Store, now, links-1)
	if err != nil || level != ReadWrite {
		return None, 0, err
	}
	return grant.Level, min(grant.MaxLabel, ceiling), nil
}

// standing is what agent has on store apart from any request: a maker of
// grants is judged by the facts alone, not by its token or its settings.
func standing(ctx context.Context, facts Facts, agent, store string, now time.Time, links int) (Level, Label, error) {
	if agent == store {
		return ReadWrite, Restricted, nil
	}
	m, err := facts.Participant(ctx, store, agent)
	if err != nil {
		return None, 0, err
	}
	if m.at(now) {
		return ReadWrite, Restricted, nil
	}
	m, err = facts.Session(ctx, store, agent)
	if err != nil {
		return None, 0, err
	}
	if m.at(now) {
		return ReadWrite, Restricted, nil
	}
	grant, err := facts.Grant(ctx, store, agent)
	if err != nil {
		return None, 0, err
	}
	return worth(ctx, facts, grant, now, links)
}
