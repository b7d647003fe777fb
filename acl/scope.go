package acl

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Scope is what one caller may search: stores, each with its level and
// highest label. It can be made only by NewScope, from facts; its zero value
// matches nothing.
type Scope struct {
	stores []Access // ordered by store id, each at most once
}

// ScopeRequest says what a search names.
type ScopeRequest struct {
	// Stores are searched and nothing else; each must be within reach. Empty:
	// the own store, granted stores, and the chat and user that the token
	// claims or the request names.
	Stores []string
	// Chat and User add that chat's or user's store where the facts give a
	// level; they never cause an error. Only for a request without Stores.
	Chat, User string
}

// NewScope finds the stores that p may search. A named store without a level
// is ErrDenied, as an unknown one is.
func NewScope(ctx context.Context, facts Facts, p Principal, request ScopeRequest, now time.Time) (Scope, error) {
	settings, err := facts.Settings(ctx, p.Agent)
	if err != nil {
		return Scope{}, err
	}
	var found []Access
	if len(request.Stores) > 0 {
		found, err = named(ctx, facts, p, request.Stores, settings, now)
	} else {
		found, err = reachable(ctx, facts, p, request, settings, now)
	}
	if err != nil {
		return Scope{}, err
	}
	slices.SortFunc(found, func(a, b Access) int { return strings.Compare(a.Store, b.Store) })
	found = slices.CompactFunc(found, func(a, b Access) bool { return a.Store == b.Store })
	if err := number(ctx, facts, found); err != nil {
		return Scope{}, err
	}
	return Scope{stores: found}, nil
}

func named(ctx context.Context, facts Facts, p Principal, stores []string, settings Settings, now time.Time) ([]Access, error) {
	found := make([]Access, 0, len(stores))
	for _, store := range stores {
		access, err := decide(ctx, facts, p, store, settings, now)
		if err != nil {
			return nil, err
		}
		if access.Level == None {
			return nil, ErrDenied
		}
		found = append(found, access)
	}
	return found, nil
}

// reachable lists every store that p comes to without naming it.
func reachable(ctx context.Context, facts Facts, p Principal, request ScopeRequest, settings Settings, now time.Time) ([]Access, error) {
	var found []Access
	seen := map[string]bool{"": true}
	for _, store := range []string{p.Agent, p.Chat, p.User, request.Chat, request.User} {
		if seen[store] {
			continue
		}
		seen[store] = true
		access, err := decide(ctx, facts, p, store, settings, now)
		if err != nil {
			return nil, err
		}
		if access.Level != None {
			found = append(found, access)
		}
	}
	if !settings.allow(ViaGrant) || !p.Taint.Valid() {
		return found, nil
	}
	grants, err := facts.GrantsTo(ctx, p.Agent)
	if err != nil {
		return nil, err
	}
	for _, grant := range grants {
		if seen[grant.Store] {
			continue
		}
		access, err := granted(ctx, facts, p, grant, now)
		if err != nil {
			return nil, err
		}
		if access.Level != None {
			found = append(found, access)
		}
	}
	return found, nil
}

func number(ctx context.Context, facts Facts, found []Access) error {
	ids := make([]string, len(found))
	for i, access := range found {
		ids[i] = access.Store
	}
	numbers, err := facts.StoreNumbers(ctx, ids)
	if err != nil {
		return err
	}
	for i := range found {
		found[i].Number = numbers[found[i].Store]
	}
	return nil
}

// Without is the scope less the stores for which drop is true: a search with
// a filter leaves out the stores that allow none.
func (s Scope) Without(drop func(Access) bool) Scope {
	return Scope{stores: slices.DeleteFunc(slices.Clone(s.stores), drop)}
}

// Stores are the accesses of the scope, ordered by store id.
func (s Scope) Stores() []Access { return slices.Clone(s.stores) }

// Indexed are the accesses of the stores that have a number: those of which
// an index can hold anything. Ordered by store id.
func (s Scope) Indexed() []Access {
	return slices.DeleteFunc(slices.Clone(s.stores), func(a Access) bool { return a.Number == 0 })
}

// Empty tells whether the scope has no store.
func (s Scope) Empty() bool { return len(s.stores) == 0 }

// Access finds a store of the scope.
func (s Scope) Access(store string) (Access, bool) {
	i, ok := slices.BinarySearchFunc(s.stores, store, func(a Access, id string) int { return strings.Compare(a.Store, id) })
	if !ok {
		return Access{}, false
	}
	return s.stores[i], true
}

// Allows tells whether an entry of store at label is within the scope.
func (s Scope) Allows(store string, label Label) bool {
	access, ok := s.Access(store)
	return ok && access.Sees(label)
}
