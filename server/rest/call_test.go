package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"mneme/acl"
)

// Every call refuses a request that is malformed in any of these ways before it reads an entry.
func TestRequestsAreReadStrictly(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", seat, `{"value":1}`)
	const store = "/v1/stores/alice"
	calls := []struct {
		method, target string
		body           string // a valid one; "": the call has no body
		required       bool   // the body is
	}{
		{"PUT", seat, `{"value":1}`, true},
		{"GET", seat, "", false},
		{"DELETE", seat, "", false},
		{"GET", store + "/memories", "", false},
		{"GET", seat + "/versions", "", false},
		{"POST", seat + "/restore", `{"version":1}`, false},
		{"POST", seat + "/rename", `{"to":"x"}`, true},
		{"POST", batches, `{"items":[{"op":"get","key":"seat"}],"atomic":false}`, true},
		{"GET", store + "/trash", "", false},
		{"GET", store + "/export", "", false},
		{"POST", "/v1/search", `{"query":"q"}`, true},
		{"GET", "/v1/stores", "", false},
		{"GET", store + "/grants", "", false},
		{"PUT", store + "/grants/bob", `{"level":"read"}`, false},
		{"DELETE", store + "/grants/bob", "", false},
		{"PUT", store + "/language", `{"language":"auto"}`, true},
		{"PUT", "/v1/chats/c/participants/bob", `{"ttl":1}`, false},
		{"DELETE", "/v1/chats/c/participants/bob", "", false},
		{"PUT", "/v1/users/u/sessions/bob", `{"ttl":1}`, false},
		{"DELETE", "/v1/users/u/sessions/bob", "", false},
		{"GET", "/v1/agents/alice/settings", "", false},
		{"GET", "/v1/admin/agents/alice/access", "", false},
		{"PUT", "/v1/agents/alice/settings", `{"enabled":true,"self":true,"chat":true,"user":true}`, true},
		{"POST", "/v1/admin/purge", `{"before":"2025-01-01T00:00:00Z"}`, true},
		{"GET", "/v1/admin/keys", "", false},
		{"POST", "/v1/admin/keys", `{"agent":"job","name":"n","taint":"PUBLIC","scopes":["share"],"chat":"c","user":"u","ttl":1}`, true},
		{"DELETE", "/v1/admin/keys/0", "", false},
		{"POST", store + "/offers", `{"title":"t","description":"d","terms":{"price_search":1,"price_entry":1}}`, true},
		{"GET", store + "/offers", "", false},
		{"GET", store + "/sales", "", false},
		{"GET", "/v1/offers", "", false},
		{"GET", anOffer, "", false},
		{"PUT", anOffer, `{"title":"t"}`, false},
		{"DELETE", anOffer, "", false},
		{"POST", anOffer + "/accept", "", false},
		{"POST", anOffer + "/search", `{"query":"q"}`, true},
		{"GET", "/v1/account", "", false},
		{"GET", "/v1/health", "", false},
		{"GET", "/v1/usage", "", false},
		{"POST", "/v1/admin/accounts/bob/topup", `{"amount":1,"reference":"r"}`, true},
		{"POST", "/v1/admin/accounts/bob/payout", `{"amount":1,"reference":"r"}`, true},
		{"POST", "/v1/charges/01982f6e-7c1a-7d3e-9b55-2f4f6f3c8b01/refund", "", false},
	}
	for _, c := range calls {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			h.t = t
			malformed := func(target, body string, header ...string) {
				t.Helper()
				h.want(400, alice, c.method, target, body, header...)
			}
			malformed(c.target+"?unknown=1", c.body)
			malformed(c.target+"?Namespace=x", c.body)
			malformed(c.target+"?namespace=%zz", c.body)
			malformed(c.target+"?namespace=a&namespace=b", c.body)
			malformed(c.target+"?namespace=a;limit=3", c.body)
			malformed(c.target+"?namespace=%ff", c.body)
			unsigned := httptest.NewRequest(c.method, c.target+"?unknown=1", strings.NewReader("{"))
			if a := h.send(unsigned); a.status != 401 {
				t.Errorf("without a token: %d", a.status)
			}
			if c.body == "" {
				return
			}
			malformed(c.target, `{`)
			malformed(c.target, `[]`)
			malformed(c.target, `null`)
			malformed(c.target, c.body+c.body)
			malformed(c.target, c.body+"x")
			malformed(c.target, "\xef\xbb\xbf"+c.body)
			malformed(c.target, strings.TrimSuffix(c.body, "}")+`,"unknown":1}`)
			malformed(c.target, strings.TrimSuffix(c.body, "}")+`,"x":"`+"\xff"+`"}`)
			var members map[string]json.RawMessage
			if err := json.Unmarshal([]byte(c.body), &members); err != nil {
				t.Fatal(err)
			}
			for name, value := range members {
				member := fmt.Sprintf(`%q:%s`, name, value)
				malformed(c.target, strings.Replace(c.body, member, member+","+member, 1))
				malformed(c.target, strings.Replace(c.body, `"`+name+`"`, `"`+strings.ToUpper(name[:1])+name[1:]+`"`, 1))
				if name != "value" {
					malformed(c.target, strings.Replace(c.body, string(value), "null", 1))
					malformed(c.target, strings.Replace(c.body, string(value), `{"a":1}`, 1))
				}
			}
			if c.required {
				malformed(c.target, "")
				malformed(c.target, "{}")
			}
			h.want(415, alice, c.method, c.target, c.body, "Content-Type", "text/plain")
			h.want(415, alice, c.method, c.target, c.body, "Content-Type", "application/json; charset=latin1")
			h.want(415, alice, c.method, c.target, c.body, "Content-Encoding", "br")
		})
	}
}

