package attacks

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func hits(t testing.TB, r reply) (stores []string, skipped []map[string]string) {
	t.Helper()
	found := decode[struct {
		Hits []struct {
			StoreID string `json:"store_id"`
		}
		Skipped []map[string]string
	}](t, r.want(t, http.StatusOK))
	for _, h := range found.Hits {
		stores = append(stores, h.StoreID)
	}
	return stores, found.Skipped
}

// Strangers grant an agent stores full of words and of copies of its entry. The agent's
// searches without named stores cover only its own store, a condition on exact words finds
// only its own entries, and it can refuse the grants.
func TestGiftsChangeNothingUntilTheyAreAccepted(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage)
		alice := s.as("alice")
		alice.put("boat", "the harbour pilot").want(t, http.StatusCreated)
		many := new(strings.Builder)
		for i := range 1100 {
			fmt.Fprintf(many, "har%04d ", i)
		}
		give := func(giver caller) {
			giver.call(http.MethodPut, "/v1/stores/self/grants/alice", map[string]any{"level": "read"}).want(t, http.StatusOK)
		}
		for i := range 11 {
			giver := s.as(fmt.Sprintf("giver-%d", i))
			giver.put("copy", "the harbour pilot, the harbour pilot").want(t, http.StatusCreated)
			if i == 0 {
				giver.put("words", many.String()).want(t, http.StatusCreated)
			}
			give(giver)
		}
		prefix := map[string]any{"any": []string{"har*"}}
		for _, r := range []reply{alice.search("the harbour pilot"), alice.search("pilot", "match", prefix), alice.search("the harbuor pilot")} {
			if stores, _ := hits(t, r); len(stores) != 1 || stores[0] != "alice" {
				t.Errorf("hits of %q", stores)
			}
		}
		// A call that names a store accepts it. Then a search lists the store with too many
		// words as skipped, and succeeds.
		alice.call(http.MethodGet, "/v1/stores/giver-0/memories", nil).want(t, http.StatusOK)
		stores, skipped := hits(t, alice.search("pilot", "match", prefix))
		if len(stores) != 1 || stores[0] != "alice" || len(skipped) != 1 || skipped[0]["store_id"] != "giver-0" || skipped[0]["reason"] != "prefix" {
			t.Errorf("hits of %q, skipped %v", stores, skipped)
		}
		alice.search("pilot", "match", prefix, "stores", []string{"giver-0"}).want(t, http.StatusUnprocessableEntity)
		for i := range 11 {
			alice.call(http.MethodDelete, fmt.Sprintf("/v1/stores/giver-%d/grants/alice", i), nil).want(t, http.StatusNoContent)
		}
		alice.call(http.MethodGet, "/v1/stores/giver-0/memories", nil).want(t, http.StatusForbidden)
		alice.call(http.MethodDelete, "/v1/stores/nobody/grants/alice", nil).want(t, http.StatusForbidden)
	})
}

// A session at RESTRICTED tries to pass text to a session at PUBLIC through its grants, its
// settings and its number of requests.
func TestASessionRevealsNothingToLowerLabels(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage)
		high, low := s.as("alice", "--taint", "RESTRICTED"), s.as("alice")
		observe := func() (all string) {
			for _, path := range []string{"/v1/stores/self/grants", "/v1/stores", "/v1/agents/alice/settings", "/v1/account"} {
				all += string(low.call(http.MethodGet, path, nil).body)
			}
			r := low.call(http.MethodDelete, "/v1/stores/self/grants/"+strings.Repeat("x", 128), nil)
			return all + fmt.Sprint(r.status)
		}
		before := observe()
		left := low.call(http.MethodGet, "/v1/stores", nil).header.Get("RateLimit")
		for _, grantee := range []string{strings.Repeat("x", 128), "the-text"} {
			high.call(http.MethodPut, "/v1/stores/self/grants/"+grantee, map[string]any{"level": "read"}).want(t, http.StatusOK)
		}
		high.call(http.MethodPut, "/v1/agents/alice/settings", map[string]any{"enabled": true, "self": true, "chat": true, "user": true, "default_ttl": 123456}).want(t, http.StatusConflict)
		for range 60 {
			high.call(http.MethodGet, "/v1/stores", nil).want(t, http.StatusOK)
		}
		if after := observe(); after != before {
			t.Errorf("a lower session sees\n%s\nbefore\n%s", after, before)
		}
		var was, is int
		now := low.call(http.MethodGet, "/v1/stores", nil).header.Get("RateLimit")
		fmt.Sscanf(left, `"agent";r=%d`, &was)
		fmt.Sscanf(now, `"agent";r=%d`, &is)
		if was == 0 || is < was-10 {
			t.Errorf("RateLimit was %s and is %s", left, now)
		}
	})
}

// An agent tries to enable kinds of stores that its platform disabled.
func TestAnAgentCannotEnableWhatItsPlatformDisabled(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage)
		alice, platform := s.as("alice"), s.as("operator", "--scope", "platform")
		settings := func(enabled bool) map[string]any {
			return map[string]any{"enabled": enabled, "self": true, "chat": true, "user": true}
		}
		const path = "/v1/agents/alice/settings"
		platform.call(http.MethodPut, path, settings(false)).want(t, http.StatusOK)
		alice.put("k", "a note").want(t, http.StatusForbidden)
		alice.call(http.MethodPut, path, settings(true)).want(t, http.StatusForbidden)
		s.as("alice", "--taint", "RESTRICTED").call(http.MethodPut, path, settings(true)).want(t, http.StatusConflict)
		alice.put("k", "a note").want(t, http.StatusForbidden)
		platform.call(http.MethodPut, path, settings(true)).want(t, http.StatusOK)
		alice.put("k", "a note").want(t, http.StatusCreated)
	})
}

// Grants that an agent made on a store lose effect when the agent loses access, and take
// effect again when it regains access, unless they were revoked with cascade=true.
func TestDependentGrantsAreListedAndRevoked(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage)
		alice, bob := s.as("alice"), s.as("bob")
		give := func(by caller, store, to string) {
			by.call(http.MethodPut, "/v1/stores/"+store+"/grants/"+to, map[string]any{"level": "readwrite"}).want(t, http.StatusOK)
		}
		type grants struct {
			Grants, Dependents []struct {
				Grantee  string
				InEffect bool `json:"in_effect"`
			}
		}
		give(alice, "self", "bob")
		give(bob, "alice", "carol")
		left := decode[grants](t, alice.call(http.MethodDelete, "/v1/stores/self/grants/bob", nil).want(t, http.StatusOK))
		if len(left.Dependents) != 1 || left.Dependents[0].Grantee != "carol" {
			t.Errorf("dependents %+v", left)
		}
		listed := decode[grants](t, alice.call(http.MethodGet, "/v1/stores/self/grants", nil).want(t, http.StatusOK))
		if len(listed.Grants) != 1 || listed.Grants[0].InEffect {
			t.Errorf("listed %+v", listed)
		}
		give(alice, "self", "bob")
		alice.call(http.MethodDelete, "/v1/stores/self/grants/bob?cascade=true", nil).want(t, http.StatusOK)
		give(alice, "self", "bob")
		s.as("carol").call(http.MethodGet, "/v1/stores/alice/memories", nil).want(t, http.StatusForbidden)
	})
}
