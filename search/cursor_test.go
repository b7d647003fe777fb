package search_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// pageOf returns the hits of a page, with their values, and the cursor of the next page.
func (h *harness) pageOf(c memory.Caller, r search.Request) (hits []search.Hit, next string) {
	h.t.Helper()
	answer := h.MustSearch(c, r)
	hits, values := h.eachHit(&answer)
	next, err := values.Next(0)
	must(h, err)
	return hits, next
}

// pages returns the hits of a search and of all pages that follow. It calls between after
// each page but the last.
func (h *harness) pages(c memory.Caller, r search.Request, between func()) (hits []search.Hit) {
	h.t.Helper()
	for {
		page, next := h.pageOf(c, r)
		if len(page) > r.Limit || len(page) == 0 && next != "" {
			h.t.Fatalf("a page of %d hits, with a cursor of %d bytes", len(page), len(next))
		}
		hits = append(hits, page...)
		if next == "" {
			return hits
		}
		r.Cursor = next
		between()
	}
}

// openFerries opens a service with many notes that answer one question. Some are alike.
func openFerries(t *testing.T, b backendtest.Backend) (*harness, memory.Caller) {
	t.Helper()
	h, a := open(t, b, memory.Limits{}), agent("a", acl.Public)
	var requests []memory.PutRequest
	for i := range 60 {
		note := fmt.Sprintf("%s, and the ferry from pier %d leaves at %d", subjects[i%len(subjects)], i%13, i%24)
		requests = append(requests, memory.PutRequest{Path: path("a", fmt.Sprint("k", i)), Value: text(note)})
	}
	for some := range slices.Chunk(requests, 20) {
		_, err := h.PutAll(background, a, some)
		must(h, err)
		h.Clock.Advance(24 * time.Hour)
	}
	h.Index()
	return h, a
}

const ferry = "when does the ferry leave?"

// paged are searches with different options.
var paged = map[string]search.Request{
	"no option":     {Query: ferry},
	"rrf":           {Query: ferry, Ranking: search.RankingRRF},
	"lexical":       {Query: ferry, Mode: search.ModeLexical},
	"min_relevance": {Query: ferry, MinRelevance: 0.2},
	"recency":       {Query: ferry, Recency: &search.Recency{HalfLife: 24 * time.Hour, Weight: 0.8}},
	"diversity":     {Query: ferry, Diversity: 0.4},
	"typos":         {Query: ferry, NoTypos: true},
	"dates":         {Query: ferry, NoDates: true},
	"as of":         {Query: ferry, AsOf: "2026"},
	"queries":       {Queries: []string{ferry, "the night train", "a letter"}},
	"filter":        {Query: ferry, Stores: []string{"a"}, Filter: memory.Filter{Namespace: new("")}},
}

func TestPagesTogetherAreTheWholeAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many entries")
	}
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openFerries(t, b)
		for name, r := range paged {
			r.Limit = 100
			want, next := h.pageOf(a, r)
			if next != "" || len(want) == 0 {
				t.Fatalf("%s: %d hits on one page, and a cursor of %d bytes", name, len(want), len(next))
			}
			for _, r.Limit = range []int{1, 7, 30, len(want)} {
				got := h.pages(a, r, func() {})
				if len(got) != len(want) {
					t.Fatalf("%s, pages of %d: %d hits, want %d", name, r.Limit, len(got), len(want))
				}
				for i, hit := range got {
					if hit.ID != want[i].ID || hit.Score != want[i].Score || hit.Relevance != want[i].Relevance {
						t.Fatalf("%s, pages of %d: hit %d is %s (%v, %v), want %s (%v, %v)", name, r.Limit, i,
							hit.Key, hit.Score, hit.Relevance, want[i].Key, want[i].Score, want[i].Relevance)
					}
				}
			}
		}
	})
}

