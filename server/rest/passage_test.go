package rest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mneme/acl"
)

const filler = "The committee discussed the budget of the coming year at length. "

func TestALongValueComesAsPassages(t *testing.T) {
	h := open(t)
	text := strings.Repeat(filler, 20) + "Otto's <parrots> eat \"sunflower\" seeds. " + strings.Repeat(filler, 20)
	h.want(201, alice, "PUT", "/v1/stores/alice/memories/minutes", body("value", text, "description", "of May"))
	h.want(201, alice, "PUT", "/v1/stores/alice/memories/parrot", body("value", "Otto's parrot is green."))
	h.want(200, alice, "PUT", "/v1/stores/alice/grants/bob", body("level", "search"))
	type found struct {
		Hits []struct {
			Key        string
			Value      json.RawMessage
			Truncated  *bool
			Highlights [][2]int
			Passages   []map[string]json.RawMessage
		}
		Tokens *int
	}
	search := func(p acl.Principal, options ...any) (a found) {
		got := h.want(200, p, "POST", "/v1/search", body(append([]any{"query", "what does Otto's parrot eat?", "stores", []string{"alice"}}, options...)...))
		if err := json.Unmarshal([]byte(got.body), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, hit := range search(alice).Hits {
		if hit.Value == nil || hit.Passages != nil || hit.Truncated != nil || hit.Highlights != nil {
			t.Errorf("without options: %+v", hit)
		}
	}
	a := search(alice, "passages", true, "max_tokens", 5000)
	if len(a.Hits) != 2 || a.Tokens == nil || *a.Tokens < 100 || *a.Tokens > 400 {
		t.Fatalf("%+v", a)
	}
	for _, hit := range a.Hits {
		if hit.Key == "parrot" {
			if !slices.Equal(hit.Highlights, [][2]int{{0, 6}, {7, 13}}) || string(hit.Value) != `"Otto's parrot is green."` || hit.Passages != nil || hit.Truncated != nil {
				t.Errorf("the short value: %+v", hit)
			}
			continue
		}
		var start, end int
		var shown string
		for name, into := range map[string]any{"start": &start, "end": &end, "text": &shown} {
			if err := json.Unmarshal(hit.Passages[0][name], into); err != nil {
				t.Fatal(err)
			}
		}
		if hit.Value != nil || hit.Truncated == nil || !*hit.Truncated || text[start:end] != shown || !strings.Contains(shown, "<parrots>") || hit.Passages[0]["highlights"] == nil {
			t.Errorf("the long value: %+v", hit)
		}
	}
	// At level search the hit has only the passage and its highlights.
	for _, hit := range search(bob, "passages", true).Hits {
		if hit.Truncated != nil || hit.Highlights != nil {
			t.Errorf("under level search: %+v", hit)
		}
		for _, p := range hit.Passages {
			if len(p) != 2 || p["text"] == nil || p["highlights"] == nil {
				t.Errorf("under level search: %s", p)
			}
		}
	}
	for _, budget := range []any{0, 49, -5} {
		h.want(http.StatusUnprocessableEntity, alice, "POST", "/v1/search", body("query", "x", "max_tokens", budget))
	}
	for _, budget := range []any{"100", 99.5, nil} {
		h.want(http.StatusBadRequest, alice, "POST", "/v1/search", body("query", "x", "max_tokens", budget))
	}
}
