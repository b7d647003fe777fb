package rest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/search"
	"mneme/server/limit"
	"mneme/test/backendtest"
)

func TestASearchExplainsAnEntryThatItNames(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/kite", `{"value":"a red kite","tags":["x"]}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/ball?namespace=toys", `{"value":"a red ball"}`)
	explained := func(options string) map[string]any {
		t.Helper()
		a := h.want(200, alice, "POST", "/v1/search", `{"query":"red",`+options+`}`)
		x, _ := a.json(t)["explain"].(map[string]any)
		if x == nil || !serverTiming.MatchString(a.header.Get("Server-Timing")) {
			t.Fatalf("not explained: %s", a.body)
		}
		return x
	}
	entry := explained(`"explain":{"key":"kite"}`)["entry"].(map[string]any)
	if entry["outcome"] != "hit" || entry["rank"] == nil || entry["relevance"] == nil || entry["explain"] == nil || entry["id"] == nil || entry["label"] == nil {
		t.Errorf("a hit: %v", entry)
	}
	x := explained(`"tags":["x"],"type":"user","explain":{"store":"alice","namespace":"toys","key":"ball"}`)
	entry = x["entry"].(map[string]any)
	if options, _ := entry["options"].([]any); entry["outcome"] != "filtered" || len(options) != 2 || options[0] != "tags" || options[1] != "type" {
		t.Errorf("an entry that is filtered out: %v", entry)
	}
	if filter := x["filter"].(map[string]any); filter["passing"] != 0.0 || len(filter["options"].([]any)) != 2 {
		t.Errorf("the filter: %v", filter)
	}
	if a := h.want(200, alice, "POST", "/v1/search", `{"query":"red","explain":true}`); a.json(t)["explain"] != nil {
		t.Errorf("an answer with nothing to explain except its hits: %s", a.body)
	}
}

// asLong is a Reranker that prefers long texts; it fails if the query contains "fault".
type asLong struct{}

func (asLong) Rerank(_ context.Context, query string, texts []string) ([]float64, error) {
	if strings.Contains(query, "fault") {
		return nil, errors.New("down")
	}
	odds := make([]float64, len(texts))
	for i, text := range texts {
		odds[i] = float64(len(text)) / 10
	}
	return odds, nil
}

func TestASearchReportsTheRerankersScore(t *testing.T) {
	h := openOptions(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{Reranker: asLong{}, RerankBudget: time.Hour}}, nil, limit.Rate{PerSecond: 1_000_000})
	h.want(201, alice, "PUT", "/v1/stores/self/memories/kite", `{"value":"red red red"}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/ball", `{"value":"a red ball that rolled down a long hill"}`)
	ask := func(body string) (a map[string]any, hits []any) {
		t.Helper()
		a = h.want(200, alice, "POST", "/v1/search", body).json(t)
		return a, a["hits"].([]any)
	}
	_, hits := ask(`{"query":"red","explain":true}`)
	for i, hit := range hits {
		x := hit.(map[string]any)["explain"].(map[string]any)
		said, _ := x["rerank"].(map[string]any)
		if said["rank"] != float64(i+1) || said["score"].(float64) <= 0.5 || len(x["summands"].([]any)) != 4 {
			t.Errorf("hit %d: %v", i, x)
		}
	}
	if first := hits[0].(map[string]any)["key"]; first != "ball" {
		t.Errorf("first %v", first)
	}
	a, _ := ask(`{"query":"red","limit":1,"cursor":""}`)
	a, hits = ask(fmt.Sprintf(`{"query":"red","limit":1,"cursor":%q}`, a["next_cursor"]))
	if hits[0].(map[string]any)["key"] != "kite" || len(a["degraded"].([]any)) != 1 { // no model
		t.Errorf("the second page: %v", a)
	}
	if a, _ := ask(`{"query":"red fault"}`); !slices.Contains(a["degraded"].([]any), any("rerank")) {
		t.Errorf("degraded %v", a["degraded"])
	}
}

// Unreadable entries are explained like absent ones, byte for byte.
func TestAHiddenEntryIsExplainedAsAnAbsentOne(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/kite", `{"value":"a red kite"}`)
	higher := alice
	higher.Taint = acl.Restricted
	h.want(201, higher, "PUT", "/v1/stores/self/memories/kept", `{"value":"a red secret"}`)
	h.want(201, bob, "PUT", "/v1/stores/self/memories/his", `{"value":"a red ball"}`)
	ask := func(store, key string) string {
		return h.want(200, alice, "POST", "/v1/search", `{"query":"red","explain":{"store":"`+store+`","key":"`+key+`"}}`).body
	}
	absent := ask("self", "absent")
	if !strings.Contains(absent, `"explain":{"entry":{"outcome":"not_found"}}`) {
		t.Errorf("an absent entry: %s", absent)
	}
	for _, hidden := range [][2]string{{"self", "kept"}, {"bob", "his"}, {"nobody", "his"}, {"bob", "absent"}} {
		if got := ask(hidden[0], hidden[1]); got != absent {
			t.Errorf("%v: %s, want %s", hidden, got, absent)
		}
	}
}
