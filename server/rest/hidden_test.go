package rest_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/limit"
	"mneme/test/backendtest"
)

// Two services with the same visible writes, one of them with additional hidden ones,
// give every reader the same answer to every reading call: body, status and headers.
func TestNoAnswerRevealsHiddenWrites(t *testing.T) {
	t.Parallel()
	backendtest.Each(t, backendtest.Storages(), func(t *testing.T, b backendtest.Backend) {
		with, without := openForHidden(t, b), openForHidden(t, b)
		hide(with)
		for _, h := range []*harness{with, without} {
			h.want(200, alice, "PUT", "/v1/stores/alice/memories/seat", `{"value":"a quiet seat by the window"}`)
		}
		before := tags(with)
		hide(with)
		if after := tags(with); !slices.Equal(before, after) {
			t.Errorf("hidden writes change ETags from %q to %q", before, after)
		}
		for _, reader := range []acl.Principal{alice, bob, agent("carol", acl.Public), agent("dave", acl.Public), agent("stranger", acl.Restricted)} {
			for _, call := range readingCalls() {
				method, rest, _ := strings.Cut(call, " ")
				target, body, _ := strings.Cut(rest, " ")
				if reader.Agent == "stranger" && strings.Contains(target, "stranger") {
					continue // its own
				}
				got, want := with.call(reader, method, target, body), without.call(reader, method, target, body)
				compareAnswers(t, reader.Agent+": "+call, got, want)
				if got.status == http.StatusBadRequest {
					t.Errorf("%s is malformed: %s", call, got.body)
				}
			}
		}
		for _, path := range []string{"/", "/livez", "/readyz", "/metrics", "/openapi.json", "/.well-known/jwks.json"} {
			got := with.send(fromOutside(path))
			compareAnswers(t, "anyone: "+path, got, without.send(fromOutside(path)))
		}
	})
}

// tags returns the ETags of a reader's visible entries, which differ between the
// services.
func tags(h *harness) (out []string) {
	for _, target := range []string{
		"/v1/stores/alice/memories/seat", "/v1/stores/alice/MEMORY.md", "/v1/stores/alice/memories", "/v1/stores/alice/memories/seat/versions",
		"/v1/stores/alice/memories?limit=1", "/v1/stores",
	} {
		out = append(out, h.want(200, agent("carol", acl.Public), "GET", target, "").header.Get("ETag"))
	}
	return out
}

// openForHidden opens a service with writes visible to its readers.
func openForHidden(t *testing.T, b backendtest.Backend) *harness {
	h := openOn(t, b, memory.Limits{}, nil, limit.Rate{PerSecond: 1_000_000})
	for i, value := range []string{"a seat by the window", "a window seat in row 12", "an aisle seat"} {
		key := []string{"seat", "row", "aisle"}[i]
		h.want(201, alice, "PUT", "/v1/stores/alice/memories/"+key, fmt.Sprintf(`{"value":%q,"tags":["travel"]}`, value))
	}
	h.want(201, alice, "PUT", "/v1/stores/alice/memories/gone", `{"value":"a lost window seat"}`)
	h.want(204, alice, "DELETE", "/v1/stores/alice/memories/gone", "")
	sharer := alice
	sharer.Share = true
	h.want(200, sharer, "PUT", "/v1/stores/alice/grants/bob", `{"level":"search"}`)
	h.want(200, sharer, "PUT", "/v1/stores/alice/grants/carol", `{"level":"read"}`)
	h.want(201, bob, "PUT", "/v1/stores/bob/memories/mine", `{"value":"a window of mine"}`)
	return h
}

// hide makes writes that are invisible to all of the readers.
func hide(h *harness) {
	above := agent("alice", acl.Restricted)
	for i := range 20 {
		put := func(p acl.Principal, store, key, members string) {
			h.call(p, "PUT", "/v1/stores/"+store+"/memories/"+key, fmt.Sprintf(`{"value":"a hidden window seat, number %d"%s}`, i, members))
		}
		put(above, "alice", fmt.Sprint("secret-", i), `,"tags":["travel","secret"]`)
		put(above, "alice", "seat", "")
		put(agent("erin", acl.Public), "erin", fmt.Sprint("hers-", i), "")
		if i%3 == 0 {
			h.call(above, "DELETE", fmt.Sprint("/v1/stores/alice/memories/secret-", i), "")
			h.call(agent("erin", acl.Public), "POST", "/v1/search", `{"query":"hidden window"}`)
		}
	}
}

