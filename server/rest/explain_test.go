package rest_test

import (
	"strings"
	"testing"

	"mneme/acl"
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
		t.Errorf("an answer with nothing to explain beside its hits: %s", a.body)
	}
}

// What a caller may not read is explained as what does not exist, byte for byte.
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