func TestFieldsHaveTheirTypes(t *testing.T) {
	h := open(t)
	tests := []struct {
		target, body, field string
		status              int
	}{
		{seat, `{"value":1,"ttl":"1"}`, "ttl", 400},
		{seat, `{"value":1,"ttl":1.5}`, "ttl", 400},
		{seat, `{"value":1,"ttl":99999999999999999999}`, "ttl", 400},
		{seat, `{"value":1,"ttl":-1}`, "ttl", 422},
		{seat, `{"value":1,"ttl":9223372036854775807}`, "ttl", 422},
		{seat, `{"value":1,"ttl":-9223372036854775808}`, "ttl", 422},
		{seat, `{"value":1,"tags":"a"}`, "tags", 400},
		{seat, `{"value":1,"tags":["a",1]}`, "tags", 400},
		{seat, `{"value":1,"tags":["a",null]}`, "tags", 400},
		{seat, `{"value":1,"tags":["\ud800"]}`, "tags", 400},
		{seat, `{"value":1,"tags":[""]}`, "tags", 422},
		{seat, `{"value":1,"tags":["` + strings.Repeat("a", 65) + `"]}`, "tags", 422},
		{seat, `{"value":1,"tags":["` + strings.Repeat(`a","`, 32) + `b"]}`, "tags", 422},
		{seat, `{"value":1,"description":"two\nlines"}`, "description", 422},
		{seat, `{"value":1,"description":"` + strings.Repeat("ü", 301) + `"}`, "description", 422},
		{seat, `{"value":1,"type":"other"}`, "type", 422},
		{seat, `{"value":1,"in_context":"true"}`, "in_context", 400},
		{seat, `{"value":1,"encrypted":0}`, "encrypted", 400},
		{seat, `{"value":1,"label":"PUBLIC"}`, "label", 400},
		{seat, `{"value":1,"source":null}`, "source", 400},
		{seat, `{"value":1,"source":"` + strings.Repeat("s", 1999) + `"}`, "source", 422},
		{seat, `{"tags":[]}`, "value", 400},
		{seat, `{"value":01}`, "", 400},
		{seat + "?namespace=" + strings.Repeat("n", 257), `{"value":1}`, "namespace", 422},
		{"/v1/stores/self/grants/bob", `{"level":"admin"}`, "level", 422},
		{"/v1/stores/self/grants/bob", `{"level":"none"}`, "level", 422},
		{"/v1/stores/self/grants/bob", `{"level":""}`, "level", 422},
		{"/v1/stores/self/grants/bob", `{"max_label":"SECRET"}`, "max_label", 422},
		{"/v1/stores/self/grants/bob", `{"ttl":-1}`, "ttl", 422},
		{"/v1/stores/self/grants/alice", `{}`, "grantee", 422},
		{"/v1/agents/alice/settings", `{"enabled":true,"self":true,"chat":true}`, "user", 400},
		{"/v1/agents/alice/settings", `{"enabled":true,"self":true,"chat":true,"user":true,"default_ttl":-1}`, "default_ttl", 422},
	}
	for _, test := range tests {
		a := h.want(test.status, alice, "PUT", test.target, test.body)
		if got := a.json(t)["field"]; test.field != "" && got != test.field {
			t.Errorf("%.60s: field %v, want %s", test.body, got, test.field)
		}
	}
	for body, status := range map[string]int{
		`{"query":""}`: 422, `{"query":" \n"}`: 422, `{"query":"q","limit":0}`: 422, `{"query":"q","limit":101}`: 422,
		`{"query":"q","limit":1.5}`: 400, `{"query":"q","stores":[]}`: 422, `{"query":"q","stores":["a b"]}`: 400,
		`{"query":"q","stores":[".."]}`: 400, `{"query":"q","stores":"self"}`: 400, `{"query":"q","stores":["nobody"]}`: 403,
		`{"query":"q","chatId":"c"}`: 400, `{"query":"q","namespace":"a\u0000"}`: 422, `{"query":"q","type":"x"}`: 422,
		`{"query":"\ud83d"}`: 400, `{"query":"q","explain":1}`: 400, `{"query":"q","explain":null}`: 400, `{"query":"q","explain":[]}`: 400,
		`{"query":"q","explain":{}}`: 400, `{"query":"q","explain":{"key":1}}`: 400, `{"query":"q","explain":{"key":"k","id":"x"}}`: 400,
		`{"query":"q","explain":{"key":"k","key":"l"}}`: 400, `{"query":"q","explain":{"key":"k","store":"a b"}}`: 400, `{"query":"q","explain":{"key":""}}`: 422,
		`{"query":"q","explain":{"key":"k","namespace":"\u0000"}}`: 422, `{"query":"q","explain":{"key":"k","store":"nobody"}}`: 200, `{"query":"q","explain":false}`: 200,
		`{"limit":1}`: 400, `{"query":"q","queries":["q","r"]}`: 422, `{"query":"","queries":["q","r"]}`: 422, `{"queries":["q",1]}`: 400,
		`{"queries":[]}`: 422, `{"queries":["q"]}`: 422, `{"queries":["q"," "]}`: 422, `{"queries":["q","r"]}`: 200, `{"query":"q","mode":"words"}`: 422,
		`{"query":"q","mode":"vector"}`: 503, `{"query":"q","mode":"lexical"}`: 200, // there is no model
		`{"query":"q","recency":{}}`: 400, `{"query":"q","recency":"30d"}`: 400, `{"query":"q","recency":{"half_life":30}}`: 400,
		`{"query":"q","recency":{"half_life":"30d","half":1}}`: 400, `{"query":"q","recency":{"half_life":"1.5d"}}`: 422,
		`{"query":"q","recency":{"half_life":"9999999999w"}}`: 422, `{"query":"q","recency":{"half_life":"30d","weight":2}}`: 422,
		`{"query":"q","recency":{"half_life":"30d"}}`: 200, `{"query":"q","recency":{"half_life":"30d"},"ranking":"rrf"}`: 422,
		`{"query":"q","diversity":1.01}`: 422, `{"query":"q","diversity":"0.5"}`: 400, `{"query":"q","diversity":0.5}`: 200, `{"query":"q","typos":false}`: 200, `{"query":"q","typos":"no"}`: 400, `{"query":"q","dates":false}`: 200, `{"query":"q","dates":"no"}`: 400,
		`{"query":"q","nearest":4}`: 422, `{"query":"q","nearest":-1}`: 422, `{"query":"q","nearest":true}`: 400, `{"query":"q","nearest":1.5}`: 400, `{"query":"q","nearest":3}`: 200,
		`{"query":"q","timezone":"Europe/Berlin"}`: 200, `{"query":"q","timezone":"berlin"}`: 422, `{"query":"q","timezone":2}`: 400, `{"query":"q","timezone":null}`: 400,
	} {
		h.want(status, alice, "POST", "/v1/search", body)
	}
	for query, status := range map[string]int{
		"limit=0": 422, "limit=101": 422, "limit=x": 400, "limit=": 200, "limit=1.5": 400, "limit=1e1": 400, "limit=99999999999": 400,
		"limit=%2B5": 400, "tag=": 200, "type=other": 422, "cursor=": 200, "prefix=a%00": 422, "tag=a&tag=b": 200, "type=": 200,
	} {
		h.want(status, alice, "GET", "/v1/stores/self/memories?"+query, "")
	}
}

