package relevance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/lexical/language"
	"mneme/memory"
	"mneme/search"
)

// The search configurations of a benchmark.
const (
	// SystemLexical is the lexical leg alone, scored by BM25, and SystemVector the vector
	// leg alone, scored by cosine. The scores of a question that is split into parts are
	// not comparable: its hits are scored by Reciprocal Rank Fusion over the parts.
	SystemLexical   = search.LegLexical
	SystemVector    = search.LegVector
	SystemRRF       = string(search.RankingRRF)
	SystemRelevance = string(search.RankingRelevance)
	// SystemRerank is SystemRelevance with the configured reranking service, if there is
	// one.
	SystemRerank = search.StepRerank
)

// Systems lists the search configurations in the order of the tables, except SystemRerank,
// which comes last.
var Systems = []string{SystemLexical, SystemVector, SystemRRF, SystemRelevance}

// systemsOf returns Systems and, if config has a reranking service, SystemRerank.
func systemsOf(config configs.Config) []string {
	if config.Rerank.URL == "" {
		return Systems
	}
	return append(slices.Clone(Systems), SystemRerank)
}

// OwnRuns returns those of a report's runs that are not imported: the first ones.
func OwnRuns(runs []NamedRun) []NamedRun {
	own := len(Systems)
	if len(runs) > own && runs[own].Name == SystemRerank {
		own++
	}
	return runs[:own]
}

// depth is the number of hits per query: the most that a search returns.
const depth = 100

// found is a hit of a search.
type found struct {
	id        string // of the document
	score     float64
	relevance float64 // 0–1
}

// searcher searches one instance with each search configuration.
type searcher struct {
	searchers map[string]*search.Searcher
	systems   []string
}

// relevant returns the last search configuration, whose relevance is measured: with it, a
// server of this configuration answers.
func (s *searcher) relevant() string { return s.systems[len(s.systems)-1] }

// newSearcher returns a searcher. To search by one leg it has a Searcher without
// the other: the vector leg is disabled by omitting the indexer, the lexical leg by
// search.ModeVector. The instance's own Searcher has the configured reranking service.
func newSearcher(config configs.Config, instance *compose.Instance, log *slog.Logger) *searcher {
	byWords := search.New(instance.Storage, instance.Service, compose.SearchOptions(config, log, nil))
	alone := search.New(instance.Storage, instance.Service, compose.SearchOptions(config, log, instance.Indexer))
	searchers := map[string]*search.Searcher{
		SystemLexical: byWords, SystemVector: alone, SystemRRF: alone, SystemRelevance: alone, SystemRerank: instance.Searcher,
	}
	return &searcher{searchers, systemsOf(config)}
}

// askForeign asks each store its first question that is not in English, if there is one.
// After such a question, the multilingual model embeds all of the store's entries: so the
// measured questions all find the same vectors.
func (s *searcher) askForeign(ctx context.Context, set *Set) error {
	asked := make(map[string]bool)
	for _, query := range slices.Concat(set.Queries, set.Unanswerable, set.inWrongStores()) {
		if asked[query.Store] || !language.Foreign(query.Text) {
			continue
		}
		asked[query.Store] = true
		if _, err := s.search(ctx, SystemRRF, query.Store, query.Text, nil); err != nil {
			return err
		}
	}
	return nil
}

// search returns the first hits of a query in a store. A non-nil ids maps entries to
// document IDs.
func (s *searcher) search(ctx context.Context, system, store, query string, ids map[memory.Path]string) ([]found, error) {
	caller := memory.Caller{Principal: acl.Principal{Agent: StoreOr(store), Taint: acl.Public}}
	request := search.Request{Query: query, Stores: []string{StoreOr(store)}, Limit: depth, Ranking: search.RankingRRF, Explain: true}
	if system == SystemRelevance || system == SystemRerank {
		request.Ranking = search.RankingRelevance
	}
	if system == SystemVector {
		request.Mode = search.ModeVector
	}
	answer, err := s.searchers[system].Search(ctx, caller, request)
	if err != nil {
		return nil, err
	}
	if err := checkLegs(system, answer.Degraded); err != nil {
		return nil, err
	}
	hits := make([]found, len(answer.Hits))
	for i, h := range answer.Hits {
		id, ok := ids[h.Path]
		if !ok && ids != nil {
			return nil, fmt.Errorf("the entry %s of store %s is not a document of the dataset", h.Path.Key, h.Path.Store)
		}
		hits[i] = found{id: id, score: h.Score, relevance: h.Relevance}
		if leg := legOf(system, h.Explain); leg != nil && !search.IsReadInParts(query) {
			hits[i].score = leg.Score
		}
	}
	return hits, nil
}

// legOf returns a hit's rank and score in the only leg of a system; nil if it has both.
func legOf(system string, x *search.Explain) *search.LegRank {
	switch system {
	case SystemLexical:
		return x.Lexical
	case SystemVector:
		return x.Vector
	}
	return nil
}

// checkLegs returns an error if a leg failed that was not disabled, or the reranking
// service failed.
func checkLegs(system string, failed []string) error {
	for _, leg := range failed {
		if system == SystemLexical && leg == search.LegVector {
			continue
		}
		if leg == search.StepRerank {
			return errors.New("the reranking service failed or took too long (rerank.timeout)")
		}
		return fmt.Errorf("the %s leg failed", leg)
	}
	return nil
}

// scored converts hits for a run and preserves their order and, except for
// ties, their scores: trec_eval orders equal scores by ID, so each score that
// is not below its predecessor in single precision is lowered by the smallest
// step.
func scored(hits []found) []Scored {
	out := make([]Scored, len(hits))
	above := math.Inf(1)
	for i, h := range hits {
		score := h.score
		if float32(score) >= float32(above) {
			score = float64(math.Nextafter32(float32(above), float32(math.Inf(-1))))
		}
		out[i] = Scored{ID: h.id, Score: score}
		above = score
	}
	return out
}

// highest returns the highest relevance among hits; −1 if there are none.
func highest(hits []found) float64 {
	best := -1.
	for _, h := range hits {
		best = max(best, h.relevance)
	}
	return best
}
