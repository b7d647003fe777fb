package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed"
	"mneme/indexer"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
	"mneme/vector"
)

func TestSearchAcceptsAnyQuery(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		h.PutText(a, "a", "k", "we met at the \"Blue Door\" café (it's closed) on 5/7", 201)
		h.Index()
		for _, query := range []string{
			"?", "\"", "'", "it's", "a AND b OR NOT c", "NEAR(x, 2)", "col:term", "k*", "-minus +plus", "(((", "^caret",
			"select * from entry; --", "🙂🙃", "👩‍👩‍👧‍👦", "\x00", "\u202e", "ไม่มีช่องว่าง", "没有空格", "zzzzqqqq",
			strings.Repeat("word ", 2000), strings.Repeat("x", 10_000), strings.Repeat("🙂", 2500), "%", "_", "\\", "[CLS] [SEP] [MASK]",
		} {
			if a := h.MustSearch(a, search.Request{Query: query}); len(a.Degraded) > 0 {
				t.Errorf("%.20q degrades the answer: %v", query, a.Degraded)
			}
		}
		_, err := h.Search(background, a, search.Request{Query: " \n", Limit: 10})
		h.WantStatus(err, 422)
		_, err = h.Search(background, a, search.Request{Query: "x", Limit: 101})
		h.WantStatus(err, 422)
	})
}

func TestSearchFindsOneEntryPerPathAndNoEncryptedOnes(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		low, high := agent("a", acl.Public), agent("a", acl.Internal)
		h.PutText(low, "a", "both", "the ferry leaves at nine", 201)
		h.PutText(high, "a", "both", "the ferry leaves at ten", 201)
		h.PutText(low, "a", "shadowed", "the ferry is blue", 201)
		h.PutText(high, "a", "shadowed", "opaque", 201, sealed)
		h.Index()
		a := h.MustSearch(high, search.Request{Query: "ferry"})
		if len(a.Hits) != 1 || a.Hits[0].Label != acl.Internal || a.Label != acl.Internal {
			t.Errorf("hits %v, want the INTERNAL entry alone", keys(a))
		}
		if got := keys(h.MustSearch(low, search.Request{Query: "ferry"})); len(got) != 2 {
			t.Errorf("a PUBLIC session finds %v", got)
		}
	})
}

func TestSearchFilter(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		kind, tags, space := "project", []string{"x", "y"}, "work"
		h.PutText(a, "a", "plain", "harbour crane", 201)
		h.PutText(a, "a", "tagged", "harbour crane", 201, func(r *memory.PutRequest) { r.Tags = &tags })
		h.PutText(a, "a", "typed", "harbour crane", 201, func(r *memory.PutRequest) { r.Type = &kind })
		h.PutText(a, "a", "spaced", "harbour crane", 201, func(r *memory.PutRequest) { r.Path.Namespace = space })
		h.Index()
		empty := ""
		for want, f := range map[string]memory.Filter{
			"tagged":             {Tags: []string{"y"}},
			"typed":              {Type: "project"},
			"spaced":             {Namespace: &space},
			"plain,tagged,typed": {Namespace: &empty},
			"":                   {Tags: []string{"x", "z"}},
		} {
			got := keys(h.MustSearch(a, search.Request{Query: "harbour", Filter: f}))
			slices.Sort(got)
			if strings.Join(got, ",") != want {
				t.Errorf("%+v finds %v, want %s", f, got, want)
			}
		}
	})
}

func TestSearchWithABroadFilterFillsTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many entries")
	}
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		var requests []memory.PutRequest
		space := "rare"
		for i := range 1450 { // more pass the filter than fit in Only, and the first hits of each leg do not
			r := memory.PutRequest{Path: path("a", fmt.Sprintf("k%04d", i)), Value: text("a note about tides tides tides")}
			if i >= 400 {
				r.Path.Namespace, r.Value = space, text("a note about tides and more")
			}
			requests = append(requests, r)
		}
		for batch := range slices.Chunk(requests, 500) {
			_, err := h.PutAll(background, a, batch)
			must(h, err)
		}
		h.Index()
		answer := h.MustSearch(a, search.Request{Query: "tides", Limit: 100, Filter: memory.Filter{Namespace: &space}})
		if len(answer.Hits) != 100 || answer.Incomplete {
			t.Errorf("%d hits, incomplete %v", len(answer.Hits), answer.Incomplete)
		}
	})
}