func TestIdsAreReadBeforeAccessIsJudged(t *testing.T) {
	h := open(t)
	for _, bad := range []string{".", "..", "shared", "a%20b", "a%2Fb", "%C3%BC", strings.Repeat("a", 129), "%00"} {
		h.want(400, alice, "GET", "/v1/stores/"+bad+"/memories", "")
		h.want(400, alice, "PUT", "/v1/stores/self/grants/"+bad, "{}")
		h.want(400, alice, "PUT", "/v1/chats/"+bad+"/participants/bob", "{}")
		h.want(400, alice, "PUT", "/v1/chats/c/participants/"+bad, "{}")
		h.want(400, alice, "DELETE", "/v1/users/"+bad+"/sessions/bob", "")
		h.want(400, alice, "GET", "/v1/agents/"+bad+"/settings", "")
		h.want(400, alice, "GET", "/v1/admin/keys?agent="+bad, "")
	}
	h.want(400, alice, "GET", "/v1/agents/self/settings", "")
	h.want(400, alice, "PUT", "/v1/stores/self/grants/self", "{}")
	h.want(201, agent("A._:@-9", acl.Public), "PUT", "/v1/stores/A._:@-9/memories/k", `{"value":1}`)
}

func TestASearchHasPages(t *testing.T) {
	h := open(t)
	for _, key := range []string{"a", "b", "c"} {
		h.want(201, alice, "PUT", "/v1/stores/self/memories/"+key, `{"value":"heliotrope"}`)
	}
	body, seen := `{"query":"heliotrope","limit":2`, map[string]bool{}
	if unasked := h.want(200, alice, "POST", "/v1/search", body+`}`); unasked.json(t)["next_cursor"] != nil {
		t.Errorf("nobody asked for a cursor: %s", unasked.body)
	}
	first := h.want(200, alice, "POST", "/v1/search", body+`,"cursor":""}`)
	next, _ := first.json(t)["next_cursor"].(string)
	second := h.want(200, alice, "POST", "/v1/search", body+`,"cursor":"`+next+`"}`)
	for _, hit := range append(first.items(t, "hits"), second.items(t, "hits")...) {
		seen[hit["key"].(string)] = true
	}
	if len(seen) != 3 || second.json(t)["next_cursor"] != nil {
		t.Errorf("two pages: %s and %s", first.body, second.body)
	}
	h.want(400, alice, "POST", "/v1/search", body+`,"explain":true,"cursor":"`+next+`"}`)
	h.want(400, bob, "POST", "/v1/search", body+`,"cursor":"`+next+`"}`)
	h.want(400, alice, "POST", "/v1/search", body+`,"cursor":"x"}`)
}

