package search_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// explained searches, reads all hits, and returns the explanation of an entry.
func (h *harness) explained(c memory.Caller, r search.Request, of memory.Path) (search.EntryExplanation, search.Answer) {
	h.t.Helper()
	r.ExplainEntry = &of
	answer := h.MustSearch(c, r)
	_, read := h.eachHit(&answer)
	x := read.Explanation()
	if x == nil || x.Entry == nil {
		h.t.Fatalf("%v is not explained: %+v", of, x)
	}
	return *x.Entry, answer
}

func TestASearchExplainsTheOutcomeOfAnEntry(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		no, yes := false, true
		h.PutText(a, "a", "sealed", "YmxvYg==", 201, func(r *memory.PutRequest) { r.Encrypted = &yes })
		h.PutText(a, "a", "private", notes["seat"], 201, func(r *memory.PutRequest) { r.InContext = &no })
		h.PutText(agent("lender", acl.Public), "lender", "lent", notes["seat"], 201)
		h.PutText(agent("seller", acl.Public), "seller", "sold", notes["seat"], 201)
		h.PutText(agent("stranger", acl.Public), "stranger", "own", notes["seat"], 201)
		h.MustShare(agent("lender", acl.Public), "a", acl.Read)
		h.MustShare(agent("seller", acl.Public), "a", acl.Search)
		h.PutText(agent("a", acl.Internal), "a", "higher", notes["seat"], 201)
		h.Index()
		h.PutText(a, "a", "waiting", "A train that nobody has indexed", 201)

		tagged := memory.Filter{Tags: []string{"none"}, Type: "user", Namespace: new("other"), Where: where(`{"value.a":{"eq":1}}`), Match: match(`{"all":["lighthouse"]}`)}
		all := []string{"namespace", "tags", "type", "where", "match"}
		for name, c := range map[string]struct {
			r       search.Request
			of      memory.Path
			want    search.Outcome
			rank    int
			options []string
		}{
			"the first hit":                {search.Request{Stores: []string{"a"}}, path("a", "seat"), search.OutcomeHit, 1, nil},
			"after the limit":              {search.Request{Limit: 1}, path("a", "trip"), search.OutcomeBeyondLimit, 0, nil},
			"after the limit, by rrf":      {search.Request{Limit: 1, Ranking: search.RankingRRF}, path("a", "trip"), search.OutcomeBeyondLimit, 0, nil},
			"without room":                 {search.Request{MaxTokens: 50, Stores: []string{"a"}, Mode: search.ModeVector}, path("a", "harbor"), search.OutcomeBeyondTokens, 5, nil},
			"too little relevant":          {search.Request{MinRelevance: 0.9}, path("a", "harbor"), search.OutcomeBelowRelevance, 0, nil},
			"by words alone":               {search.Request{Mode: search.ModeLexical, Stores: []string{"a"}}, path("a", "harbor"), search.OutcomeNotRetrieved, 5, nil},
			"without vectors":              {search.Request{Mode: search.ModeVector, Diversity: 0.5}, path("a", "waiting"), search.OutcomeNotRetrieved, 0, nil},
			"one option":                   {search.Request{Filter: memory.Filter{Where: where(`{"key":{"prefix":"h"}}`)}}, path("a", "seat"), search.OutcomeFiltered, 0, all[3:4]},
			"one option that all fail":     {search.Request{Filter: memory.Filter{Tags: []string{"none"}}}, path("a", "seat"), search.OutcomeFiltered, 0, all[1:2]},
			"every option":                 {search.Request{Filter: tagged}, path("a", "seat"), search.OutcomeFiltered, 0, all},
			"an encrypted value":           {search.Request{}, path("a", "sealed"), search.OutcomeEncrypted, 0, nil},
			"not in context":               {search.Request{}, path("a", "private"), search.OutcomeNotInContext, 0, nil},
			"another store":                {search.Request{Stores: []string{"a"}}, path("lender", "lent"), search.OutcomeStoreNotSearched, 0, nil},
			"a granted store":              {search.Request{Stores: []string{"lender"}}, path("lender", "lent"), search.OutcomeHit, 1, nil},
			"absent":                       {search.Request{}, path("a", "nowhere"), search.OutcomeNotFound, 0, nil},
			"another namespace":            {search.Request{}, memory.Path{Store: "a", Namespace: "n", Key: "seat"}, search.OutcomeNotFound, 0, nil},
			"above the label":              {search.Request{}, path("a", "higher"), search.OutcomeNotFound, 0, nil},
			"a stranger's":                 {search.Request{}, path("stranger", "own"), search.OutcomeNotFound, 0, nil},
			"a store with level search":    {search.Request{}, path("seller", "sold"), search.OutcomeNotFound, 0, nil},
			"a store that does not exist":  {search.Request{}, path("nobody", "own"), search.OutcomeNotFound, 0, nil},
			"a page that cannot have more": {search.Request{Limit: 100}, path("a", "waiting"), search.OutcomeHit, 0, nil},
		} {
			c.r.Query = question
			got, _ := h.explained(a, c.r, c.of)
			if got.Outcome != c.want || c.rank != 0 && got.Rank != c.rank || !slices.Equal(got.Options, c.options) {
				t.Errorf("%s: %s, rank %d, does not pass %v; want %s, rank %d, %v", name, got.Outcome, got.Rank, got.Options, c.want, c.rank, c.options)
			}
			if c.want == search.OutcomeNotFound && (got.Label != 0 || got.Explain != nil || got.Relevance != nil || got.Rank != 0) {
				t.Errorf("%s: shows %+v", name, got)
			}
			if got.VectorsWait != (c.of.Key == "waiting") {
				t.Errorf("%s: vectors wait: %v", name, got.VectorsWait)
			}
			if c.want == search.OutcomeBeyondLimit {
				c.r.Limit, c.r.Explain = 100, true
				if all := keys(h.MustSearch(a, c.r)); got.Rank < 1 || all[got.Rank-1] != c.of.Key {
					t.Errorf("%s: rank %d in %v", name, got.Rank, all)
				}
			}
			switch c.want {
			case search.OutcomeNotFound, search.OutcomeEncrypted, search.OutcomeNotInContext, search.OutcomeStoreNotSearched:
			default:
				if got.Explain == nil || got.Relevance == nil || got.Explain.Parts.Coverage == nil || got.Explain.Parts.Cosine == nil && !got.VectorsWait {
					t.Errorf("%s: explained by %+v", name, got.Explain)
				}
			}
		}
	})
}

