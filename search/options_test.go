package search_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/e5/e5test"
	"mneme/indexer"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
	"mneme/vector"
)

func relevanceByKey(answer search.Answer) map[string]float64 {
	relevance := make(map[string]float64)
	for _, hit := range answer.Hits {
		relevance[hit.Key] = hit.Relevance
	}
	return relevance
}

func TestAModeSelectsTheLegsButChangesNoRelevance(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		want := relevanceByKey(h.MustSearch(a, search.Request{Query: question}))
		found := make(map[search.Mode]int)
		for _, mode := range []search.Mode{search.ModeHybrid, search.ModeLexical, search.ModeVector} {
			answer := h.MustSearch(a, search.Request{Query: question, Mode: mode, Explain: true})
			found[mode] = len(answer.Hits)
			for _, hit := range answer.Hits {
				x := hit.Explain
				if mode == search.ModeLexical && x.Vector != nil || mode == search.ModeVector && x.Lexical != nil {
					t.Errorf("%s: the other leg found %s", mode, hit.Key)
				}
				if x.Parts.Cosine == nil || x.Parts.Coverage == nil || hit.Relevance != want[hit.Key] {
					t.Errorf("%s: relevance %v of %+v, in a hybrid search %v", mode, hit.Relevance, x.Parts, want[hit.Key])
				}
			}
			if len(answer.Degraded) > 0 || answer.Hits[0].Key != "seat" {
				t.Errorf("%s: degraded %v, hits %v", mode, answer.Degraded, keys(answer))
			}
		}
		// Three notes share a word with the question.
		if found[search.ModeLexical] != 3 || found[search.ModeVector] != len(notes) || found[search.ModeHybrid] != len(notes) {
			t.Errorf("%v hits", found)
		}
	})
}

func TestAModeWhoseOnlyLegFailsIsAnError(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), encoder(t)
		a := agent("a", acl.Public)
		broken := backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{}, indexer.Model{
			Embedder: e, Open: func(context.Context) (vector.Index, error) { return brokenIndex{}, nil },
		})
		modelless := openOver(t, data, backendtest.Options{})
		modelless.PutText(a, "a", "seat", notes["seat"], 201)
		for name, h := range map[string]*search.Searcher{"a broken index": broken.Searcher, "no model": modelless.Searcher} {
			if _, err := h.Search(background, a, search.Request{Query: question, Limit: 10, Mode: search.ModeVector}); !errors.Is(err, search.ErrNoVectors) {
				t.Errorf("%s, by meaning: %v", name, err)
			}
			answer, err := h.Search(background, a, search.Request{Query: question, Limit: 10, Mode: search.ModeLexical})
			if err != nil || len(answer.Hits) != 1 {
				t.Errorf("%s, by words: %d hits, %v", name, len(answer.Hits), err)
			}
			if lacks := name == "no model"; lacks != slices.Contains(answer.Degraded, search.LegVector) {
				t.Errorf("%s, by words: degraded %v", name, answer.Degraded)
			}
		}
	})
}

var wordings = []string{question, "which tea does she drink?", "what leaves on Thursday?"}

func TestTheRelevanceOfAHitIsItsBestOverTheWordings(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		best, which := make(map[string]float64), make(map[string]int)
		for i, wording := range wordings {
			for key, relevance := range relevanceByKey(h.MustSearch(a, search.Request{Query: wording})) {
				if relevance > best[key] {
					best[key], which[key] = relevance, i
				}
			}
		}
		answer := h.MustSearch(a, search.Request{Queries: wordings, Explain: true})
		if len(answer.Hits) != len(notes) {
			t.Fatalf("hits %v", keys(answer))
		}
		for i, hit := range answer.Hits {
			if hit.Relevance != best[hit.Key] || hit.Explain.Wording != which[hit.Key] {
				t.Errorf("%s: relevance %v by wording %d, want %v by %d", hit.Key, hit.Relevance, hit.Explain.Wording, best[hit.Key], which[hit.Key])
			}
			if i > 0 && hit.Score > answer.Hits[i-1].Score {
				t.Errorf("%s has a higher score than the hit before it", hit.Key)
			}
			if x := hit.Explain; x.Vector == nil || x.Vector.Rank > len(notes) || x.Lexical != nil && x.Lexical.Score <= 0 {
				t.Errorf("%s: ranks %v and %v", hit.Key, x.Lexical, x.Vector)
			}
		}
		if first := keys(answer)[:3]; !slices.Contains(first, "seat") || !slices.Contains(first, "tea") || !slices.Contains(first, "trip") {
			t.Errorf("hits %v", keys(answer))
		}
	})
}