// Errors take precedence in this order: 401, 400, 403, 413 and 422, 404,
// 409, 412, 429. Each request here breaks its own rule and every later one.
func TestTheOrderOfChecks(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", seat, `{"value":1,"in_context":true}`)
	large := strings.Repeat("x", 2<<20)
	stale := []string{"If-Match", `"stale"`}
	alices := "/v1/stores/alice/memories/seat"

	if a := h.send(httptest.NewRequest(http.MethodPut, alices+"?x=1", strings.NewReader("{"))); a.status != 401 {
		t.Errorf("no token: %d", a.status)
	}
	h.want(400, bob, "PUT", alices+"?x=1", `{"value":1,"tags":[""]}`, stale...)
	h.want(400, bob, "PUT", alices, `{"value":1,"tags":[""],"x":1}`, stale...)
	h.want(403, bob, "PUT", alices, `{"value":1,"tags":[""],"in_context":false}`, stale...)
	h.want(403, bob, "PUT", alices, `{"value":"`+strings.Repeat("x", 110_000)+`"}`, stale...)
	h.want(403, bob, "PUT", alices, `{"value":"`+large+`"}`, stale...)
	h.want(403, bob, "POST", alices+"/rename", `{"to":"`+large+`"}`, stale...)
	h.want(413, alice, "PUT", alices, `{"value":"`+large+`"}`, stale...)
	h.want(413, alice, "PUT", alices, `{"value":"`+strings.Repeat("x", 110_000)+`","in_context":false}`, stale...)
	h.want(413, alice, "POST", "/v1/search", `{"query":"`+large+`"}`)
	h.want(422, alice, "PUT", alices, `{"value":1,"tags":[""],"in_context":false}`, stale...)
	h.want(422, alice, "POST", "/v1/stores/self/memories/absent/rename", `{"to":"../x"}`, stale...)
	h.want(404, alice, "DELETE", "/v1/stores/self/memories/absent", "", stale...)
	h.want(409, alice, "PUT", alices, `{"value":1,"in_context":false}`, stale...)
	h.want(412, alice, "PUT", alices, `{"value":1}`, stale...)

	h.want(403, bob, "GET", "/v1/stores/alice/memories?limit=0", "")
	h.want(403, bob, "PUT", "/v1/chats/c/participants/bob", `{"ttl":-1}`)
	h.want(403, bob, "POST", "/v1/admin/purge", `{"before":"2999-01-01T00:00:00Z"}`)
	h.want(403, bob, "PUT", "/v1/agents/alice/settings", `{"enabled":true,"self":true,"chat":true,"user":true,"default_ttl":-1}`)
	h.want(403, bob, "PUT", "/v1/stores/alice/grants/carol", `{"level":"admin","max_label":"SECRET"}`)
	h.want(403, bob, "POST", "/v1/search", `{"query":"","stores":["alice"],"limit":0}`)
}

