package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"mneme/acl"
	"mneme/fusion"
	"mneme/indexer"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
	"mneme/vector"
)

// notes are a few memories. Some of them answer the questions below.
var notes = map[string]string{
	"seat":   "Anna prefers the window seat on trains.",
	"tea":    "She likes her Darjeeling hot, with a slice of lemon.",
	"harbor": "The harbour crane is painted green.",
	"trip":   "The train to Lisbon leaves on Thursday.",
	"garden": "Our garden needs water in the evening.",
}

const question = "where does Anna like to sit on a train?"

func openNotes(t *testing.T, b backendtest.Backend) (*harness, memory.Caller) {
	h, a := open(t, b, memory.Limits{}), agent("a", acl.Public)
	for key, note := range notes {
		h.PutText(a, "a", key, note, 201)
	}
	h.Index()
	return h, a
}

func TestHitsAreOrderedByRelevance(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		answer := h.MustSearch(a, search.Request{Query: question, Explain: true})
		if len(answer.Hits) != len(notes) || answer.Hits[0].Key != "seat" {
			t.Fatalf("hits %v", keys(answer))
		}
		for i, hit := range answer.Hits {
			if x := hit.Explain; x.Parts.Cosine == nil || x.Parts.Coverage == nil {
				t.Errorf("%s: parts %+v", hit.Key, x.Parts)
			}
			sum := 0.0
			for _, s := range hit.Explain.Summands {
				sum += s.Value
			}
			if sum != hit.Score || !(hit.Relevance > 0 && hit.Relevance < 1) {
				t.Errorf("%s: score %v, sum %v, relevance %v", hit.Key, hit.Score, sum, hit.Relevance)
			}
			if i > 0 && (hit.Score > answer.Hits[i-1].Score || hit.Relevance > answer.Hits[i-1].Relevance) {
				t.Errorf("%s is more relevant than the hit before it", hit.Key)
			}
		}
	})
}

func TestRankingByRRFChangesTheOrderButNoRelevance(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		relevance := make(map[string]float64)
		for _, hit := range h.MustSearch(a, search.Request{Query: question}).Hits {
			relevance[hit.Key] = hit.Relevance
		}
		answer := h.MustSearch(a, search.Request{Query: question, Ranking: search.RankingRRF, Explain: true})
		for i, hit := range answer.Hits {
			if hit.Score != *hit.Explain.Fused || hit.Relevance != relevance[hit.Key] {
				t.Errorf("%s: score %v, fused %v, relevance %v, by relevance %v", hit.Key, hit.Score, *hit.Explain.Fused, hit.Relevance, relevance[hit.Key])
			}
			if i > 0 && hit.Score > answer.Hits[i-1].Score {
				t.Errorf("%s has a higher score than the hit before it", hit.Key)
			}
		}
	})
}

func TestTheRelevanceOfAHitDependsOnNoOtherHit(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		tags := []string{"x"}
		h.PutText(a, "a", "tagged", "Anna sits by the aisle.", 201, func(r *memory.PutRequest) { r.Tags = &tags })
		h.Index()
		among := h.MustSearch(a, search.Request{Query: question})
		i := slices.Index(keys(among), "tagged")
		if i < 0 {
			t.Fatalf("hits %v", keys(among))
		}
		alone := h.MustSearch(a, search.Request{Query: question, Filter: memory.Filter{Tags: tags}})
		if len(alone.Hits) != 1 || alone.Hits[0].Relevance != among.Hits[i].Relevance || alone.Hits[0].Score != among.Hits[i].Score {
			t.Errorf("alone %+v, among others %+v", alone.Hits, among.Hits[i])
		}
		if first := h.MustSearch(a, search.Request{Query: question, Limit: 1}).Hits[0]; first.Relevance != among.Hits[0].Relevance {
			t.Errorf("with a limit of 1, relevance %v, was %v", first.Relevance, among.Hits[0].Relevance)
		}
	})
}

