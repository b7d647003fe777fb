package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/server/servertest"
)

// For any input, no answer is a 5xx, every error is a problem, and every
// answer conforms to the specification.
func FuzzRequestsAreAnsweredByTheSpecification(f *testing.F) {
	h := open(f)
	h.want(201, alice, "PUT", seat, `{"value":1}`)
	// The fuzzer may create keys, in its own files.
	token := h.Token(acl.Principal{Agent: "alice", Taint: acl.Public, Platform: true})
	for _, seed := range []struct{ method, target, header, value, body string }{
		{"PUT", seat, "If-Match", `"x"`, `{"value":1,"tags":["a"]}`},
		{"PUT", "/v1/stores/self/memories/a%2Fb%00?namespace=%C3%BC&wait=indexed&similar=true", "If-None-Match", "*", `{"value":{"a":[1,"\ud800"]}}`},
		{"GET", "/v1/stores/self/memories?tag=a&limit=5&prefix=x&cursor=AAAA", "If-None-Match", `W/"a", "b"`, ""},
		{"GET", seat + "?as_of=2026-05&timezone=%2B02:00", "X", "y", ""},
		{"GET", "/v1/stores/self/memories?as_of=2026-05-01T09:00:00Z&limit=1", "X", "y", ""},
		{"POST", seat + "/restore", "Idempotency-Key", "k", `{"version":1}`},
		{"POST", seat + "/rename", "Idempotency-Key", "", `{"to":"seat"}`},
		{"POST", "/v1/search", "Content-Type", "application/json", `{"query":"\"a\" OR b","explain":true,"limit":100}`},
		{"POST", "/v1/search", "Content-Type", "application/json", `{"query":"a","explain":{"key":"seat","store":"self","namespace":""},"tags":["a"]}`},
		{"POST", "/v1/search", "Content-Type", "application/json", `{"query":"a","min_relevance":0.5,"ranking":"rrf"}`},
		{"POST", "/v1/search", "Content-Type", "application/json", `{"query":"?","min_relevance":1,"nearest":3}`},
		{"POST", "/v1/search", "Content-Type", "application/json", `{"queries":["a","b"],"mode":"lexical","recency":{"half_life":"30d","weight":0.5},"diversity":0.3,"typos":false,"dates":false}`},
		{"POST", "/v1/search", "Content-Type", "application/json", `{"query":"a","as_of":"2026-05","timezone":"+02:00"}`},
		{"POST", "/v1/search", "Content-Type", "application/json", `{"query":"a","where":{"or":[{"value.a":{"gt":1e5}},{"not":{"tags":{"contains":"a"}}}]}}`},
		{"POST", "/v1/search", "Content-Type", "application/json", `{"query":"a","match":{"all":["a b","pea*"],"any":["x"],"none":["y"]}}`},
		{"GET", "/v1/stores/self/memories?where=%7B%22updated_at%22%3A%7B%22gte%22%3A%22now-7d%22%7D%7D", "X", "y", ""},
		{"GET", "/v1/stores/self/export?where=%7B%22occurred_at%22%3A%7B%22lte%22%3A%222026-06%22%7D%7D&timezone=%2B02%3A00", "X", "y", ""},
		{"POST", "/v1/search", "Content-Type", "application/json", `{"query":"a","where":{"updated_at":{"nin":["2026","2026-06-30T12:00"]}},"timezone":"Europe/Berlin"}`},
		{"PUT", "/v1/stores/self/memories/a", "X", "y", `{"value":1,"source":{"session":"s","read":[1]}}`},
		{"PUT", "/v1/stores/self/memories/a", "X", "y", `{"value":1,"occurred_at":"2026-06-30T12:00","timezone":"Asia/Tokyo"}`},
		{"POST", batches, "Idempotency-Key", "k", `{"items":[{"op":"put","key":"a","value":null,"if_none_match":"*"},{"op":"get","key":"a"},{"op":"delete","key":"a","if_match":"\"x\""}]}`},
		{"POST", batches, "Content-Type", "application/json", `{"atomic":true,"items":[{"op":"put","key":"seat","value":{"a":[1e400]},"tags":[""],"ttl":-1},{"op":"get","key":"seat","if_none_match":"W/\"a\""}]}`},
		{"POST", imports, "Content-Type", "application/x-ndjson", "{\"key\":\"a\",\"value\":1}\n{\n"},
		{"PUT", "/v1/stores/self/grants/bob", "X-API-Key", "mneme_0_0", `{"level":"x","max_label":"y","ttl":1e9}`},
		{"PUT", "/v1/stores/self/language", "X", "y", `{"language":"multilingual"}`},
		{"PUT", "/v1/agents/alice/settings", "Authorization", "Bearer", `{"enabled":true,"self":true,"chat":true,"user":true}`},
		{"POST", "/v1/admin/purge", "X", "y", `{"before":"0000-01-01T00:00:00Z"}`},
		{"GET", "/v1/admin/keys?agent=a", "X", "y", ""},
		{"POST", "/v1/admin/keys", "Idempotency-Key", "k", `{"agent":"a","name":"\u202e","taint":"x","scopes":["share","x"],"chat":"c","ttl":3153600001}`},
		{"DELETE", "/v1/admin/keys/%00", "X", "y", ""},
		{"GET", "/v1/stores/self/export", "X", "y", ""},
		{"", "/", "Accept", "text/html", ""}, // net/http makes it GET
		{"POST", "/v1/stores/self/offers", "Idempotency-Key", "k", `{"title":"t","description":"","terms":{"price_search":-1,"price_entry":1000000000001}}`},
		{"POST", "/v1/stores/self/offers", "X", "y", `{"title":"t","description":"","terms":{"price_search":0.5,"price_entry":99999999999999999999},"caps":{"entries_total":0}}`},
		{"PUT", anOffer, "If-Match", `"x"`, `{"terms":{"max_hits":0,"novelty_percent":1e4,"max_label":"x"}}`},
		{"POST", anOffer + "/accept", "If-Match", `"x"`, ""},
		{"POST", anOffer + "/search", "Idempotency-Key", "k", `{"query":"a","max_charge":9223372036854775807,"limit":101}`},
		{"POST", "/v1/search", "Idempotency-Key", "k", `{"query":"a","stores":["self"],"max_charge":1}`},
		{"POST", "/v1/admin/accounts/alice/topup", "X", "y", `{"amount":1e12,"reference":"\u0000"}`},
		{"GET", "/v1/stores/self/sales?from=2026-01-01&to=0001-01-01&by=buyer", "Accept", "text/csv;q=0.5, */*;q=0.1", ""},
		{"GET", "/v1/usage?cursor=AAAA&limit=0", "X", "y", ""},
		{"POST", "/v1/charges/01982f6e-7c1a-7d3e-9b55-2f4f6f3c8b01/refund", "X", "y", ""},
		{"DELETE", "/v1/users/a/sessions/%2e%2e", "X", "y", ""},
		{"POST", "/v1/search", "Content-Encoding", "gzip", "\x1f\x8b\b\x00\x00\x00\x00\x00\x00\xff\xaaV*,M-\xaaT\xb2RJT\xaa\x05\x00"},
		{"POST", imports, "Content-Encoding", "zstd", "\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00{}"},
		{"PUT", seat, "Content-Encoding", "br, gzip", `{"value":1}`},
		{"GET", "/v1/stores", "If-None-Match", `W/"a-gzip", *`, ""},
		{"GET", "/openapi.json", "Accept-Encoding", "gzip", ""},
		{"GET", "/v1/stores", "X-Request-Id", "a b", ""},
	} {
		f.Add(seed.method, seed.target, seed.header, seed.value, seed.body)
	}
	f.Fuzz(func(t *testing.T, method, target, header, value, body string) {
		r, err := http.NewRequest(method, "http://mneme.test"+target, strings.NewReader(body))
		if err != nil || !strings.HasPrefix(target, "/") {
			return // net/http itself refuses it
		}
		r.Header.Set("Authorization", "Bearer "+token)
		if header != "" {
			r.Header[http.CanonicalHeaderKey(header)] = []string{value}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		a := answer{w.Code, w.Header(), string(servertest.Decoded(t, w))}
		if a.status >= 500 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if a.status >= 400 && a.header.Get("Content-Type") != "application/problem+json" {
			t.Fatalf("%d is no problem: %s", a.status, a.body)
		}
		if err := conforms(r.Method, r.URL.EscapedPath(), a); err != nil && !strings.Contains(err.Error(), "cannot unmarshal number") {
			t.Fatalf("%d is not in the specification: %v\n%s", a.status, err, a.body)
		}
	})
}
