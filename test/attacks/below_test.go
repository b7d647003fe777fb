package attacks

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// operation is an operation of openapi.yaml.
type operation struct{ id, method, path string }

// operations returns the operations of openapi.yaml and, from docs/security.md, the
// lowest label of the sessions that see the changes of each operation.
func operations(t *testing.T) (all []operation, lowest map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../server/rest/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Paths map[string]map[string]yaml.Node
	}
	if err := yaml.Unmarshal(text, &api); err != nil {
		t.Fatal(err)
	}
	for path, methods := range api.Paths {
		for method, node := range methods {
			var named struct {
				ID string `yaml:"operationId"`
			}
			if node.Kind == yaml.MappingNode && node.Decode(&named) == nil && named.ID != "" {
				all = append(all, operation{named.ID, strings.ToUpper(method), path})
			}
		}
	}
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| operations | change |")
	table, _, _ = strings.Cut(table, "\n\n")
	lowest = make(map[string]string)
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) < 4 {
			continue
		}
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cells[1], -1) {
			if before, twice := lowest[name[1]]; twice {
				t.Errorf("%s has two rows: %q, %q", name[1], before, cells[3])
			}
			lowest[name[1]] = strings.TrimSpace(cells[3])
		}
	}
	return all, lowest
}

// below is the part of the API that sessions at PUBLIC observe.
type below struct {
	who   []caller
	paths []string
}

// observe returns the answers to all of the sessions' calls, without their random parts.
func (b below) observe() string {
	var all strings.Builder
	for i, c := range b.who {
		for _, path := range b.paths {
			r := c.call(http.MethodGet, path, nil)
			fmt.Fprintf(&all, "%d %s %d %s\n", i, path, r.status, stable(r.body))
		}
		r := c.search("ferry", "explain", true)
		fmt.Fprintf(&all, "%d search %d %s\n", i, r.status, stable(r.body))
	}
	return all.String()
}

// difference returns the lines of after that before does not have.
func difference(before, after string) (lines string) {
	known := strings.Split(before, "\n")
	for line := range strings.Lines(after) {
		if !slices.Contains(known, strings.TrimSuffix(line, "\n")) {
			lines += line
		}
	}
	return lines
}

// stable returns an answer without request IDs and encrypted cursors.
func stable(body []byte) string {
	var answer map[string]any
	if json.Unmarshal(body, &answer) != nil {
		return string(body)
	}
	for _, random := range []string{"instance", "next_cursor", "next", "cursor"} {
		delete(answer, random)
	}
	text, _ := json.Marshal(answer) // decoded JSON always encodes
	return string(text)
}

