package memory_test

import (
	"slices"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// found searches some stores, which it names, for "harbour", and returns the stores of the
// hits.
func (h *harness) found(c memory.Caller, stores ...string) (of []string) {
	h.t.Helper()
	answer, err := h.Search(background, c, search.Request{Query: "harbour", Stores: stores, Limit: 10})
	must(h, err)
	for _, hit := range answer.Hits {
		of = append(of, hit.Store)
	}
	slices.Sort(of)
	return of
}

// Until a grantee has accepted a grant, the grant counts only in calls that name the store. The
// grantee can also refuse it.
func TestAGrantIsAnOfferToItsGrantee(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		bob, high := agent("bob", acl.Public), agent("bob", acl.Internal)
		h.PutText(bob, "bob", "k", "the harbour", 201)
		for _, giver := range []string{"accepted", "named", "declined", "ignored"} {
			h.PutText(agent(giver, acl.Public), giver, "k", "the harbour", 201)
			_, err := h.Share(background, agent(giver, acl.Public), memory.ShareRequest{Store: giver, Grantee: "bob"})
			must(h, err)
		}
		h.Index()
		expect := func(c memory.Caller, want ...string) {
			t.Helper()
			if got := h.found(c); !slices.Equal(got, want) {
				t.Errorf("a search without stores finds %q, want %q", got, want)
			}
		}
		expect(bob, "bob")
		for _, info := range []string{"accepted", "named", "declined", "ignored"} {
			if s := h.stored(bob, info); !s.Unaccepted || s.Level != acl.Read {
				t.Errorf("listed as %+v", s)
			}
		}
		grant, err := h.AcceptGrant(background, high, "accepted")
		if err != nil || grant.Accepted != acl.Internal || grant.Label != acl.Public {
			t.Errorf("accepted: %+v, %v", grant, err)
		}
		expect(bob, "bob") // a grant by a higher session exists only there
		expect(high, "accepted", "bob")
		if _, err := h.AcceptGrant(background, bob, "accepted"); err != nil {
			t.Error(err)
		}
		expect(bob, "accepted", "bob")
		if got := h.found(bob, "named"); !slices.Equal(got, []string{"named"}) {
			t.Errorf("naming it finds %q", got)
		}
		expect(bob, "accepted", "bob", "named")
		if s := h.stored(bob, "named"); s.Unaccepted {
			t.Error("a store that was named is listed as not accepted")
		}
		// If a grant is changed by sharing again, it stays accepted. If it is revoked and made
		// again, it does not.
		_, err = h.Share(background, agent("named", acl.Public), memory.ShareRequest{Store: "named", Grantee: "bob", Level: acl.Search})
		must(h, err)
		expect(bob, "accepted", "bob", "named")
		for _, store := range []string{"declined", "accepted"} {
			must(h, h.Unshare(background, bob, store, "bob"))
			if _, err := h.Get(background, bob, path(store, "k")); err == nil {
				t.Errorf("%s is read after its end", store)
			}
		}
		_, err = h.Share(background, agent("accepted", acl.Public), memory.ShareRequest{Store: "accepted", Grantee: "bob"})
		must(h, err)
		expect(bob, "bob", "named")
		// An agent can neither end a grant between others, nor refuse one that it does not
		// have.
		h.WantStatus(h.Unshare(background, agent("eve", acl.Public), "named", "bob"), 403)
		h.WantStatus(h.Unshare(background, bob, "declined", "bob"), 403)
		h.WantStatus(h.Unshare(background, bob, "nowhere", "bob"), 403)
		_, err = h.AcceptGrant(background, agent("eve", acl.Public), "named")
		h.WantStatus(err, 403)
		_, err = h.AcceptGrant(background, bob, "bob")
		h.WantStatus(err, 409)
	})
}

