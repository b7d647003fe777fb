package memory_test

import (
	"testing"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/memory"
	"mneme/test/backendtest"
)

func TestRowsAreJudgedByTheAccessToTheirStore(t *testing.T) {
	clock := backendtest.NewClock()
	caller := backendtest.Agent("alice", acl.Internal)
	facts := &acltest.Facts{GrantList: []acl.Grant{{Store: "bob", Grantee: "alice", Level: acl.Read, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: "bob"}}}
	scope, err := acl.NewScope(t.Context(), facts, caller.Principal, acl.ScopeRequest{}, clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	row := func(store string, label acl.Label) *memory.Entry {
		return &memory.Entry{Path: memory.Path{Store: store, Key: "k"}, Label: label, InContext: true}
	}
	own, shared := row("alice", acl.Internal), row("bob", acl.Public)
	for name, c := range map[string]struct{ rows, want []*memory.Entry }{
		"a store with a lower ceiling":   {[]*memory.Entry{own, row("bob", acl.Internal)}, []*memory.Entry{own}},
		"a store outside the scope":      {[]*memory.Entry{own, row("carol", acl.Public), shared}, []*memory.Entry{own, shared}},
		"a store after one outside":      {[]*memory.Entry{row("carol", acl.Public), shared, own}, []*memory.Entry{shared, own}},
		"equal keys of different stores": {[]*memory.Entry{shared, own}, []*memory.Entry{shared, own}},
	} {
		t.Run(name, func(t *testing.T) {
			got := memory.SearchableFor(caller, scope, c.rows, clock.Now())
			if len(got) != len(c.want) {
				t.Fatalf("%d rows, want %d", len(got), len(c.want))
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("row %d is of %s, want %s", i, got[i].Store, c.want[i].Store)
				}
			}
		})
	}
}