func TestUnknownCallsAreProblems(t *testing.T) {
	h := open(t)
	for _, target := range []string{"/v1", "/v1/", "/v2/stores", "/v1/stores/self/memories/a/b", "/v1/stores//memories/x/y", "/v1/search/", "/metrics/x", "//v1/stores"} {
		a := h.want(404, alice, "GET", target, "")
		if a.json(t)["type"] != "urn:mneme:problem:no-such-call" {
			t.Errorf("%s: %s", target, a.body)
		}
	}
	for target, method := range map[string]string{
		"/v1/search": "GET", "/v1/stores": "POST", seat: "POST", "/v1/admin/purge": "PUT", "/openapi.json": "POST", "/livez": "DELETE", seat + "/versions": "PATCH",
	} {
		a := h.want(405, alice, method, target, "")
		if a.header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow", method, target)
		}
	}
}

var serverTiming = regexp.MustCompile(`^queue;dur=[0-9.]+, filter;dur=[0-9.]+, embed;dur=[0-9.]+, lexical;dur=[0-9.]+, vector;dur=[0-9.]+, rerank;dur=[0-9.]+, rank;dur=[0-9.]+, fetch;dur=[0-9.]+, total;dur=[0-9.]+$`)

func TestSharingOverItsCalls(t *testing.T) {
	h := open(t)
	owner := acl.Principal{Agent: "alice", Taint: acl.Internal}
	h.want(201, owner, "PUT", seat, `{"value":"heliotrope window","tags":["t"],"description":"d"}`)
	h.want(403, bob, "PUT", "/v1/stores/alice/grants/carol", "")
	shared := h.want(200, owner, "PUT", "/v1/stores/self/grants/bob", `{"level":"search","ttl":60}`).json(t)
	for name, want := range map[string]any{
		"store_id": "alice", "grantee": "bob", "level": "search", "max_label": "INTERNAL", "maker": "alice", "by_platform": false, "expires_at": "2026-03-01T12:01:00Z",
	} {
		if shared[name] != want {
			t.Errorf("%s: %v, want %v", name, shared[name], want)
		}
	}
	reader := acl.Principal{Agent: "bob", Taint: acl.Internal}
	if hits := h.want(200, reader, "POST", "/v1/search", `{"query":"heliotrope"}`).items(t, "hits"); len(hits) != 0 {
		t.Errorf("a store that was neither named nor accepted was searched: %v", hits)
	}
	if accepted := h.want(200, reader, "POST", "/v1/stores/alice/accept", "").json(t); accepted["accepted"] != true || accepted["in_effect"] != true || accepted["label"] != "INTERNAL" {
		t.Errorf("accepted: %v", accepted)
	}
	for _, question := range []string{`{"query":"heliotrope"}`, `{"query":"heliotrope","stores":["alice"],"min_relevance":0}`} {
		found := h.want(200, reader, "POST", "/v1/search", question)
		if timing := found.header.Get("Server-Timing"); timing != "" {
			t.Errorf("%s: the timing of a store with level search: %s", question, timing)
		}
		hits := found.items(t, "hits")
		if len(hits) != 1 || len(hits[0]) != 6 {
			t.Fatalf("%s: a hit from a store with level search: %v", question, hits)
		}
		for _, name := range []string{"key", "value", "label", "store_id", "score", "relevance"} {
			if hits[0][name] == nil {
				t.Errorf("%s is missing", name)
			}
		}
	}
	for _, option := range []string{`"explain":true`, `"ranking":"rrf"`, `"ranking":"relevance"`, `"mode":"hybrid"`, `"recency":{"half_life":"1d"}`, `"diversity":0.1`, `"typos":false`, `"dates":false`, `"as_of":"2026"`, `"nearest":1`, `"timezone":"UTC"`} {
		h.want(403, reader, "POST", "/v1/search", `{"query":"heliotrope","stores":["alice"],`+option+`}`)
		if hits := h.want(200, reader, "POST", "/v1/search", `{"query":"heliotrope",`+option+`}`).items(t, "hits"); len(hits) > 0 {
			t.Errorf("%s: a search that names no store has hits of a store with level search", option)
		}
	}
	h.want(403, reader, "POST", "/v1/search", `{"query":"heliotrope","stores":["alice"],"namespace":""}`)
	h.want(403, reader, "GET", "/v1/stores/alice/memories/seat", "")

	stores := h.want(200, reader, "GET", "/v1/stores", "").items(t, "stores")
	if len(stores) != 2 || stores[0]["kind"] != "grant" || stores[0]["level"] != "search" || stores[0]["expires_at"] == nil || stores[1]["kind"] != "self" {
		t.Errorf("stores: %v", stores)
	}
	if got := h.want(200, owner, "PUT", "/v1/stores/self/grants/bob", "").json(t); got["level"] != "read" || got["expires_at"] != nil {
		t.Errorf("the level left out is %v", got)
	}
	hit := h.want(200, reader, "POST", "/v1/search", `{"query":"heliotrope","explain":true}`)
	first := hit.items(t, "hits")[0]
	explain := first["explain"].(map[string]any)
	if first["updated_by"] != "alice" || explain["via"] != "grant" || explain["lexical"] == nil || hit.json(t)["label"] != "INTERNAL" {
		t.Errorf("an explained hit: %s", hit.body)
	}
	if timing := hit.header.Get("Server-Timing"); !serverTiming.MatchString(timing) {
		t.Errorf("an explained search: Server-Timing: %s", timing)
	}
	if timing := h.want(200, reader, "POST", "/v1/search", `{"query":"heliotrope"}`).header.Get("Server-Timing"); timing != "" {
		t.Errorf("a search that is not explained: Server-Timing: %s", timing)
	}
	h.want(403, reader, "GET", "/v1/stores/alice/grants", "")
	grants := h.want(200, owner, "GET", "/v1/stores/self/grants", "").items(t, "grants")
	if len(grants) != 1 || grants[0]["maker"] != "alice" {
		t.Errorf("grants: %v", grants)
	}
	h.want(200, platform, "PUT", "/v1/stores/alice/grants/carol", `{"level":"readwrite"}`)
	h.want(204, owner, "DELETE", "/v1/stores/self/grants/bob", "")
	h.want(404, owner, "DELETE", "/v1/stores/self/grants/bob", "")
	h.want(403, reader, "GET", "/v1/stores/alice/memories/seat", "")
}