func TestLevelSearchShowsAtMostTenHitsWithFewFields(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		reader := agent("reader", acl.Public)
		for i := range 30 {
			h.PutText(agent("seller", acl.Public), "seller", fmt.Sprint("paid", i), "lighthouse keepers", 201)
			h.PutText(reader, "reader", fmt.Sprint("own", i), "lighthouse keepers", 201)
		}
		h.Index()
		answer := h.MustSearch(reader, search.Request{Query: "lighthouse", Limit: 40})
		bare := 0
		for _, hit := range answer.Hits {
			if hit.Store == "seller" {
				bare++
				if hit.Owner != "" || !hit.CreatedAt.IsZero() || hit.UpdatedBy != "" || hit.Explain != nil {
					t.Error("a hit from a store at level search has more than store, key, label, value and score")
				}
			}
		}
		if bare != 10 || len(answer.Hits) != 40 {
			t.Errorf("%d hits, %d of them from a store at level search", len(answer.Hits), bare)
		}
		space := ""
		for _, r := range []search.Request{
			{Explain: true}, {Ranking: search.RankingRelevance}, {Ranking: search.RankingRRF}, {Filter: memory.Filter{Tags: []string{"x"}}}, {Filter: memory.Filter{Type: "user"}}, {Filter: memory.Filter{Namespace: &space}},
			{Filter: memory.Filter{Where: where(`{"key":{"ne":"x"}}`)}},
		} {
			r.Query, r.Limit, r.Stores = "lighthouse", 10, []string{"seller"}
			_, err := h.Search(background, reader, r)
			h.WantStatus(err, 403)
		}
		for _, r := range []search.Request{{Explain: true}, {Ranking: search.RankingRRF}} {
			r.Query, r.Limit = "lighthouse", 100
			for _, hit := range h.MustSearch(reader, r).Hits {
				if hit.Store == "seller" || (hit.Explain != nil) != r.Explain {
					t.Errorf("a hit from %s, explained: %v", hit.Store, hit.Explain)
				}
			}
		}
	})
}

func TestSearchWithoutStoresCoversTheWholeScope(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		reader := agent("reader", acl.Public)
		h.PutText(reader, "reader", "own", "cormorant", 201)
		h.PutText(reader, "room", "chat", "cormorant", 201)
		h.PutText(agent("lender", acl.Public), "lender", "lent", "cormorant", 201)
		h.PutText(agent("stranger", acl.Public), "stranger", "strange", "cormorant", 201)
		h.Index()
		find := func(c memory.Caller, r search.Request) string {
			r.Query = "cormorant"
			got := keys(h.MustSearch(c, r))
			slices.Sort(got)
			return strings.Join(got, " ")
		}
		withChat := caller(acl.Principal{Agent: "reader", Taint: acl.Public, Chat: "room"})
		if got := find(reader, search.Request{}); got != "lent own" {
			t.Errorf("without a chat: found %s", got)
		}
		if got := find(withChat, search.Request{}); got != "chat lent own" {
			t.Errorf("with a claimed chat: found %s", got)
		}
		if got := find(reader, search.Request{Chat: "room"}); got != "chat lent own" {
			t.Errorf("with a named chat: found %s", got)
		}
		_, err := h.Search(background, reader, search.Request{Query: "x", Limit: 1, Stores: []string{"reader", "stranger"}})
		h.WantStatus(err, 403)
		none := agent("nobody", acl.Public)
		if a := h.MustSearch(none, search.Request{Query: "cormorant"}); len(a.Hits) != 0 || a.Label != 0 {
			t.Errorf("an agent without entries finds %v", keys(a))
		}
	})
}

// brokenIndex is an index whose searches fail or, if slow, block until their context
// ends.
type brokenIndex struct{ slow bool }

func (b brokenIndex) Upsert(context.Context, []vector.Record) error { return nil }
func (b brokenIndex) Delete(context.Context, []uuid.UUID) error     { return nil }
func (b brokenIndex) Search(ctx context.Context, _ acl.Scope, _ vector.Query) ([]vector.Hit, error) {
	if b.slow {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, errors.New("the index is down")
}

func TestSearchNamesALegThatFailsOrIsTooSlow(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		e := encoder(t)
		for _, index := range []brokenIndex{{slow: false}, {slow: true}} {
			s := serviceWith(t, b.Open(t), e, index)
			a := agent("a", acl.Public)
			if _, err := s.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: text("a heron")}); err != nil {
				t.Fatal(err)
			}
			answer, err := s.Search(background, a, search.Request{Query: "heron", Limit: 10})
			if err != nil || len(answer.Hits) != 1 || !slices.Equal(answer.Degraded, []string{"vector"}) {
				t.Errorf("slow=%v: %d hits, degraded %v, %v", index.slow, len(answer.Hits), answer.Degraded, err)
			}
			if _, err := s.Search(background, a, search.Request{Query: "heron", Limit: 10, Stores: []string{"b"}}); status(err) != 403 {
				t.Errorf("a failing leg turned a denial into %v", err)
			}
		}
	})
}

// serviceWith opens a service over an index.
func serviceWith(t *testing.T, data *backendtest.Data, e embed.Embedder, index vector.Index) *backendtest.Process {
	t.Helper()
	return backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{Search: search.Options{VectorBudget: 50 * time.Millisecond}}, indexer.Model{
		Embedder: e, Open: func(context.Context) (vector.Index, error) { return index, nil },
	})
}

