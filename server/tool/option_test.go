package tool_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/memory"
	"mneme/server/tool"
)

// searchers are the tools that search, with what their calls need besides, and
// the names of their parameters for the number of hits.
var searchers = map[string]struct {
	command []any
	limit   string
}{
	"memory":        {[]any{"command", "search"}, "limit"},
	"memory_search": {nil, "max_results"},
}

// keysOf returns the keys that a search finds, in order, and its cursor.
func keysOf(h *harness, name string, pairs ...any) (keys []string, next string) {
	h.t.Helper()
	got := decode[struct {
		Results []struct{ Key string }
		Next    string `json:"next_cursor"`
	}](h, h.must(alice, name, append(searchers[name].command, pairs...)...))
	for _, hit := range got.Results {
		keys = append(keys, hit.Key)
	}
	return keys, got.Next
}

// Every option of a search does over both tools what the service does with it.
func TestTheToolsTakeEveryOptionOfASearch(t *testing.T) {
	h := openWithModel(t)
	for i, text := range []string{
		"Otto's parrot is green.", "Otto's parrot is green!", "The bird of Otto, a parrot, was bought in Lisbon.", "Green tea in the afternoon.", "A letter from Lisbon.",
	} {
		h.put(alice, "alice", fmt.Sprint("k", i), string(must(t, text)), func(r *memory.PutRequest) { r.Tags = &[]string{fmt.Sprint("t", i%2)} })
		h.clock.Advance(24 * time.Hour)
	}
	h.index()
	const question = "what colour is Otto's parrot?"
	where, match := `{"tags": {"contains": "t0"}}`, `{"none": ["lisbon"]}`
	condition, err := memory.ParseWhere([]byte(where))
	if err != nil {
		t.Fatal(err)
	}
	words, err := memory.ParseMatch([]byte(match))
	if err != nil {
		t.Fatal(err)
	}
	base := memory.SearchRequest{Query: question, Limit: 10}
	plain := h.found(base)
	for option, c := range map[string]struct {
		value  any
		change func(*memory.SearchRequest)
	}{
		"queries": {[]string{"a letter", "green tea"}, func(r *memory.SearchRequest) { r.Query, r.Queries = "", []string{"a letter", "green tea"} }},
		"where":   {json.RawMessage(where), func(r *memory.SearchRequest) { r.Filter.Where = condition }},
		"match":   {json.RawMessage(match), func(r *memory.SearchRequest) { r.Filter.Match = words }},
		"mode":    {"lexical", func(r *memory.SearchRequest) { r.Mode = memory.ModeLexical }},
		"recency": {map[string]any{"half_life": "12h", "weight": 1}, func(r *memory.SearchRequest) {
			r.Recency = &memory.Recency{HalfLife: 12 * time.Hour, Weight: 1}
		}},
		"diversity": {0.9, func(r *memory.SearchRequest) { r.Diversity = 0.9 }},
	} {
		r := base
		c.change(&r)
		want := h.found(r)
		if slices.Equal(want, plain) {
			t.Fatalf("%s changes nothing of %q", option, want)
		}
		for name := range searchers {
			pairs := []any{"min_relevance", 0, option, c.value}
			if option != "queries" {
				pairs = append(pairs, "query", question)
			}
			got, next := keysOf(h, name, pairs...)
			if !slices.Equal(got, want) || next != "" {
				t.Errorf("%s with %s: %q and a cursor of %d bytes, want %q", name, option, got, len(next), want)
			}
		}
	}
}

// found returns the keys that alice's search finds.
func (h *harness) found(r memory.SearchRequest) (keys []string) {
	h.t.Helper()
	a, err := h.service.Search(h.t.Context(), memory.Caller{Principal: alice}, r)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, hit := range a.Hits {
		keys = append(keys, hit.Key)
	}
	return keys
}

// A cursor comes to calls that ask for one. The pages are the answer cut into
// pieces, whether a page ends with its limit, its budget or its room.
func TestPagesOfATool(t *testing.T) {
	for _, room := range []int{least, tool.DefaultAnswer} {
		h := openWith(t, memory.Limits{}, tool.Options{MaxAnswer: room})
		for i := range 150 {
			h.put(alice, "alice", fmt.Sprintf("%03d%s", i, strings.Repeat("\"", 500)), string(must(t, strings.Repeat("granite \"quoted\"\n", i))))
		}
		for name, s := range searchers {
			for label, options := range map[string][]any{
				"limit": {s.limit, 40, "max_tokens", 1_000_000}, "budget": {s.limit, 100}, "diversity": {s.limit, 100, "max_tokens", 1_000_000, "passages", false, "diversity", 0.1},
				"no least relevance": {s.limit, 30, "min_relevance", 0, "ranking", "rrf"},
			} {
				options = append(options, "query", "granite")
				if _, next := keysOf(h, name, options...); next != "" {
					t.Errorf("%s, %s: a cursor of %d bytes that nobody asked for", name, label, len(next))
				}
				var all []string
				for next := ""; ; {
					keys, after := keysOf(h, name, append(options, "cursor", next)...)
					if len(after) > 3300 || len(keys) == 0 {
						t.Fatalf("%s, %s: a page of %d, then a cursor of %d bytes", name, label, len(keys), len(after))
					}
					all = append(all, keys...)
					if next = after; next == "" {
						break
					}
				}
				slices.Sort(all)
				if distinct := len(slices.Compact(slices.Clone(all))); len(all) < 100 || distinct != len(all) {
					t.Errorf("%s, %s, room for %d: %d hits on all pages, %d distinct", name, label, room, len(all), distinct)
				}
			}
		}
	}
}

// A cursor belongs to one search: its options are repeated.
func TestACursorOfAToolIsForOneSearch(t *testing.T) {
	h := open(t)
	for i := range 5 {
		h.must(alice, "memory_save", "key", fmt.Sprint("k", i), "content", "granite")
	}
	for name, s := range searchers {
		call := func(pairs ...any) []any {
			return append(append([]any{"query", "granite", s.limit, 2}, s.command...), pairs...)
		}
		_, next := keysOf(h, name, "query", "granite", s.limit, 2, "cursor", "")
		if next == "" {
			t.Fatal("there is no next page")
		}
		h.must(alice, name, call("cursor", next)...)
		const want = "Error: `cursor` is not valid for this search; all other parameters must be those of the first page"
		for _, other := range [][]any{{"mode", "lexical"}, {"passages", false}, {"where", json.RawMessage(`{"key": {"eq": "k1"}}`)}} {
			if got := h.refused(alice, name, call(append(other, "cursor", next)...)...); got != want {
				t.Errorf("%s, %v: %s", name, other, got)
			}
		}
		if got := h.refused(bob, name, call("cursor", next)...); got != want {
			t.Errorf("%s as another agent: %s", name, got)
		}
	}
}
