package tool_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/server/tool"
)

// searchers are the tools that search, with their other required parameters,
// and the names of their parameters for the number of hits.
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

// Every search option has the same effect through both tools as in the service.
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
	const days = `{"updated_at": {"lte": "2026-03-02"}}` // the entries are of noon and later in UTC
	dated, err := memory.ParseWhere([]byte(days))
	if err != nil {
		t.Fatal(err)
	}
	base := search.Request{Query: question, Limit: 10}
	plain := h.found(base)
	for option, c := range map[string]struct {
		value  any
		change func(*search.Request)
	}{
		"queries":  {[]string{"a letter", "green tea"}, func(r *search.Request) { r.Query, r.Queries = "", []string{"a letter", "green tea"} }},
		"where":    {json.RawMessage(where), func(r *search.Request) { r.Filter.Where = condition }},
		"timezone": {"-12:00", func(r *search.Request) { r.Filter.Where, r.Filter.Timezone = dated, "-12:00" }},
		"match":    {json.RawMessage(match), func(r *search.Request) { r.Filter.Match = words }},
		"mode":     {"lexical", func(r *search.Request) { r.Mode = search.ModeLexical }},
		"recency": {map[string]any{"half_life": "12h", "weight": 1}, func(r *search.Request) {
			r.Recency = &search.Recency{HalfLife: 12 * time.Hour, Weight: 1}
		}},
		"diversity": {0.9, func(r *search.Request) { r.Diversity = 0.9 }},
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
			if option == "timezone" {
				pairs = append(pairs, "where", json.RawMessage(days))
			}
			got, next := keysOf(h, name, pairs...)
			if !slices.Equal(got, want) || next != "" {
				t.Errorf("%s with %s: %q and a cursor of %d bytes, want %q", name, option, got, len(next), want)
			}
		}
	}
}

func TestTheToolsTakeTypos(t *testing.T) {
	h := openWithModel(t)
	h.put(alice, "alice", "k", `"A letter from Lisbon."`)
	h.index()
	for name := range searchers {
		for typos, want := range map[bool]int{true: 1, false: 0} {
			if got, _ := keysOf(h, name, "query", "lisbno", "mode", "lexical", "min_relevance", 0, "typos", typos); len(got) != want {
				t.Errorf("%s with typos %t: %q", name, typos, got)
			}
		}
	}
}