func TestMinRelevanceLeavesOutLessRelevantHits(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		for _, ranking := range []search.Ranking{"", search.RankingRelevance, search.RankingRRF} {
			all := h.MustSearch(a, search.Request{Query: question, Ranking: ranking})
			for _, threshold := range []float64{0, all.Hits[2].Relevance, math.Nextafter(all.Hits[0].Relevance, 1), 1} {
				var want []string
				for _, hit := range all.Hits {
					if hit.Relevance >= threshold {
						want = append(want, hit.Key)
					}
				}
				answer := h.MustSearch(a, search.Request{Query: question, Ranking: ranking, MinRelevance: threshold})
				if got := keys(answer); !slices.Equal(got, want) || answer.Incomplete {
					t.Errorf("%q from %v: %v, want %v; incomplete %v", ranking, threshold, got, want, answer.Incomplete)
				}
			}
		}
	})
}

func TestInvalidOptionsOfRankingAreRefused(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{})
	a := agent("a", acl.Public)
	for field, requests := range map[string][]search.Request{
		"ranking":       {{Ranking: "bm25"}, {Ranking: "RRF"}},
		"min_relevance": {{MinRelevance: -0.1}, {MinRelevance: 1.1}, {MinRelevance: math.NaN()}, {MinRelevance: math.Inf(1)}},
	} {
		for _, r := range requests {
			r.Query, r.Limit = "x", 10
			_, err := h.Search(background, a, r)
			var broken *memory.RuleError
			if !errors.As(err, &broken) || broken.Field != field {
				t.Errorf("%+v: %v", r, err)
			}
		}
	}
}

func TestAtLevelSearchRelevanceHasTwoDigits(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		h.MustShare(a, "buyer", acl.Search)
		exact := make(map[string]float64)
		for _, hit := range h.MustSearch(a, search.Request{Query: question}).Hits {
			exact[hit.Key] = hit.Relevance
		}
		buyer := agent("buyer", acl.Public)
		hits := h.MustSearch(buyer, search.Request{Query: question}).Hits
		if len(hits) != len(notes) {
			t.Fatalf("%d hits", len(hits))
		}
		for _, hit := range hits {
			if hit.Relevance != fusion.RoundRelevance(exact[hit.Key]) || hit.Score != hit.Relevance {
				t.Errorf("%s: relevance %v, score %v, exactly %v", hit.Key, hit.Relevance, hit.Score, exact[hit.Key])
			}
			// No threshold reveals more digits.
			for _, threshold := range []float64{hit.Relevance - 0.0049, hit.Relevance, hit.Relevance + 0.0049} {
				found := h.MustSearch(buyer, search.Request{Query: question, MinRelevance: max(0, min(threshold, 1))})
				if !slices.Contains(keys(found), hit.Key) {
					t.Errorf("%s of relevance %v is missing from %v", hit.Key, hit.Relevance, threshold)
				}
			}
		}
	})
}

// Relevance depends on the rows, and not on what an index found or missed.
func TestRelevanceDoesNotNeedTheIndex(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), encoder(t)
		indexed := openOver(t, data, backendtest.Options{}, e)
		a := agent("a", acl.Public)
		for key, note := range notes {
			indexed.PutText(a, "a", key, note, 201)
		}
		indexed.Index()
		want := make(map[string]float64)
		for _, hit := range indexed.MustSearch(a, search.Request{Query: question}).Hits {
			want[hit.Key] = hit.Relevance
		}
		broken := backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{}, indexer.Model{
			Embedder: e, Open: func(context.Context) (vector.Index, error) { return brokenIndex{}, nil },
		})
		answer, err := broken.Search(background, a, search.Request{Query: question, Limit: 10})
		if err != nil || len(answer.Hits) == 0 || !slices.Equal(answer.Degraded, []string{search.LegVector}) {
			t.Fatalf("%d hits, degraded %v, %v", len(answer.Hits), answer.Degraded, err)
		}
		for _, hit := range answer.Hits {
			if hit.Relevance != want[hit.Key] {
				t.Errorf("%s: relevance %v without the index, %v with it", hit.Key, hit.Relevance, want[hit.Key])
			}
		}
	})
}