// readingCalls are all reading calls, each METHOD TARGET BODY.
func readingCalls() []string {
	var calls []string
	for _, store := range []string{"alice", "self", "bob", "erin"} {
		at := "/v1/stores/" + store
		for _, target := range []string{
			"/memories", "/memories?limit=2", "/memories?tag=travel", "/memories?prefix=se", "/memories?prefix=secret", "/memories/seat",
			"/memories/secret-1", "/memories/hers-1", "/memories/seat/versions", "/memories/secret-1/versions", "/trash", "/export", "/grants",
			"/MEMORY.md", "/offers", "/sales", "/changes",
		} {
			calls = append(calls, "GET "+at+target)
		}
		calls = append(calls,
			"GET "+at+"/memories?where="+url.QueryEscape(`{"value.n":{"exists":true}}`), "GET "+at+"/memories?where="+url.QueryEscape(`{"key":{"contains":"s"}}`),
			"GET "+at+"/memories?match="+url.QueryEscape(`{"all":["window seat"]}`), "GET "+at+"/memories?match="+url.QueryEscape(`{"any":["hid*"]}`),
			"GET "+at+"/export?where="+url.QueryEscape(`{"updated_by":{"eq":"alice"}}`), "GET "+at+"/sales?by=buyer", "GET "+at+"/memories?limit=100000",
		)
		calls = append(calls, "POST "+at+`/memories:batch {"items":[{"op":"get","key":"seat"},{"op":"get","key":"secret-1"}],"atomic":false}`)
		for _, options := range []string{
			"", `,"explain":true`, `,"mode":"lexical"`, `,"limit":1`, `,"tags":["travel"]`, `,"diversity":0.5`, `,"typos":false`, `,"dates":false`, `,"as_of":"2026"`, `,"as_of":"2026-02"`, `,"min_relevance":0`, `,"min_relevance":1,"nearest":3`,
			`,"where":{"value.n":{"exists":false}}`, `,"where":{"updated_at":{"lte":"2030"}},"timezone":"Asia/Tokyo"`, `,"match":{"any":["hid*","seat"]}`, `,"max_tokens":60`,
			`,"recency":{"half_life":"720h","weight":0.3}`, `,"ranking":"rrf"`,
			`,"explain":{"store":"` + store + `","key":"secret-1"}`, `,"explain":{"store":"` + store + `","key":"aisle"}`,
		} {
			calls = append(calls, `POST /v1/search {"query":"window seat","stores":["`+store+`"]`+options+`}`)
		}
	}
	const nobody = "00000000-0000-4000-8000-000000000000"
	return append(calls, "GET /v1/offers/"+nobody, `POST /v1/offers/`+nobody+`/search {"query":"window seat"}`,
		"GET /v1/admin/agents/alice/access", "GET /v1/admin/keys", "GET /v1/console/session", "GET /v1/agents/alice/settings", "GET /v1/agents/stranger/settings",
		`POST /v1/search {"query":"hidden window seat"}`, `POST /v1/search {"queries":["hidden window","window seat"]}`, "GET /v1/stores", "GET /v1/offers", "GET /v1/account", "GET /v1/usage", "GET /v1/health",
		"GET /v1/tools", `POST /v1/tools/memory_search {"query":"hidden window seat"}`, `POST /v1/tools/memory_list {}`)
}

// The test fails if the specification has a reading operation that is neither in readingCalls
// nor requested with fromOutside.
func TestEveryReadingOperationIsComparedWithHiddenWrites(t *testing.T) {
	d, err := specification()
	if err != nil {
		t.Fatal(err)
	}
	asked := append(readingCalls(), "GET /.well-known/jwks.json", "GET /livez", "GET /readyz", "GET /metrics", "GET /", "GET /openapi.json")
	for path, item := range d.Paths.Map() {
		if item.Get == nil && !strings.HasSuffix(path, "search") {
			continue
		}
		method := http.MethodGet
		if item.Get == nil {
			method = http.MethodPost
		}
		pattern := regexp.MustCompile(`^` + method + ` ` + regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), `[^/ ?]+`) + `([ ?]|$)`)
		if !slices.ContainsFunc(asked, pattern.MatchString) {
			t.Errorf("%s %s is not compared", method, path)
		}
	}
}

// fromOutside is a request from a client that is not an operator.
func fromOutside(path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	r.RemoteAddr = "203.0.113.7:1234"
	return r
}

// random matches the parts that differ between any two services: IDs, times, encrypted
// cursors, ETags, durations, and the keys of receipts.
var random = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}` +
	`|\d{4}-\d\d-\d\dT[0-9:.]+Z` +
	`|"(next|next_cursor|cursor|kid|x)":"[^"]*"` +
	`|(=|;|":)[0-9.e-]+(?:,"unit":"ms"|ms)` +
	`|dur=[0-9.]+` +
	`|\\?"[A-Za-z0-9_-]{22}\\?"` +
	`|"took_ms":\{[^}]*\}`)

func compareAnswers(t *testing.T, call string, got, want answer) {
	t.Helper()
	if got.status != want.status {
		t.Errorf("%s: status %d with hidden writes, %d without", call, got.status, want.status)
	}
	mask := func(text string) string { return random.ReplaceAllString(text, "*") }
	if a, b := mask(got.body), mask(want.body); a != b {
		t.Errorf("%s: with hidden writes\n%s\nwithout\n%s", call, a, b)
	}
	names := slices.Sorted(maps.Keys(got.header))
	if !slices.Equal(names, slices.Sorted(maps.Keys(want.header))) {
		t.Errorf("%s: headers %v and %v", call, names, slices.Sorted(maps.Keys(want.header)))
	}
	for _, name := range names {
		if name == "X-Request-Id" || name == "Ratelimit" {
			continue // it counts the reader's own calls in a minute, so it depends on the clock
		}
		if a, b := mask(strings.Join(got.header[name], "\n")), mask(strings.Join(want.header[name], "\n")); a != b {
			t.Errorf("%s: %s is %q and %q", call, name, a, b)
		}
	}
}