// Sessions at RESTRICTED call every operation of the API. Sessions at PUBLIC, of the same agent
// or another, must not see their changes, and the sessions at RESTRICTED cannot change data
// that docs/security.md lists as visible at PUBLIC.
func TestNoOperationShowsAtLowerLabels(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		all, lowest := operations(t)
		s := start(t, storage)
		restricted := []string{"--taint", "RESTRICTED"}
		alice, bob := s.as("alice", restricted...), s.as("bob", restricted...)
		platform := s.as("operator", append(restricted, "--scope", "platform")...)
		low := below{who: []caller{s.as("alice"), s.as("bob")}}
		for _, c := range low.who {
			c.call(http.MethodPut, memories+"harbour?wait=indexed", map[string]any{"value": "The ferry leaves at nine."}).want(t, http.StatusCreated)
		}
		store := "/v1/stores/alice"
		offer := decode[struct{ ID string }](t, low.who[0].call(http.MethodPost, store+"/offers", map[string]any{
			"title": "Notes", "description": "Of ferries", "terms": map[string]any{"price_search": 10, "price_entry": 5},
		}).want(t, http.StatusCreated)).ID
		low.who[0].call(http.MethodPut, store+"/grants/carol", map[string]any{"level": "read"}).want(t, http.StatusOK)
		// Make a sale in advance: the first one creates the receipt key, which belongs to
		// the whole server.
		money := map[string]any{"amount": 1_000_000, "reference": "r"}
		s.as("operator", "--scope", "platform").call(http.MethodPost, "/v1/admin/accounts/dave/topup", money).want(t, http.StatusOK)
		s.as("dave").call(http.MethodPost, "/v1/offers/"+offer+"/accept", nil).want(t, http.StatusCreated)
		s.as("dave").call(http.MethodPost, "/v1/offers/"+offer+"/search", map[string]any{"query": "ferry"}).want(t, http.StatusOK)
		for _, c := range low.who {
			c.call(http.MethodPost, "/v1/search", map[string]any{"query": "ferry"}).want(t, http.StatusOK)
		}
		low.paths = []string{
			"/v1/stores", "/v1/account", "/v1/usage", "/v1/offers", "/v1/offers/" + offer, "/v1/agents/alice/settings", "/v1/agents/bob/settings",
			"/v1/tools", "/.well-known/jwks.json",
		}
		for _, path := range []string{"memories", "memories/harbour", "memories/harbour/versions", "memories/above", "trash", "changes", "export", "grants", "offers", "sales", "MEMORY.md"} {
			low.paths = append(low.paths, "/v1/stores/alice/"+path, "/v1/stores/bob/"+path)
		}

		var made struct{ offer, charge string }
		entry := map[string]any{"value": "The night ferry is secret."}
		do := func(c caller, method, path string, body any, status int, headers ...string) func(t *testing.T) {
			return func(t *testing.T) {
				if r := c.call(method, path, body, headers...); r.status != status {
					t.Errorf("%s %s: want status %d, got %v", method, path, status, r)
				}
			}
		}
		get := func(path string) func(t *testing.T) { return do(alice, http.MethodGet, path, nil, http.StatusOK) }
		calls := map[string]func(t *testing.T){
			"putMemory": do(alice, http.MethodPut, store+"/memories/above", entry, 201),
			"batchMemories": do(alice, http.MethodPost, store+"/memories:batch",
				map[string]any{"items": []any{map[string]any{"op": "put", "key": "batched", "value": "a ferry"}}}, 200),
			"importMemories": do(alice, http.MethodPost, store+"/import", `{"key":"imported","value":"a ferry"}`, 200, "Content-Type", "application/x-ndjson"),
			"renameMemory":   do(alice, http.MethodPost, store+"/memories/batched/rename", map[string]any{"to": "renamed"}, 200),
			"deleteMemory":   do(alice, http.MethodDelete, store+"/memories/renamed", nil, 204),
			"restoreMemory":  do(alice, http.MethodPost, store+"/memories/renamed/restore", map[string]any{}, 200),
			"callTool":       do(alice, http.MethodPost, "/v1/tools/memory_save", map[string]any{"key": "saved", "content": "a ferry"}, 200),
			"putGrant":       do(alice, http.MethodPut, store+"/grants/the-secret", map[string]any{"level": "read"}, 200),
			"deleteGrant":    do(alice, http.MethodDelete, store+"/grants/the-secret", nil, 204),
			"acceptGrant": func(t *testing.T) {
				bob.call(http.MethodPut, "/v1/stores/bob/grants/alice", map[string]any{"level": "read"}).want(t, 200)
				alice.call(http.MethodPost, "/v1/stores/bob/accept", nil).want(t, 200)
			},
			"createOffer": func(t *testing.T) {
				made.offer = decode[struct{ ID string }](t, bob.call(http.MethodPost, "/v1/stores/bob/offers", map[string]any{
					"title": "Secret", "description": "", "terms": map[string]any{"price_search": 1, "price_entry": 1},
				}).want(t, 201)).ID
			},
			"changeOffer": func(t *testing.T) {
				bob.call(http.MethodPut, "/v1/offers/"+made.offer, map[string]any{"title": "More secret"}).want(t, 200)
			},
			"withdrawOffer": func(t *testing.T) { bob.call(http.MethodDelete, "/v1/offers/"+made.offer, nil).want(t, 204) },
			"topUpAccount": func(t *testing.T) {
				platform.call(http.MethodPost, "/v1/admin/accounts/bob/topup", money).want(t, 200)
				alice.call(http.MethodPost, "/v1/admin/accounts/alice/topup", money).want(t, 403)
			},
			"acceptOffer": do(bob, http.MethodPost, "/v1/offers/"+offer+"/accept", nil, 201),
			"searchOffer": func(t *testing.T) {
				made.charge = decode[struct{ Charges []struct{ ID string } }](t,
					bob.call(http.MethodPost, "/v1/offers/"+offer+"/search", map[string]any{"query": "ferry"}).want(t, 200)).Charges[0].ID
			},
			"search": func(t *testing.T) {
				bob.search("ferry", "stores", []string{"alice"}, "max_charge", 1000).want(t, 200)
				alice.search("Wann legt die Fähre denn ab?").want(t, 200)
			},
			"refundCharge": func(t *testing.T) {
				alice.call(http.MethodPost, "/v1/charges/"+made.charge+"/refund", nil).want(t, 200)
			},
			"payOutAccount": do(platform, http.MethodPost, "/v1/admin/accounts/bob/payout", map[string]any{"amount": 1, "reference": "r"}, 200),
			"putSettings": do(alice, http.MethodPut, "/v1/agents/alice/settings",
				map[string]any{"enabled": true, "self": true, "chat": true, "user": true, "default_ttl": 7}, 409),
			"putLanguage":       do(alice, http.MethodPut, store+"/language", map[string]any{"language": "multilingual"}, 409),
			"putParticipant":    do(alice, http.MethodPut, "/v1/chats/c/participants/bob", map[string]any{}, 403),
			"deleteParticipant": do(alice, http.MethodDelete, "/v1/chats/c/participants/bob", nil, 403),
			"putSession":        do(alice, http.MethodPut, "/v1/users/u/sessions/bob", map[string]any{}, 403),
			"deleteSession":     do(alice, http.MethodDelete, "/v1/users/u/sessions/bob", nil, 403),
			"purge":             do(alice, http.MethodPost, "/v1/admin/purge", map[string]any{"before": "2020-01-01T00:00:00Z"}, 403),
			"createAPIKey":      do(alice, http.MethodPost, "/v1/admin/keys", map[string]any{"agent": "alice"}, 403),
			"revokeAPIKey":      do(alice, http.MethodDelete, "/v1/admin/keys/0", nil, 403),

			"getMemory": get(store + "/memories/above"), "listMemories": get(store + "/memories"), "listVersions": get(store + "/memories/above/versions"),
			"listTrash": get(store + "/trash"), "listChanges": get(store + "/changes"), "exportMemories": get(store + "/export"), "listStores": get("/v1/stores"),
			"listGrants": get(store + "/grants"), "readIndex": get(store + "/MEMORY.md"), "listTools": get("/v1/tools"), "listStoreOffers": get(store + "/offers"),
			"listSales": get(store + "/sales"), "listOffers": get("/v1/offers"), "getOffer": get("/v1/offers/" + offer), "getAccount": get("/v1/account"),
			"listUsage": get("/v1/usage"), "getSettings": get("/v1/agents/alice/settings"), "getHealth": get("/v1/health"), "getReceiptKeys": get("/.well-known/jwks.json"),
			"livez": get("/livez"), "readyz": get("/readyz"), "root": get("/"), "openapi": get("/openapi.json"),
			"getAgentAccess": do(alice, http.MethodGet, "/v1/admin/agents/alice/access", nil, 403),
			"listAPIKeys":    do(alice, http.MethodGet, "/v1/admin/keys", nil, 403),
			"metrics":        func(t *testing.T) { alice.call(http.MethodGet, "/metrics", nil) },
			"openConsole":    do(alice, http.MethodPost, "/v1/console/session", map[string]any{"code": "none"}, 403),
		}
		if known := slices.Sorted(maps.Keys(calls)); len(known) != len(all) {
			t.Errorf("%d calls for %d operations", len(known), len(all))
		}
		// Operations that others depend on come first.
		order := []string{"putMemory", "batchMemories", "renameMemory", "deleteMemory", "restoreMemory", "putGrant", "deleteGrant",
			"createOffer", "changeOffer", "withdrawOffer", "topUpAccount", "acceptOffer", "searchOffer", "search", "refundCharge", "payOutAccount"}
		rank := func(o operation) int {
			if i := slices.Index(order, o.id); i >= 0 {
				return i
			}
			return len(order)
		}
		slices.SortFunc(all, func(a, b operation) int {
			if x, y := rank(a), rank(b); x != y {
				return x - y
			}
			return strings.Compare(a.id, b.id)
		})
		refused := []string{"putSettings", "putLanguage", "putParticipant", "deleteParticipant", "putSession", "deleteSession", "purge", "createAPIKey", "revokeAPIKey"}
		// Observe once in advance: a call that names a store may accept its grants, which
		// is a change.
		low.observe()
		before := low.observe()
		for _, o := range all {
			call := calls[o.id]
			if call == nil {
				t.Errorf("%s is not called", o.id)
				continue
			}
			if public := strings.HasPrefix(lowest[o.id], "PUBLIC"); public != slices.Contains(refused, o.id) {
				t.Errorf("%s: the changes are listed as visible from %q up", o.id, lowest[o.id])
			}
			call(t)
			if after := low.observe(); after != before {
				t.Errorf("after %s (%s), sessions at PUBLIC see\n%s", o.id, lowest[o.id], difference(before, after))
				before = after
			}
		}
	})
}