func TestPagesNeitherRepeatNorMissAHitWhileOthersWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many entries")
	}
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openFerries(t, b)
		n := 0
		for name, r := range paged {
			r.Limit = 100
			want, _ := h.pageOf(a, r)
			r.Limit = 9
			got := h.pages(a, r, func() {
				h.Clock.Advance(time.Minute)
				h.PutText(a, "a", fmt.Sprint("another", n), "when the ferry leaves, the ferry leaves", 201)
				n++
			})
			if len(got) != len(want) {
				t.Fatalf("%s: %d hits, want %d", name, len(got), len(want))
			}
			for i := range got {
				if got[i].ID != want[i].ID {
					t.Errorf("%s: hit %d is %s, want %s", name, i, got[i].Key, want[i].Key)
				}
			}
			for i := range n { // for the next search
				if err := h.Delete(background, a, path("a", fmt.Sprint("another", i)), memory.Preconditions{}); err != nil && status(err) != 404 {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestEachPageChecksItsHitsAgain(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openFerries(t, b)
		r := search.Request{Query: ferry, Limit: 10, MinRelevance: 0.2, Filter: memory.Filter{Type: ""}}
		r.Filter.Namespace = new("")
		all := r
		all.Limit = 100
		want, _ := h.pageOf(a, all)
		_, r.Cursor = h.pageOf(a, r)
		h.Clock.Advance(time.Minute)
		deleted, sealedOver, edited, worse := want[10].Key, want[11].Key, want[12].Key, want[13].Key
		must(h, h.Delete(background, a, path("a", deleted), memory.Preconditions{}))
		h.PutText(agent("a", acl.Internal), "a", sealedOver, "a higher one", 201)
		h.PutText(a, "a", edited, "when the ferry leaves, the ferry leaves", 200)
		h.PutText(a, "a", worse, "zebras", 200)
		h.Index()
		got, next := h.pageOf(a, r)
		var found []string
		for _, hit := range got {
			if found = append(found, hit.Key); hit.Key == edited && string(hit.Value) != `"when the ferry leaves, the ferry leaves"` {
				t.Errorf("the edited hit shows %s", hit.Value)
			}
		}
		if slices.Contains(found, deleted) || slices.Contains(found, worse) || !slices.Contains(found, edited) || !slices.Contains(found, sealedOver) {
			t.Errorf("hits %v, without %s and %s, with %s and %s", found, deleted, worse, edited, sealedOver)
		}
		if len(got) != 10 || next == "" {
			t.Errorf("%d hits, a cursor of %d bytes", len(got), len(next))
		}
	})
}

func TestACursorIsForOneCallerAndOneSearch(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), encoder(t)
		h, other := openOver(t, data, backendtest.Options{}, e), openOver(t, data, backendtest.Options{}, e)
		a := agent("a", acl.Public)
		for key, note := range notes {
			h.PutText(a, "a", key, note, 201)
		}
		h.Index()
		r := search.Request{Query: question, Limit: 2}
		first, next := h.pageOf(a, r)
		r.Cursor = next
		second, last := other.pageOf(a, r) // another process
		r.Cursor = last
		third, none := h.pageOf(a, r)
		if len(first) != 2 || len(second) != 2 || len(third) != 1 || none != "" {
			t.Fatalf("pages of %d, %d and %d hits", len(first), len(second), len(third))
		}
		listed, err := h.List(background, a, memory.ListRequest{Store: "a", Limit: 1})
		must(h, err)
		r.Cursor = next
		for name, call := range map[string]struct {
			caller memory.Caller
			change func(*search.Request)
		}{
			"another agent":    {agent("b", acl.Public), nil},
			"another taint":    {agent("a", acl.Internal), nil},
			"another query":    {a, func(r *search.Request) { r.Query += "?" }},
			"another limit":    {a, func(r *search.Request) { r.Limit++ }},
			"another filter":   {a, func(r *search.Request) { r.Filter.Tags = []string{"x"} }},
			"another ranking":  {a, func(r *search.Request) { r.Ranking = search.RankingRRF }},
			"explain":          {a, func(r *search.Request) { r.Explain = true }},
			"stores":           {a, func(r *search.Request) { r.Stores = []string{"a"} }},
			"a cut cursor":     {a, func(r *search.Request) { r.Cursor = next[:len(next)-4] }},
			"a changed cursor": {a, func(r *search.Request) { r.Cursor = "A" + next[1:] + "A" }},
			"a list's cursor":  {a, func(r *search.Request) { r.Cursor = listed.Next }},
			"no cursor":        {a, func(r *search.Request) { r.Cursor = "!" }},
		} {
			changed := r
			if call.change != nil {
				call.change(&changed)
			}
			if _, err := h.Search(background, call.caller, changed); !errors.Is(err, memory.ErrCursor) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestTheNextPageBeginsWhereReadingStopped(t *testing.T) {
	h, a := openNotes(t, backendtest.Embedded())
	r := search.Request{Query: question, Limit: 4}
	all := keys(h.MustSearch(a, search.Request{Query: question}))
	answer := h.MustSearch(a, r)
	enough, shown := errors.New("enough"), 0
	values := answer.Values()
	err := values.Each(background, func(*search.Hit) error {
		if shown == 2 {
			return enough
		}
		shown++
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	r.Cursor, err = values.Next(0)
	must(h, err)
	if got := keys(h.MustSearch(a, r)); !slices.Equal(got, all[2:]) {
		t.Errorf("hits %v, want %v", got, all[2:])
	}
}

func TestHitsAtLevelSearchAreOnlyOnTheFirstPage(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		reader := agent("reader", acl.Public)
		for i := range 4 {
			h.PutText(agent("seller", acl.Public), "seller", fmt.Sprint("sold", i), "when does the ferry leave? at nine", 201)
			h.PutText(reader, "reader", fmt.Sprint("own", i), "the harbour master knows of a ferry", 201)
		}
		h.Index()
		r := search.Request{Query: ferry, Limit: 3}
		var own, sold int
		first, next := h.pageOf(reader, r)
		for _, hit := range first {
			if hit.Store == "seller" {
				sold++
			}
		}
		if sold == 0 || next == "" {
			t.Fatalf("%d hits of the seller on the first page, a cursor of %d bytes", sold, len(next))
		}
		for _, hit := range h.pages(reader, r, func() {}) {
			if hit.Store == "reader" {
				own++
			} else {
				sold--
			}
		}
		if own != 4 || sold != 0 {
			t.Errorf("%d of 4 own hits, %d of the seller's are on a later page", own, -sold)
		}
		r.Stores = []string{"reader", "seller"}
		if _, next := h.pageOf(reader, r); next != "" {
			t.Error("a cursor although a store with level search was named")
		}
		r.Stores, r.Cursor = []string{"seller"}, next
		if _, err := h.Search(background, reader, r); status(err) != 400 {
			t.Errorf("a cursor for another search: %v", err)
		}
	})
}

func TestACursorIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does much: the full run has it")
	}
	h, a := openWith(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{Reranker: &judge{}, RerankBudget: time.Hour, Reranked: 100}}), agent("a", acl.Public)
	var requests []memory.PutRequest
	for i := range 450 {
		at := memory.Path{Store: "a", Namespace: fmt.Sprint("n", i), Key: "k"} // a namespace is not embedded
		requests = append(requests, memory.PutRequest{Path: at, Value: text(fmt.Sprint("the ferry leaves at ", i%50))})
	}
	_, err := h.PutAll(background, a, requests)
	must(h, err)
	for most, r := range map[int]search.Request{9500: {Query: ferry, Limit: 1}, 12_900: {Query: ferry, Limit: 1, Ranking: search.RankingRRF}, 13_800: {Query: ferry, Limit: 1, Diversity: 0.1}} {
		h.Index()
		_, next := h.pageOf(a, r)
		if len(next) > most || len(next) < most/4 {
			t.Errorf("%d bytes, at most %d", len(next), most)
		}
		hits := h.pages(a, r, func() {})
		seen := make(map[string]bool)
		for _, hit := range hits {
			seen[hit.Namespace] = true
		}
		if len(seen) != len(hits) || len(hits) < 200 || len(hits) > 400 {
			t.Errorf("%d hits, %d of them different", len(hits), len(seen))
		}
	}
}