// A grant or revocation that a session makes is visible only to sessions at its label or above.
func TestGrantsHaveTheLabelOfTheSessionThatMadeThem(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Grants: 1})
		low, high := agent("alice", acl.Public), agent("alice", acl.Restricted)
		share := func(c memory.Caller, grantee string, level acl.Level) error {
			_, err := h.Share(background, c, memory.ShareRequest{Store: "alice", Grantee: grantee, Level: level})
			return err
		}
		h.PutText(low, "alice", "k", "text", 201)
		must(h, share(high, "a-text-of-128-characters", acl.Read))
		for c, want := range map[*memory.Caller]int{&low: 0, &high: 1} {
			grants, err := h.Grants(background, *c, "alice")
			if err != nil || len(grants) != want {
				t.Errorf("at %v: %+v, %v", c.Taint, grants, err)
			}
		}
		h.WantText(agent("a-text-of-128-characters", acl.Restricted), "alice", "k", "text")
		h.WantStatus(h.Authorize(background, agent("a-text-of-128-characters", acl.Confidential), "alice", acl.Search), 403)
		h.WantStatus(h.Unshare(background, low, "alice", "a-text-of-128-characters"), 404)
		must(h, share(low, "bob", acl.ReadWrite)) // the limit of one grant applies per label
		h.WantStatus(share(high, "bob", acl.Read), 429)
		must(h, h.Unshare(background, high, "alice", "a-text-of-128-characters"))
		must(h, share(high, "bob", acl.Read)) // next to the other grant, and before it where both are visible
		h.PutText(agent("bob", acl.Restricted), "alice", "k", "x", 403)
		h.PutText(agent("bob", acl.Public), "alice", "k", "text", 200)
		must(h, h.Unshare(background, high, "alice", "bob"))
		h.WantStatus(h.Unshare(background, high, "alice", "bob"), 409) // a higher session does not end the lower grant
		h.WantStatus(h.Unshare(background, agent("bob", acl.Internal), "alice", "bob"), 409)
		must(h, h.Unshare(background, agent("bob", acl.Public), "alice", "bob"))
	})
}

// Revoke returns the grants that depend on the one that it ends. They are listed as out of
// effect from then on; with cascade, they end too.
func TestRevokingSaysWhatDependsOnAGrant(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		alice := agent("alice", acl.Public)
		give := func(by, to string) {
			t.Helper()
			_, err := h.Share(background, agent(by, acl.Public), memory.ShareRequest{Store: "alice", Grantee: to, Level: acl.ReadWrite})
			must(h, err)
		}
		inEffect := func() (listed map[string]bool) {
			t.Helper()
			grants, err := h.Grants(background, alice, "alice")
			must(h, err)
			listed = make(map[string]bool)
			for _, g := range grants {
				listed[g.Grantee] = g.InEffect
			}
			return listed
		}
		for _, cascade := range []bool{false, true} {
			give("alice", "bob")
			give("bob", "carol")
			give("carol", "dan")
			give("alice", "eve")
			gone, err := h.Revoke(background, alice, "alice", "bob", cascade)
			if err != nil || len(gone) != 2 || gone[0].Grantee != "carol" || gone[1].Grantee != "dan" || gone[0].InEffect {
				t.Fatalf("%+v, %v", gone, err)
			}
			listed := inEffect()
			if _, asleep := listed["carol"]; asleep == cascade || listed["carol"] || listed["dan"] || !listed["eve"] {
				t.Errorf("cascade %v: %v", cascade, listed)
			}
			give("alice", "bob")
			if listed := inEffect(); listed["carol"] == cascade || listed["dan"] == cascade {
				t.Errorf("cascade %v: back is %v", cascade, listed)
			}
		}
		// If the maker of a grant has its level in another way too, the grant does not depend
		// on the one that ends.
		platform := memory.Caller{Principal: acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true}}
		must(h, h.PutParticipant(background, platform, "alice", "bob", nil))
		give("bob", "carol")
		if gone, err := h.Revoke(background, alice, "alice", "bob", true); err != nil || len(gone) != 0 {
			t.Errorf("%+v, %v", gone, err)
		}
	})
}