// A text without words asks for nothing, neither next to another wording nor as a part of a long
// question.
func TestAWordingWithoutWordsMakesNothingRelevant(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		asked := "Tell me, since I am about to book our seats for the summer and cannot ask her myself: where does Anna like to sit on a train, please?"
		rest := strings.Repeat("\nThe minutes of the committee say nothing new about the budget of the coming year, so that its members met once more to talk of it.", 15)
		for name, c := range map[string]struct{ with, without search.Request }{
			"a wording after another":  {search.Request{Queries: []string{question, "???"}}, search.Request{Query: question}},
			"a wording before another": {search.Request{Queries: []string{"???", question}}, search.Request{Query: question}},
			"a part":                   {search.Request{Query: asked + "\n" + strings.Repeat("-", 100) + rest}, search.Request{Query: asked + rest}},
		} {
			got, want := h.MustSearch(a, c.with), h.MustSearch(a, c.without)
			if !slices.Equal(keys(got), keys(want)) || !maps.Equal(relevanceByKey(got), relevanceByKey(want)) {
				t.Errorf("%s: hits %v, want %v", name, relevanceByKey(got), relevanceByKey(want))
			}
		}
		answer := h.MustSearch(a, search.Request{Queries: []string{"???", question}, Explain: true})
		if got := answer.Hits[0].Explain.Wording; got != 1 {
			t.Errorf("explained by wording %d", got)
		}
	})
}

// failing is an embedder that fails on some questions.
type failing struct{ *e5test.CachingEmbedder }

func (f failing) Query(ctx context.Context, text string) (embed.Query, error) {
	if text == wordings[1] {
		return embed.Query{}, errors.New("no")
	}
	return f.CachingEmbedder.Query(ctx, text)
}

func TestTheVectorLegFailsIfAWordingCannotBeEmbedded(t *testing.T) {
	h := openOver(t, backendtest.Embedded().Open(t), backendtest.Options{}, failing{encoder(t)})
	a := agent("a", acl.Public)
	h.PutText(a, "a", "seat", notes["seat"], 201)
	h.Index()
	for _, limit := range []int{10, 1} { // the second time, some embeddings are cached
		answer := h.MustSearch(a, search.Request{Queries: wordings, Limit: limit})
		if len(answer.Hits) != 1 || !slices.Equal(answer.Degraded, []string{search.LegVector}) {
			t.Errorf("hits %v, degraded %v", keys(answer), answer.Degraded)
		}
	}
}

func TestRecencyOrdersByAgeAndRemovesNoHits(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		const day = 24 * time.Hour
		names := []string{"oldest", "older", "young", "youngest"}
		for _, name := range names { // the same text but for the key
			h.PutText(a, "a", name, "the ferry leaves at nine", 201)
			h.Clock.Advance(10 * day)
		}
		h.Index()
		plain := h.MustSearch(a, search.Request{Query: "when does the ferry leave?"})
		weighed := h.MustSearch(a, search.Request{Query: "when does the ferry leave?", Explain: true, Recency: &search.Recency{HalfLife: 10 * day, Weight: 1}})
		slices.Reverse(names)
		if got := keys(weighed); !slices.Equal(got, names) {
			t.Fatalf("hits %v, want %v", got, names)
		}
		relevance := relevanceByKey(plain)
		for i, hit := range weighed.Hits {
			factor := math.Pow(2, -float64(i+1))
			if got := *hit.Explain.Recency; math.Abs(got-factor) > 1e-12 || hit.Relevance != relevance[hit.Key] || hit.Score != hit.Relevance*got {
				t.Errorf("%s: factor %v, want %v; relevance %v, want %v; score %v", hit.Key, got, factor, hit.Relevance, relevance[hit.Key], hit.Score)
			}
		}
		yesterday := h.Clock.Now().Add(-day).Format(time.RFC3339)
		h.PutText(a, "a", "oldest", "the ferry leaves at nine", 200, func(r *memory.PutRequest) { r.OccurredAt = &yesterday })
		h.PutText(a, "a", "youngest", "the ferry leaves at nine", 200, func(r *memory.PutRequest) { r.OccurredAt = new("2001-01-01") })
		told := h.MustSearch(a, search.Request{Query: "when does the ferry leave?", Recency: &search.Recency{HalfLife: 10 * day, Weight: 1}})
		if got := keys(told); got[0] != "oldest" || got[3] != "youngest" {
			t.Errorf("by the time of what the entries describe: %v", got)
		}
		least := h.MustSearch(a, search.Request{Query: "when does the ferry leave?", MinRelevance: slices.Min([]float64{relevance["oldest"], relevance["older"], relevance["young"], relevance["youngest"]}),
			Recency: &search.Recency{HalfLife: time.Second, Weight: 1}})
		if len(least.Hits) != len(names) {
			t.Errorf("min_relevance applies to the relevance with recency: hits %v", keys(least))
		}
		still := h.MustSearch(a, search.Request{Query: "when does the ferry leave?", Recency: &search.Recency{HalfLife: 10 * day}})
		if now := h.MustSearch(a, search.Request{Query: "when does the ferry leave?"}); !slices.Equal(keys(still), keys(now)) {
			t.Errorf("without weight, hits %v, want %v", keys(still), keys(now))
		}
	})
}

