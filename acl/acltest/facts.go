// Package acltest provides in-memory facts and scopes, so that tests of access
// rules and indexes need no storage.
package acltest

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mneme/acl"
)

// Now is the current time of all scopes.
var Now = time.Date(2030, 5, 17, 12, 0, 0, 0, time.UTC)

// Facts implements acl.Facts in memory. The zero value has no facts: no store
// has a number, there are no grants, and every agent has the default settings.
// It must not be changed while it is in use.
type Facts struct {
	Numbers       map[string]int64             // store → internal number
	Details       map[string]acl.Detail        // by store
	GrantList     []acl.Grant                  // at most one per store, grantee and label
	Participants  map[[2]string]acl.Membership // {chat, agent}
	Sessions      map[[2]string]acl.Membership // {user, agent}
	AgentSettings map[string]acl.Settings      // agent → switches
	// Err, if not nil, is returned by every method.
	Err error
}

var _ acl.Facts = (*Facts)(nil)

// StoreFacts implements acl.Facts.
func (f *Facts) StoreFacts(_ context.Context, stores []string) (map[string]acl.StoreFacts, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	known := make(map[string]acl.StoreFacts)
	for _, store := range stores {
		if n, ok := f.Numbers[store]; ok {
			known[store] = acl.StoreFacts{Number: n, Detail: f.Details[store]}
		}
	}
	return known, nil
}

// Grants implements acl.Facts.
func (f *Facts) Grants(_ context.Context, q acl.GrantQuery) ([]acl.Grant, error) {
	var grants []acl.Grant
	for _, g := range f.GrantList {
		if q != (acl.GrantQuery{}) && (q.Store == "" || q.Store == g.Store) && (q.Grantee == "" || q.Grantee == g.Grantee) {
			grants = append(grants, g)
		}
	}
	slices.SortFunc(grants, func(a, b acl.Grant) int {
		return cmp.Or(strings.Compare(a.Store, b.Store), strings.Compare(a.Grantee, b.Grantee), cmp.Compare(a.Label, b.Label))
	})
	return grants, f.Err
}

// Membership implements acl.Facts.
func (f *Facts) Membership(_ context.Context, via acl.Via, of, agent string) (acl.Membership, error) {
	switch via {
	case acl.ViaChat:
		return f.Participants[[2]string{of, agent}], f.Err
	case acl.ViaUser:
		return f.Sessions[[2]string{of, agent}], f.Err
	default:
		return acl.Membership{}, f.Err
	}
}

// Settings implements acl.Facts.
func (f *Facts) Settings(_ context.Context, agent string) (acl.Settings, error) {
	if s, ok := f.AgentSettings[agent]; ok {
		return s, f.Err
	}
	return acl.DefaultSettings(), f.Err
}

// Scope returns the stores that p may search at Now. An error ends the test.
func (f *Facts) Scope(t testing.TB, p acl.Principal, request acl.ScopeRequest) acl.Scope {
	t.Helper()
	scope, err := acl.NewScope(context.Background(), f, p, request, Now)
	if err != nil {
		t.Fatalf("scope: %v", err)
	}
	return scope
}

// Reach is a store's internal number and the highest label that the caller may
// read there.
type Reach struct {
	Number  int64
	Ceiling acl.Label
}

// Scope returns a scope of exactly these stores. It is for tests of code that
// uses scopes, not of NewScope.
func Scope(t testing.TB, stores ...Reach) acl.Scope {
	t.Helper()
	f := &Facts{Numbers: make(map[string]int64)}
	for _, s := range stores {
		name := StoreName(s.Number)
		f.Numbers[name] = s.Number
		f.GrantList = append(f.GrantList, acl.Grant{Store: name, Grantee: "reader", Level: acl.Search, MaxLabel: s.Ceiling, Label: acl.Public, Accepted: acl.Public, ByPlatform: true})
	}
	f.AgentSettings = map[string]acl.Settings{"reader": {Enabled: true}}
	return f.Scope(t, acl.Principal{Agent: "reader", Taint: acl.Restricted}, acl.ScopeRequest{})
}

// StoreName returns the id that Scope gives the store with an internal number.
func StoreName(number int64) string { return "store-" + strconv.FormatInt(number, 10) }