func TestAnEntryWithoutVectorsHasARelevance(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := openNotes(t, b)
		h.PutText(a, "a", "waiting", "Anna likes to sit on the roof of a train.", 201)
		for _, hit := range h.MustSearch(a, search.Request{Query: question, Explain: true}).Hits {
			if known := hit.Explain.Parts.Cosine != nil; known == (hit.Key == "waiting") || hit.Explain.Parts.Coverage == nil || hit.Relevance <= 0 {
				t.Errorf("%s: relevance %v of %+v", hit.Key, hit.Relevance, hit.Explain.Parts)
			}
		}
	})
}

// Without a model, relevance depends only on the words.
func TestRelevanceWithoutAModel(t *testing.T) {
	h := &harness{backendtest.OpenOver(t, backendtest.Embedded().Open(t), backendtest.Options{}), t}
	a := agent("a", acl.Public)
	for key, note := range notes {
		h.PutText(a, "a", key, note, 201)
	}
	answer := h.MustSearch(a, search.Request{Query: question, Explain: true})
	if len(answer.Hits) == 0 || answer.Hits[0].Key != "seat" {
		t.Fatalf("hits %v", keys(answer))
	}
	for _, hit := range answer.Hits {
		if x := hit.Explain.Parts; x.Coverage == nil || x.Cosine != nil || x.MaxSim != nil || hit.Relevance <= 0 {
			t.Errorf("%s: relevance %v of %+v", hit.Key, hit.Relevance, x)
		}
	}
}

// The hits beyond those that are ordered by relevance have a relevance, too.
func TestHitsBeyondTheRankedOnesHaveARelevance(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		var sold, own []memory.PutRequest
		for i := range 210 { // more than a leg returns: they do not crowd out the reader's
			sold = append(sold, memory.PutRequest{Path: path("seller", fmt.Sprint("sold", i)), Value: text("lighthouse keepers")})
		}
		for i := range 110 {
			own = append(own, memory.PutRequest{Path: path("reader", fmt.Sprint("own", i)), Value: text("lighthouse keepers and the sea around the rock in winter")})
		}
		_, err := h.PutAll(background, agent("seller", acl.Public), sold)
		must(h, err)
		reader := agent("reader", acl.Public)
		_, err = h.PutAll(background, reader, own)
		must(h, err)
		h.Index()
		answer := h.MustSearch(reader, search.Request{Query: "lighthouse keepers", Limit: 100})
		if len(answer.Hits) != 100 || answer.Incomplete {
			t.Fatalf("%d hits, incomplete %v", len(answer.Hits), answer.Incomplete)
		}
		for i, hit := range answer.Hits {
			if hit.Relevance <= 0 {
				t.Errorf("hit %d has no relevance", i)
			}
		}
		cut := h.MustSearch(reader, search.Request{Query: "lighthouse keepers", Limit: 100, MinRelevance: 1e-9})
		if want := keys(answer); !slices.Equal(keys(cut), want) { // 10 of the seller's, 90 of the reader's
			t.Errorf("with min_relevance %d hits, want %d", len(cut.Hits), len(want))
		}
	})
}

// Words in a script for which no model has tokens, and gibberish, are near to emoji and short
// notes in every model: their vectors say nothing.
func TestNothingIsRelevantToGibberish(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		for _, options := range []backendtest.Options{{}, {Second: backendtest.Second(encoder(t))}} {
			h, a := openWith(t, b, options), agent("a", acl.Public)
			for key, note := range map[string]string{"wave": "👋", "fine": "fine 😀", "tree": "🌲🌲", "one": "ᚠᚢᚦ"} {
				h.PutText(a, "a", key, note, 201)
			}
			h.Index()
			for query, found := range map[string]bool{"ⴰⵣⵓⵍ": false, "ᠮᠣᠩᠭᠣᠯ": false, "ߒߞߏ": false, "xqzv wkrtp": false, "ᚠᚢᚦ": true} {
				hits := h.MustSearch(a, search.Request{Query: query}).Hits
				relevant := slices.ContainsFunc(hits, func(hit search.Hit) bool { return hit.Relevance >= fusion.Irrelevant })
				if relevant != found {
					t.Errorf("second model: %t: %q finds something: %t", options.Second != nil, query, relevant)
				}
			}
		}
	})
}