func TestDiversityMovesNearDuplicatesDown(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		for key, note := range map[string]string{
			"a": "Anna likes the window seat on trains.", "b": "Anna likes the window seat on trains.", "c": "Anna likes the window seat on a train.",
			"d": "The train to Lisbon leaves on Thursday.", "e": "The harbour crane is painted green.",
		} {
			h.PutText(a, "a", key, note, 201)
		}
		h.Index()
		plain := h.MustSearch(a, search.Request{Query: question, Explain: true})
		if got := keys(plain); !slices.Equal(got[3:], []string{"d", "e"}) {
			t.Fatalf("hits %v", got)
		}
		diverse := h.MustSearch(a, search.Request{Query: question, Diversity: 0.4, Explain: true})
		got := keys(diverse)
		if want := keys(plain); got[0] != want[0] || !slices.Equal(got[3:], want[1:3]) {
			t.Errorf("hits %v, without diversity %v", got, keys(plain))
		}
		relevance := relevanceByKey(plain)
		for i, hit := range diverse.Hits {
			similarity := *hit.Explain.Similarity
			if want := 0.6*hit.Relevance - 0.4*similarity; math.Abs(hit.Score-want) > 1e-12 || hit.Relevance != relevance[hit.Key] {
				t.Errorf("%s: score %v, want %v; relevance %v, want %v", hit.Key, hit.Score, want, hit.Relevance, relevance[hit.Key])
			}
			if i > 0 && hit.Score > diverse.Hits[i-1].Score || (similarity > 0) != (i > 0 && similarity > 0) {
				t.Errorf("%s: score %v after %v, similarity %v", hit.Key, hit.Score, diverse.Hits[max(0, i-1)].Score, similarity)
			}
		}
	})
}

func TestOptionsOfASearchAreChecked(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{Query: 100})
	a := agent("a", acl.Public)
	day := 24 * time.Hour
	for field, requests := range map[string][]search.Request{
		"mode":       {{Mode: "both"}, {Mode: "Vector"}},
		"queries":    {{Queries: []string{}}, {Queries: []string{"a"}}, {Queries: slices.Repeat([]string{"a"}, 9)}, {Query: "a", Queries: wordings}, {Queries: slices.Repeat([]string{strings.Repeat("x", 51)}, 2)}},
		"queries[1]": {{Queries: []string{"a", " "}}, {Queries: []string{"a", strings.Repeat("x", 101)}}},
		"recency.half_life": {
			{Recency: &search.Recency{Weight: 1}}, {Recency: &search.Recency{HalfLife: -day}}, {Recency: &search.Recency{HalfLife: 36_501 * day}},
		},
		"recency.weight": {{Recency: &search.Recency{HalfLife: day, Weight: math.NaN()}}, {Recency: &search.Recency{HalfLife: day, Weight: 1.1}}},
		"recency":        {{Recency: &search.Recency{HalfLife: day}, Ranking: search.RankingRRF}},
		"nearest":        {{Nearest: -1}, {Nearest: 4}},
		"diversity":      {{Diversity: -0.1}, {Diversity: 1.1}, {Diversity: math.NaN()}, {Diversity: 0.1, Ranking: search.RankingRRF}},
	} {
		for _, r := range requests {
			if r.Limit = 10; r.Queries == nil {
				r.Query = "x"
			}
			_, err := h.Search(background, a, r)
			var broken *memory.RuleError
			if !errors.As(err, &broken) || broken.Field != field {
				t.Errorf("%+v: %v, want a rule of %s", r, err, field)
			}
		}
	}
	if _, err := h.Search(background, a, search.Request{Queries: []string{"a", "a"}, Limit: 10}); err != nil {
		t.Errorf("two wordings that are the same: %v", err)
	}
}