func TestAnExplainedEntryHasTheRelevanceOfAHit(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		h.PutText(agent("a", acl.Internal), "a", "seat", "Anna sits by the door.", 201)
		h.Index()
		for _, r := range []search.Request{
			{Query: question}, {Query: question, Ranking: search.RankingRRF}, {Queries: wordings, Diversity: 0.3}, {Query: question, Recency: &search.Recency{HalfLife: 1e12, Weight: 1}},
		} {
			for _, c := range []memory.Caller{a, agent("a", acl.Internal)} {
				r.Limit = 10
				for _, hit := range h.MustSearch(c, r).Hits {
					got, answer := h.explained(c, r, hit.Path)
					shown := answer.Hits[got.Rank-1]
					if got.Outcome != search.OutcomeHit || got.ID != hit.ID || got.Label != hit.Label || *got.Score != hit.Score || *got.Relevance != hit.Relevance {
						t.Errorf("%s: %+v, score %v; the hit has %v and %v", hit.Key, got, *got.Score, hit.Score, hit.Relevance)
					}
					if shown.ID != hit.ID || fmt.Sprint(shown.Explain.Summands, *shown.Explain.Fused) != fmt.Sprint(got.Explain.Summands, *got.Explain.Fused) {
						t.Errorf("%s: explained by %+v, as a hit by %+v", hit.Key, got.Explain, shown.Explain)
					}
				}
				// An entry that the filter leaves out has the same relevance.
				r := r
				want := h.MustSearch(c, r).Hits
				r.Filter = memory.Filter{Tags: []string{"none"}}
				for _, hit := range want {
					got, answer := h.explained(c, r, hit.Path)
					if got.Outcome != search.OutcomeFiltered || *got.Relevance != hit.Relevance || len(answer.Hits) > 0 {
						t.Errorf("%s, left out: %s, relevance %v, as a hit %v", hit.Key, got.Outcome, *got.Relevance, hit.Relevance)
					}
				}
			}
		}
	})
}

func TestPagesExplainAnEntry(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		for _, r := range []search.Request{{Query: question, Limit: 2}, {Query: question, Limit: 2, Ranking: search.RankingRRF}, {Query: question, Limit: 2, Diversity: 0.5}} {
			order := keys(h.MustSearch(a, search.Request{Query: question, Limit: 10, Ranking: r.Ranking, Diversity: r.Diversity}))
			for i, want := range []search.Outcome{search.OutcomeNotInCursor, search.OutcomeNotInCursor, search.OutcomeHit, search.OutcomeHit, search.OutcomeBeyondLimit} {
				of := path("a", order[i])
				r.ExplainEntry, r.Explain, r.Cursor = &of, true, ""
				_, r.Cursor = h.pageOf(a, r)
				got, answer := h.explained(a, r, of)
				if got.Outcome != want || got.Rank != max(0, i-1) {
					t.Errorf("%s: %s at %d, want %s", of.Key, got.Outcome, got.Rank, want)
				}
				for _, hit := range answer.Hits {
					if x := hit.Explain; x.Fused != nil || x.Lexical != nil || x.Vector != nil || len(x.Summands) == 0 {
						t.Errorf("%s on the second page: %+v", hit.Key, x)
					}
				}
				r.Cursor = ""
			}
		}
	})
}