// strayIndex is an index of strays entries, none of which has a row. A search returns at most
// the first most of them. strayIndex records how many hits it is asked for.
type strayIndex struct {
	brokenIndex
	strays, most int
	asked        []int
}

func (x *strayIndex) Search(ctx context.Context, scope acl.Scope, query vector.Query) ([]vector.Hit, error) {
	hits, _, err := x.SearchBounded(ctx, scope, query)
	return hits, err
}

func (x *strayIndex) SearchBounded(_ context.Context, _ acl.Scope, query vector.Query) (hits []vector.Hit, cut bool, err error) {
	x.asked = append(x.asked, query.Limit)
	for i := range min(query.Limit, x.strays, x.most) {
		hits = append(hits, vector.Hit{Entry: uuid.New(), Score: 1 - float64(i)/10_000})
	}
	return hits, len(hits) == x.most, nil
}

func TestAnAnswerIsIncompleteIfTheIndexHasNoMoreHits(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		for name, c := range map[string]struct {
			strays, most int
			asked        []int
			incomplete   bool
		}{
			"there are no more": {300, 1000, []int{256, 1024}, false},
			"at once":           {300, 100, []int{256}, true},
			"refilled":          {3000, 1000, []int{256, 1024}, true},
		} {
			index := &strayIndex{strays: c.strays, most: c.most}
			h := &harness{backendtest.Wrap(t, backendtest.OpenProcess(t, b.Open(t).Storage(t), backendtest.Options{}, indexer.Model{
				Embedder: encoder(t), Open: func(context.Context) (vector.Index, error) { return index, nil },
			})), t}
			h.SetUpAccess()
			reader := agent("reader", acl.Public)
			for _, store := range []string{"reader", "seller"} {
				h.PutText(agent(store, acl.Public), store, "k", "a heron", 201)
				index.asked = nil
				answer := h.MustSearch(reader, search.Request{Query: "heron", Stores: []string{store}})
				// SECURITY: missing hits of a store at level search would reveal how many
				// entries it has.
				incomplete := c.incomplete && store == "reader"
				failed := slices.Contains(answer.Degraded, search.LegVector) // the entry waits for vectors for as long as the test runs
				if len(answer.Hits) != 1 || failed || answer.Incomplete != incomplete || !slices.Equal(index.asked, c.asked) {
					t.Errorf("%s, %s: hits %v, degraded %v, incomplete %v, asked for %v hits", name, store, keys(answer), answer.Degraded, answer.Incomplete, index.asked)
				}
			}
		}
	})
}

// An entry without text is near to no question, and found only by its key and tags.
func TestAnEntryWithoutTextIsFoundOnlyByItsWords(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := &harness{backendtest.OpenOver(t, b.Open(t), backendtest.Options{}, encoder(t)), t}
		a := agent("a", acl.Public)
		for key, value := range map[string]string{"q8": `""`, "z2": `55310`, "m4": `[3,4]`, "tagged": `null`, "real": `"The holiday plans are in the blue folder."`} {
			h.PutJSON(a, "a", key, value, func(r *memory.PutRequest) {
				if key == "m4" {
					r.Tags = &[]string{"zebra"}
				}
			})
		}
		h.Index()
		for query, want := range map[string]string{"holiday plans": "real", "customer contact": "", "q8": "q8", "zebra": "m4", "z2": "z2", "?": "", "…": ""} {
			got := strings.Join(keys(h.MustSearch(a, search.Request{Query: query, MinRelevance: 0.03, Limit: 10})), " ")
			if got != want && !strings.HasPrefix(got, want+" ") || want == "" && got != "" {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
		answer, err := h.Search(background, a, search.Request{Query: "。", Limit: 10, Nearest: 3})
		if err != nil || !answer.NoWords || len(answer.Hits)+len(answer.Nearest) > 0 {
			t.Errorf("a question without words: %+v, %v", answer, err)
		}
	})
}

// The number of stores that a search names is checked before access to any of them.
func TestASearchNamesABoundedNumberOfStores(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{})
	a := agent("a", acl.Public)
	many := make([]string, search.MaxStores+1)
	for i := range many {
		many[i] = fmt.Sprint("s", i)
	}
	for name, c := range map[string]struct {
		stores []string
		want   int
	}{"nil": {nil, 200}, "one": {[]string{"a"}, 200}, "none": {[]string{}, 422}, "most": {many[1:], 403}, "too many": {many, 422}} {
		_, err := h.Search(background, a, search.Request{Query: "granite", Limit: 10, Stores: c.stores})
		if got := status(err); got != c.want {
			t.Errorf("%s: %v, want status %d", name, err, c.want)
		}
	}
}
