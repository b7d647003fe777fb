package attacks

import (
	"net/http"
	"strings"
	"testing"
)

// A stranger with a valid token tries every way to read another agent's memory, in
// searches of its own and by naming the agent's store. The answers must not depend
// on whether that agent exists.
func TestAStrangerReadsNothingOfAnotherAgent(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage)
		alice, mallory := s.as("alice"), s.as("mallory")
		alice.put("tea", "The cupboard key lies under the blue flowerpot.").want(t, http.StatusCreated)

		just := func(body any) func(string) any { return func(string) any { return body } }
		none := just(nil)
		for _, attack := range []struct {
			method, path string // {store} is the victim's
			body         func(store string) any
		}{
			{http.MethodGet, "/v1/stores/{store}/memories/tea", none},
			{http.MethodGet, "/v1/stores/{store}/memories", none},
			{http.MethodGet, "/v1/stores/{store}/memories/tea/versions", none},
			{http.MethodGet, "/v1/stores/{store}/export", none},
			{http.MethodGet, "/v1/stores/{store}/trash", none},
			{http.MethodGet, "/v1/stores/{store}/grants", none},
			{http.MethodGet, "/v1/stores/{store}/MEMORY.md", none},
			{http.MethodPut, "/v1/stores/{store}/memories/tea", just(map[string]any{"value": "mine now"})},
			{http.MethodDelete, "/v1/stores/{store}/memories/tea", none},
			{http.MethodPost, "/v1/stores/{store}/memories/tea/restore", just(map[string]any{})},
			{http.MethodPost, "/v1/stores/{store}/memories/tea/rename", just(map[string]any{"to": "coffee", "to_store": "mallory"})},
			{http.MethodPut, "/v1/stores/{store}/grants/mallory", just(map[string]any{"level": "read"})},
			{http.MethodPost, "/v1/search", func(store string) any {
				return map[string]any{"query": "where is the key?", "stores": []string{store}}
			}},
		} {
			on := func(store string) reply {
				return mallory.call(attack.method, strings.ReplaceAll(attack.path, "{store}", store), attack.body(store))
			}
			known, unknown := on("alice"), on("nobody")
			if known.status != http.StatusForbidden || unknown.status != known.status {
				t.Errorf("%s %s: for a known agent %v, for an unknown agent %v", attack.method, attack.path, known, unknown)
			}
			if p, q := known.problem(t), unknown.problem(t); p.Type != q.Type || p.Detail != q.Detail {
				t.Errorf("%s %s: problems %+v and %+v", attack.method, attack.path, p, q)
			}
		}
		found := decode[struct{ Hits []any }](t, mallory.search("where is the cupboard key?").want(t, http.StatusOK))
		if len(found.Hits) != 0 {
			t.Errorf("a search finds %v", found.Hits)
		}
		alice.call(http.MethodGet, memories+"tea", nil).want(t, http.StatusOK)
	})
}

// Without a valid token, every call of the API is refused.
func TestWithoutATokenNothingIsAnswered(t *testing.T) {
	t.Parallel()
	s := start(t, environment("MNEME_RATE_REFUSALS=0"))
	s.as("alice").put("tea", "I like my tea green, without sugar.").want(t, http.StatusCreated)
	for _, token := range []string{"", "nonsense-token", "mneme_0123456789abcdef_secretsecretsecret",
		// {"alg":"none"} with the subject alice
		"eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ0NDgwMH0."} {
		thief := s.bearing(token)
		for _, path := range []string{memories + "tea", "/v1/stores/self/memories", "/v1/stores/alice/export", "/v1/stores", "/v1/tools"} {
			if p := thief.call(http.MethodGet, path, nil).want(t, http.StatusUnauthorized).problem(t); p.Type != "urn:mneme:problem:unauthenticated" {
				t.Errorf("%s with %q: %+v", path, token, p)
			}
		}
		thief.search("what tea?").want(t, http.StatusUnauthorized)
		if r := thief.call(http.MethodPost, "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}); r.status != http.StatusUnauthorized {
			t.Errorf("mcp with %q: %v", token, r)
		}
	}
}
