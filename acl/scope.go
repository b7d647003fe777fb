package acl

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// Scope is the set of stores that one caller may search, each with its level
// and highest label. Only NewScope creates one. The zero value matches
// nothing.
type Scope struct {
	stores []Access // ordered by store id, each at most once
}

// ScopeRequest is the part of a search request that selects stores.
type ScopeRequest struct {
	// Stores are the only stores to search. The caller must have access to each.
	// If empty, the search covers the caller's own store, the granted stores that
	// it has accepted, and the stores of the chat and user that its token claims
	// or the request names.
	Stores []string
	// Chat and User add the store of that chat or user if the caller has
	// access to it; they never cause an error. Ignored if Stores is set.
	Chat, User string
	// Unaccepted adds the granted stores that the caller has not accepted. Ignored if
	// Stores is set.
	Unaccepted bool
	// Offered, if not nil, is used as the grant of its store, to which the caller
	// must have no access. It serves a search that pays instead of accepting an offer.
	Offered *Grant
}

// NewScope returns the stores that p may search. It returns ErrDenied for a
// named store without access, whether or not that store exists.
func NewScope(ctx context.Context, facts Facts, p Principal, request ScopeRequest, now time.Time) (Scope, error) {
	settings, err := facts.Settings(ctx, p.Agent)
	if err != nil {
		return Scope{}, err
	}
	var found []Access
	if len(request.Stores) > 0 {
		found, err = namedStores(ctx, facts, p, request, settings, now)
	} else {
		found, err = reachableStores(ctx, facts, p, request, settings, now)
	}
	if err != nil {
		return Scope{}, err
	}
	slices.SortFunc(found, func(a, b Access) int { return strings.Compare(a.Store, b.Store) })
	found = slices.CompactFunc(found, func(a, b Access) bool { return a.Store == b.Store })
	if err := setFacts(ctx, facts, found); err != nil {
		return Scope{}, err
	}
	return Scope{stores: found}, nil
}

func namedStores(ctx context.Context, facts Facts, p Principal, request ScopeRequest, settings Settings, now time.Time) ([]Access, error) {
	found := make([]Access, 0, len(request.Stores))
	for _, store := range request.Stores {
		access, err := decide(ctx, facts, p, store, settings, now)
		if err != nil {
			return nil, err
		}
		if o := request.Offered; o != nil && o.Store == store && access.Level == None && settings.allow(ViaGrant) && p.Taint.Valid() {
			if access, err = grantAccess(ctx, facts, p, []Grant{*o}, now); err != nil {
				return nil, err
			}
		}
		if access.Level == None {
			return nil, ErrDenied
		}
		found = append(found, access)
	}
	return found, nil
}

// reachableStores returns every store that p may search without naming it.
func reachableStores(ctx context.Context, facts Facts, p Principal, request ScopeRequest, settings Settings, now time.Time) ([]Access, error) {
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
	grants, err := facts.Grants(ctx, GrantQuery{Grantee: p.Agent})
	if err != nil {
		return nil, err
	}
	visible := slices.DeleteFunc(slices.Clone(grants), func(g Grant) bool {
		return seen[g.Store] || g.Grantee != p.Agent || !g.Label.CanFlowTo(p.Taint)
	})
	slices.SortFunc(visible, func(a, b Grant) int {
		return cmp.Or(strings.Compare(a.Store, b.Store), cmp.Compare(b.Label, a.Label))
	})
	for len(visible) > 0 {
		n := 1
		for n < len(visible) && visible[n].Store == visible[0].Store {
			n++
		}
		access, err := grantAccess(ctx, facts, p, visible[:n], now)
		if err != nil {
			return nil, err
		}
		if access.Level != None && (request.Unaccepted || !access.Unaccepted) {
			found = append(found, access)
		}
		visible = visible[n:]
	}
	return found, nil
}

// setFacts sets Number and Detail of each access.
func setFacts(ctx context.Context, facts Facts, found []Access) error {
	ids := make([]string, len(found))
	for i, access := range found {
		ids[i] = access.Store
	}
	known, err := facts.StoreFacts(ctx, ids)
	if err != nil {
		return err
	}
	for i := range found {
		of := known[found[i].Store]
		found[i].Number, found[i].Detail = of.Number, of.Within(found[i].Ceiling)
	}
	return nil
}

// Without returns the scope without the stores for which drop returns true.
// A search with filters uses it to leave out stores that do not allow them.
func (s Scope) Without(drop func(Access) bool) Scope {
	return Scope{stores: slices.DeleteFunc(slices.Clone(s.stores), drop)}
}

// Any reports whether is returns true for any store of the scope.
func (s Scope) Any(is func(Access) bool) bool { return slices.ContainsFunc(s.stores, is) }

// Stores returns the scope's accesses, ordered by store id.
func (s Scope) Stores() []Access { return slices.Clone(s.stores) }

// Indexed returns the accesses to stores that have an internal number, ordered
// by store id. Indexes have no entries of other stores.
func (s Scope) Indexed() []Access {
	return slices.DeleteFunc(slices.Clone(s.stores), func(a Access) bool { return a.Number == 0 })
}

// Len returns the number of stores.
func (s Scope) Len() int { return len(s.stores) }

// Empty reports whether the scope has no stores.
func (s Scope) Empty() bool { return len(s.stores) == 0 }

// Access returns the access to a store, and whether the scope contains it.
func (s Scope) Access(store string) (Access, bool) {
	i, ok := slices.BinarySearchFunc(s.stores, store, func(a Access, id string) int { return strings.Compare(a.Store, id) })
	if !ok {
		return Access{}, false
	}
	return s.stores[i], true
}

// Allows reports whether the scope includes entries of store with this label.
func (s Scope) Allows(store string, label Label) bool {
	access, ok := s.Access(store)
	return ok && access.Sees(label)
}