// found returns the keys that alice's search finds.
func (h *harness) found(r search.Request) (keys []string) {
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

// Only calls that ask for a cursor get one. The pages partition the answer,
// whether a page ends at its limit, its budget or its room.
func TestPagesOfATool(t *testing.T) {
	if testing.Short() {
		t.Skip("asks for many answers")
	}
	h := open(t)
	for i := range 150 {
		h.put(alice, "alice", fmt.Sprintf("%03d%s", i, strings.Repeat("\"", 500)), string(must(t, strings.Repeat("granite \"quoted\"\n", i))))
	}
	for _, room := range []int{least, tool.DefaultAnswer} {
		h := h.with(tool.Options{MaxAnswer: room})
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

// A cursor belongs to one search, whose options the next call repeats.
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

// explained is an answer with its explanation.
type explained struct {
	Results []struct {
		Key     string
		Explain *struct {
			Summands []struct{ Value float64 }
			Via      string
		}
	}
	Explain *struct {
		Filter *struct{ Passing *int }
		Entry  *struct {
			Outcome search.Outcome
			Rank    int
			Label   string
			Options []string
		}
	}
	LeftOut int `json:"left_out"`
}

// A tool explains the same as REST: each hit, the cost of the conditions, and
// the outcome of an entry.
func TestToolsExplainHitsAndEntries(t *testing.T) {
	h := open(t)
	h.must(alice, "memory_save", "key", "kite", "content", "a red kite", "tags", []string{"x"})
	h.must(alice, "memory_save", "key", "ball", "content", "a red ball")
	h.share(bob, "alice", acl.Read)
	h.must(bob, "memory_save", "key", "his", "content", "a red barn")
	for name, s := range searchers {
		ask := func(pairs ...any) explained {
			return decode[explained](h, h.must(alice, name, append(append([]any{"query", "red"}, s.command...), pairs...)...))
		}
		got := ask("explain", true)
		if len(got.Results) != 3 || got.Explain != nil {
			t.Fatalf("%s: %+v", name, got)
		}
		for _, hit := range got.Results {
			if hit.Explain == nil || len(hit.Explain.Summands) == 0 || hit.Explain.Via == "" {
				t.Errorf("%s: a hit that is not explained: %+v", name, hit)
			}
		}
		for _, text := range []any{map[string]any{}, "{}"} { // as the schema has it, and as some clients send it
			if got := ask("explain", text); got.Results[0].Explain == nil || got.Explain != nil {
				t.Errorf("%s: %v explains no hits", name, text)
			}
		}
		if got := ask("explain", false); got.Results[0].Explain != nil {
			t.Errorf("%s: a hit is explained unasked", name)
		}
		got = ask("explain", map[string]any{"key": "ball"}, "where", json.RawMessage(`{"tags": {"contains": "x"}}`))
		if x := got.Explain; x == nil || x.Filter == nil || *x.Filter.Passing != 1 || x.Entry.Outcome != search.OutcomeFiltered || !slices.Equal(x.Entry.Options, []string{"where"}) {
			t.Errorf("%s: an entry that is filtered out: %+v", name, x)
		}
		for store, want := range map[string]search.Outcome{"self": search.OutcomeNotFound, "bob": search.OutcomeHit} {
			if x := ask("explain", map[string]any{"store": store, "key": "his"}).Explain; x.Entry.Outcome != want {
				t.Errorf("%s: %s in the store %s: %+v", name, "his", store, x.Entry)
			}
		}
		for _, wrong := range []any{1, "kite", []string{"kite"}, map[string]any{"key": 1}, map[string]any{"key": "a", "id": "b"}} {
			if got := h.refused(alice, name, append(append([]any{"query", "red"}, s.command...), "explain", wrong)...); !strings.HasPrefix(got, "Error: `explain` must be") {
				t.Errorf("%s, %v: %s", name, wrong, got)
			}
		}
		h.refused(alice, name, append(append([]any{"query", "red"}, s.command...), "explain", map[string]any{"key": "a", "store": "a b"})...)
	}
	// An entry without a store is in the memory tool's store.
	got := decode[explained](h, h.must(alice, "memory", "command", "search", "query", "red", "store", "bob", "explain", map[string]any{"key": "his"}))
	if got.Explain.Entry.Outcome != search.OutcomeHit {
		t.Errorf("in the store that is searched: %+v", got.Explain.Entry)
	}
}

// Unreadable entries are explained like absent ones, byte for byte.
func TestToolsExplainAHiddenEntryAsAnAbsentOne(t *testing.T) {
	h := open(t)
	h.put(alice, "alice", "kite", `"a red kite"`)
	higher := alice
	higher.Taint = acl.Restricted
	h.put(higher, "alice", "kept", `"a red secret"`)
	h.put(alice, "alice", "internal", `"a red state"`, func(r *memory.PutRequest) { r.InContext = new(false) })
	h.put(bob, "bob", "his", `"a red ball"`)
	for name, s := range searchers {
		ask := func(store, key string) string {
			return h.must(alice, name, append([]any{"query", "red", "explain", map[string]any{"store": store, "key": key}}, s.command...)...)
		}
		absent := ask("self", "absent")
		if !strings.Contains(absent, `"explain":{"entry":{"outcome":"not_found"}}`) {
			t.Errorf("%s: an absent entry: %s", name, absent)
		}
		for _, hidden := range [][2]string{{"self", "kept"}, {"self", "internal"}, {"bob", "his"}, {"nobody", "his"}, {"bob", "absent"}} {
			if got := ask(hidden[0], hidden[1]); got != absent {
				t.Errorf("%s, %v: %s, want %s", name, hidden, got, absent)
			}
		}
	}
}

// The explanation takes room in the answer, which stays within its limit.
func TestAnExplainedAnswerStaysWithinItsLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("asks for many answers")
	}
	h := openWith(t, memory.Limits{}, tool.Options{MaxAnswer: least})
	for i := range 100 {
		h.put(alice, "alice", fmt.Sprintf("%03d", i), string(must(t, strings.Repeat("granite ", 1+i%5))))
	}
	for name, s := range searchers {
		text := h.must(alice, name, append([]any{"query", "granite", s.limit, 100, "min_relevance", 0, "max_tokens", 1_000_000, "explain", map[string]any{"key": "000"}}, s.command...)...)
		got := decode[explained](h, text)
		if len(text) > least || len(got.Results) == 0 || got.LeftOut != 100-len(got.Results) || got.Explain.Entry.Rank == 0 {
			t.Errorf("%s: %d bytes, %d hits, %d left out, %+v", name, len(text), len(got.Results), got.LeftOut, got.Explain)
		}
		outcomes := make(map[search.Outcome]int)
		for i := range 100 {
			text := h.must(alice, name, append([]any{"query", "granite", s.limit, 100, "min_relevance", 0, "max_tokens", 1_000_000, "explain", map[string]any{"key": fmt.Sprintf("%03d", i)}}, s.command...)...)
			outcomes[decode[explained](h, text).Explain.Entry.Outcome]++
		}
		if shown := len(got.Results); outcomes[search.OutcomeHit] < shown-2 || outcomes[search.OutcomeHit] > shown+2 || outcomes[search.OutcomeHit]+outcomes[search.OutcomeBeyondTokens] != 100 {
			t.Errorf("%s: %d hits are shown, and entries are explained as %v", name, shown, outcomes)
		}
	}
}