func TestAnAnswerWithoutHitsHasNoLabel(t *testing.T) {
	h := open(t)
	a := h.want(200, alice, "POST", "/v1/search", `{"query":"\"AND (NEAR* OR ^x:y) -- 'drop' 😀"}`).json(t)
	if len(a["hits"].([]any)) != 0 || a["label"] != nil || a["incomplete"] != false || a["degraded"] == nil {
		t.Errorf("got %v", a)
	}
}

func TestPlatformCalls(t *testing.T) {
	h := open(t)
	for _, target := range []string{"/v1/chats/chat-1/participants/bob", "/v1/users/user-1/sessions/bob"} {
		h.want(403, alice, "PUT", target, "")
		h.want(403, alice, "DELETE", target, "")
		h.want(404, platform, "DELETE", target, "")
		h.want(204, platform, "PUT", target, `{"ttl":60}`)
		h.want(204, platform, "PUT", target, "")
		h.want(204, platform, "DELETE", target, "")
		h.want(204, platform, "PUT", target, "")
	}
	h.want(201, bob, "PUT", "/v1/stores/chat-1/memories/k", `{"value":1}`)
	// Alice has made calls, so she is an agent, not a chat.
	h.want(409, platform, "PUT", "/v1/chats/alice/participants/bob", "")
	h.want(401, agent("chat-1", acl.Public), "GET", "/v1/stores", "")
	h.want(401, agent("chat-1", acl.Public), "GET", "/v1/stores?x=1", "")

	h.want(200, bob, "PUT", "/v1/stores/self/grants/alice", `{"level":"search","ttl":60}`)
	access := h.want(200, platform, "GET", "/v1/admin/agents/alice/access?taint=INTERNAL&chat=chat-1&user=u", "").json(t)
	stores, _ := access["stores"].([]any)
	if access["agent"] != "alice" || access["taint"] != "INTERNAL" || len(stores) < 2 {
		t.Errorf("access: %v", access)
	}
	for _, one := range stores {
		a := one.(map[string]any)
		if store := a["store"].(map[string]any); store["store_id"] == "bob" {
			if grant := a["grant"].(map[string]any); a["max_label"] != "PUBLIC" || fmt.Sprint(a["makers"]) != "[bob]" || store["level"] != "search" || grant["maker"] != "bob" {
				t.Errorf("access: %v", a)
			}
		}
	}
	h.want(403, alice, "GET", "/v1/admin/agents/alice/access", "")
	h.want(403, alice, "GET", "/v1/admin/agents/alice/access?taint=SECRET", "")
	h.want(422, platform, "GET", "/v1/admin/agents/alice/access?taint=SECRET", "")
	h.want(400, platform, "GET", "/v1/admin/agents/a%20b/access", "")
	h.want(400, platform, "GET", "/v1/admin/agents/alice/access?chat=a%20b", "")
	h.want(400, platform, "GET", "/v1/admin/agents/alice/access?taint=PUBLIC&taint=PUBLIC", "")

	h.want(403, bob, "GET", "/v1/agents/alice/settings", "")
	on := h.want(200, alice, "GET", "/v1/agents/alice/settings", "").json(t)
	if on["enabled"] != true || on["user"] != true || on["default_ttl"] != nil {
		t.Errorf("settings: %v", on)
	}
	h.want(200, platform, "PUT", "/v1/agents/alice/settings", `{"enabled":true,"self":false,"chat":true,"user":true,"default_ttl":60}`)
	if got := h.want(200, alice, "GET", "/v1/agents/alice/settings", "").json(t); got["self"] != false || got["default_ttl"] != 60.0 {
		t.Errorf("settings: %v", got)
	}
	h.want(403, alice, "GET", "/v1/stores/self/memories", "")
	h.want(403, platform, "GET", "/v1/stores/alice/memories", "") // platform gives no level
}