// Three wordings have more candidates than a search takes.
func TestAnEntryBeyondTheCandidatesIsExplainedWithItsRanks(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := open(t, b, memory.Limits{}), agent("a", acl.Public)
		words := []string{"ferry", "lighthouse", "garden"}
		const each = 150
		for _, word := range words {
			requests := make([]memory.PutRequest, each)
			for i := range requests {
				requests[i] = memory.PutRequest{Path: path("a", fmt.Sprintf("%s%03d", word, i)), Value: text(word)}
			}
			_, err := h.PutAll(background, a, requests)
			must(h, err)
		}
		r := search.Request{Queries: words, Mode: search.ModeLexical, Limit: 10}
		for wording, word := range words {
			got, _ := h.explained(a, r, path("a", fmt.Sprintf("%s%03d", word, each-1)))
			x := got.Explain
			if got.Outcome != search.OutcomeBeyondDepth || x.Wording != wording || x.Fused == nil || x.Vector != nil {
				t.Errorf("%s: %s, explained by %+v", word, got.Outcome, x)
			}
			if x.Lexical == nil || x.Lexical.Rank != each || x.Lexical.Score <= 0 {
				t.Errorf("%s: rank %+v by words, want %d", word, x.Lexical, each)
			}
		}
	})
}

// A filter that many entries pass is applied to the rows that the legs found. Of each leg's list
// only the hits up to its last candidate count.
func TestABroadFilterReportsWhatEachOptionDropped(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many entries")
	}
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := open(t, b, memory.Limits{}), agent("a", acl.Public)
		var requests []memory.PutRequest
		for i := range 1600 {
			r := memory.PutRequest{Path: path("a", fmt.Sprintf("k%04d", i)), Value: text("the ferry leaves"), Tags: &[]string{"x"}}
			if i%3 == 0 {
				r.Tags = &[]string{"y"} // as long, so that all have one score
			}
			requests = append(requests, r)
		}
		for some := range slices.Chunk(requests, 100) {
			_, err := h.PutAll(background, a, some)
			must(h, err)
		}
		r := search.Request{Query: "ferry", Mode: search.ModeLexical, Limit: 10, Filter: memory.Filter{Tags: []string{"x"}, Where: where(`{"key":{"ne":"k0001"}}`)}}
		for _, c := range []struct {
			key  string
			min  float64
			want search.Outcome
			rank int
		}{
			{"k0002", 0, search.OutcomeHit, 1}, {"k0251", 0, search.OutcomeBeyondLimit, 167}, {"k0251", 1e-9, search.OutcomeBeyondDepth, 0},
			{"k1000", 0, search.OutcomeNotRetrieved, 0}, {"k0003", 0, search.OutcomeFiltered, 0}, {"k0001", 0, search.OutcomeFiltered, 0},
		} {
			r.MinRelevance = c.min
			got, answer := h.explained(a, r, path("a", c.key))
			if got.Outcome != c.want || got.Rank != c.rank {
				t.Errorf("%s: %s at %d, want %s at %d", c.key, got.Outcome, got.Rank, c.want, c.rank)
			}
			// The 200th that passes is k0301, since k0001 does not.
			cost := answer.Explanation.Filter
			if cost == nil || cost.Passing != nil || len(cost.Options) != 2 || cost.Options[0].Name != "tags" || *cost.Options[0].Dropped != 101 || *cost.Options[1].Dropped != 1 {
				t.Fatalf("the filter cost %+v", cost)
			}
			if answer.Took.Filter <= 0 {
				t.Errorf("the filter took %v", answer.Took.Filter)
			}
		}
		r.MinRelevance, r.Explain = 0, true
		r.Filter = memory.Filter{Where: where(`{"key":{"lt":"k0050"}}`)}
		answer := h.MustSearch(a, r)
		if cost := answer.Explanation.Filter; *cost.Passing != 50 || len(cost.Options) != 1 || cost.Options[0].Dropped != nil {
			t.Errorf("a filter that few pass: %+v", cost)
		}
		if r.Filter = (memory.Filter{}); h.MustSearch(a, r).Explanation.Filter != nil {
			t.Error("no filter has a cost")
		}
	})
}