func TestPurgeErasesAndCanBeRepeated(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", seat, `{"value":1}`)
	h.want(204, alice, "DELETE", seat, "")
	h.clock.Advance(8 * 24 * time.Hour)
	h.want(403, alice, "POST", "/v1/admin/purge", `{"before":"2026-03-01T13:00:00Z"}`)
	h.want(422, platform, "POST", "/v1/admin/purge", `{"before":"2026-03-05T13:00:00Z"}`)
	h.want(400, platform, "POST", "/v1/admin/purge", `{"before":"yesterday"}`)
	body, key := `{"before":"2026-03-01T13:00:00Z"}`, []string{"Idempotency-Key", "p"}
	first := h.want(200, platform, "POST", "/v1/admin/purge", body, key...)
	if got := first.json(t); got["erased"] != 1.0 || len(got["ids"].([]any)) != 1 || got["erased_on_disk"] != nil { // it did not wait
		t.Errorf("purged: %s", first.body)
	}
	if again := h.want(200, platform, "POST", "/v1/admin/purge", body, key...); again.body != first.body {
		t.Errorf("a replay answers %s", again.body)
	}
	h.want(422, platform, "POST", "/v1/admin/purge", `{"before":"2026-02-01T13:00:00Z"}`, key...)
	if got := h.want(200, platform, "POST", "/v1/admin/purge", body).json(t); got["erased"] != 0.0 || got["ids"] == nil {
		t.Errorf("purged again: %v", got)
	}
	h.want(404, alice, "POST", seat+"/restore", "")
}

func TestTheSpecificationIsServedAndNeedsNoToken(t *testing.T) {
	h := open(t)
	a := h.send(httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	if a.status != 200 || a.json(t)["openapi"] != "3.0.3" {
		t.Fatalf("%d %.100s", a.status, a.body)
	}
	d, err := specification()
	if err != nil {
		t.Fatal(err)
	}
	if len(a.json(t)["paths"].(map[string]any)) != d.Paths.Len() {
		t.Error("the served document lacks paths")
	}
	// Each call of the document has an answer.
	for template, item := range d.Paths.Map() {
		for method := range item.Operations() {
			target := strings.NewReplacer("{store}", "self", "{key}", "k", "{agent}", "alice", "{chat}", "c", "{user}", "u", "{offer}", "01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a77", "{charge}", "01982f6e-7c1a-7d3e-9b55-2f4f6f3c8b01").Replace(template)
			if a := h.call(alice, method, target, ""); a.status == 405 || a.status == 404 && strings.Contains(a.body, "no-such-call") {
				t.Errorf("%s %s: %d", method, template, a.status)
			}
		}
	}
}

func TestNothingOfARequestIsLogged(t *testing.T) {
	h := open(t)
	secret := agent("secret-agent", acl.Public)
	h.want(201, secret, "PUT", "/v1/stores/self/memories/secret-key?namespace=secret-ns", `{"value":"secret text","tags":["secret-tag"]}`)
	h.want(200, secret, "POST", "/v1/search", `{"query":"secret question"}`)
	h.want(400, secret, "GET", "/v1/stores/self/memories?secret=1", "")
	h.want(400, secret, "PUT", "/v1/stores/self/memories/secret-key", `{"secret":"secret"}`)
	h.want(200, secret, "POST", batches, `{"items":[{"op":"put","key":"secret-key","value":"secret","type":"secret"}]}`)
	h.want(403, secret, "GET", "/v1/stores/secret-store/memories", "")
	h.want(422, secret, "PUT", "/v1/stores/self/memories/secret-key", `{"value":1,"type":"secret"}`)
	if strings.Contains(h.log.String(), "secret") {
		t.Errorf("the log holds what it must not: %s", h.log)
	}
	if !strings.Contains(h.log.String(), "/v1/stores/:store/memories/:key") {
		t.Error("the log lacks the route's template")
	}
}

func TestProblemsQuoteNothingThatStrayedIntoThem(t *testing.T) {
	h := open(t)
	for _, a := range []answer{
		h.want(400, alice, "PUT", seat, `{"value":1,"my password is hunter2":1}`),
		h.want(400, alice, "GET", "/v1/stores/self/memories?my+password+is+hunter2=1", ""),
		h.want(400, alice, "GET", "/v1/stores/self/memories?limit=hunter2", ""),
		h.want(400, alice, "PUT", seat, `{"value":1,"ttl":"hunter2"}`),
		h.want(422, alice, "PUT", seat, `{"value":1,"type":"hunter2"}`),
		h.want(400, alice, "GET", "/v1/stores/hunter2%20/memories", ""),
	} {
		if strings.Contains(a.body, "hunter2") {
			t.Errorf("%s", a.body)
		}
	}
}

// If no entry reaches min_relevance, nearest lists the nearest entries on request; for
// a question without words the answer has only the reason.
func TestAnAnswerWithoutHitsNamesTheNearestIfAsked(t *testing.T) {
	h := open(t)
	for key, label := range map[string]acl.Label{"seat": acl.Public, "aisle": acl.Internal, "secret": acl.Restricted} {
		h.want(201, agent("alice", label), "PUT", "/v1/stores/self/memories/"+key, `{"value":"a window seat","description":"where to sit"}`)
	}
	reader := agent("alice", acl.Internal)
	ask := func(options string) map[string]any {
		return h.want(200, reader, "POST", "/v1/search", `{"query":"window"`+options+`}`).json(t)
	}
	got := ask(`,"min_relevance":1,"nearest":3`)
	near, _ := got["nearest"].([]any)
	if len(near) != 2 || len(got["hits"].([]any)) != 0 || got["label"] != "INTERNAL" || got["reason"] != nil {
		t.Fatalf("nearest: %v", got)
	}
	first := near[0].(map[string]any)
	if first["key"] != "aisle" || first["store_id"] != "alice" || first["label"] != "INTERNAL" || first["namespace"] != "" ||
		first["description"] != "where to sit" || first["unsure"] != true || first["relevance"].(float64) <= 0 || first["text"] != "a window seat" || len(first) != 8 {
		t.Errorf("nearest: %v", first)
	}
	if one := ask(`,"min_relevance":1,"nearest":1`); len(one["nearest"].([]any)) != 1 {
		t.Errorf("the only nearest: %v", one)
	}
	for _, options := range []string{`,"min_relevance":1`, `,"min_relevance":1,"nearest":0`, `,"nearest":3`} {
		if got := ask(options); got["nearest"] != nil {
			t.Errorf("%s: %v", options, got)
		}
	}
	for _, query := range []string{"?", "…", "!?"} {
		for _, p := range []acl.Principal{reader, agent("newcomer", acl.Public)} {
			got := h.want(200, p, "POST", "/v1/search", `{"query":"`+query+`","min_relevance":1,"nearest":3}`).json(t)
			if got["reason"] != "no_words" || got["nearest"] != nil || len(got["hits"].([]any)) != 0 {
				t.Errorf("%q: %v", query, got)
			}
		}
	}
}