func TestAnEntryIsExplainedEvenIfNoStoreIsSearched(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		must(h, h.PutSettings(background, a, "a", acl.Settings{Enabled: true, Chat: true}))
		if got, _ := h.explained(a, search.Request{Query: question}, path("a", "seat")); got.Outcome != search.OutcomeNotFound {
			t.Errorf("of a store that is switched off: %+v", got)
		}
		for name, r := range map[string]search.Request{
			"explain.key":       {Query: question, Limit: 1, ExplainEntry: &memory.Path{Store: "a"}},
			"explain.namespace": {Query: question, Limit: 1, ExplainEntry: &memory.Path{Store: "a", Namespace: "\x00", Key: "k"}},
		} {
			_, err := h.Search(background, a, r)
			h.WantStatus(err, 422)
			if broken := new(memory.RuleError); !errors.As(err, &broken) || broken.Field != name {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := h.Search(background, a, search.Request{Query: question, Limit: 1, ExplainEntry: &memory.Path{Store: "a b", Key: "k"}})
		h.WantStatus(err, 400)
	})
}

// A leg finds hits of several queries, or of a long question in parts, by different wordings.
// In a search by one leg, that leg found all hits.
func TestALegExplainsEachHitThatItFound(t *testing.T) {
	// The part nearest to a note in meaning has none of its words, but another part does.
	long := "The neighbours look after our home this summer. When ought they to irrigate the plants and flowers behind our house, which dry out so fast, and how much do all the flowerbeds outside get from the hose each day?\n" +
		"And what is on at the theatre this evening, who sings, does the tenor still need a rehearsal, how long is the interval, and may somebody bring a glass into the hall, or is that forbidden these days?" +
		strings.Repeat("\nThe minutes of the committee say nothing new about the budget of the coming year, so that its members met once more to talk of it.", 15)
	queries := []string{"when ought the plants and flowers outside to be irrigated?", "who sings this evening?", question}
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		for name, r := range map[string]search.Request{"a long question": {Query: long}, "queries": {Queries: queries}, "long queries": {Queries: append(slices.Clone(wordings), long)}} {
			legs := make(map[search.Mode][]string)
			for _, mode := range []search.Mode{search.ModeLexical, search.ModeVector} {
				r := r
				r.Mode = mode
				legs[mode] = keys(h.MustSearch(a, r))
			}
			others := 0
			for _, mode := range []search.Mode{search.ModeHybrid, search.ModeLexical, search.ModeVector} {
				for _, ranking := range []search.Ranking{search.RankingRelevance, search.RankingRRF} {
					r := r
					r.Mode, r.Ranking, r.Explain = mode, ranking, true
					for _, hit := range h.MustSearch(a, r).Hits {
						x := hit.Explain
						byWords := mode != search.ModeVector && slices.Contains(legs[search.ModeLexical], hit.Key)
						byMeaning := mode != search.ModeLexical && slices.Contains(legs[search.ModeVector], hit.Key)
						if (x.Lexical != nil) != byWords || (x.Vector != nil) != byMeaning {
							t.Errorf("%s, %s by %s: %s has the ranks %+v and %+v; found by words: %v, by meaning: %v", name, mode, ranking, hit.Key, x.Lexical, x.Vector, byWords, byMeaning)
						}
						for _, leg := range []*search.LegRank{x.Lexical, x.Vector} {
							switch {
							case leg == nil:
							case leg.Rank < 1 || leg.Rank > len(notes) || leg.Score == 0:
								t.Errorf("%s, %s by %s: %s has rank %+v", name, mode, ranking, hit.Key, leg)
							case leg.Other:
								others++
							case leg.Wording != x.Wording:
								t.Errorf("%s, %s by %s: %s has rank %+v by wording %d", name, mode, ranking, hit.Key, leg, x.Wording)
							}
						}
						got, _ := h.explained(a, r, hit.Path)
						if fmt.Sprint(deref(got.Explain.Lexical), deref(got.Explain.Vector)) != fmt.Sprint(deref(x.Lexical), deref(x.Vector)) {
							t.Errorf("%s, %s by %s: %s is explained by %+v, as a hit by %+v", name, mode, ranking, hit.Key, got.Explain, x)
						}
					}
				}
			}
			if others == 0 {
				t.Errorf("%s: each leg found every hit by the wording that counts for it", name)
			}
		}
	})
}

// deref returns what p refers to, or a zero value.
func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}
