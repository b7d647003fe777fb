package search

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mneme/memory"
)

const (
	// minWordings and MaxWordings bound Request.Queries.
	minWordings = 2
	MaxWordings = 8
	// MaxStores bounds the stores that a search names.
	MaxStores = 1000
	// MaxNearest bounds Request.Nearest.
	MaxNearest = 3
	// NearestText is how many characters of an entry's text surfaces show for
	// Answer.Nearest: some eighty tokens.
	NearestText = 300
	// maxHalfLife bounds Recency.HalfLife: a hundred years.
	maxHalfLife = 36_500 * 24 * time.Hour
)

// checkSearch checks the options of a search.
func (s *Searcher) checkSearch(r Request) error {
	if err := s.checkWordings(r); err != nil {
		return err
	}
	if err := r.Filter.Check(); err != nil {
		return err
	}
	if err := r.checkRanking(); err != nil {
		return err
	}
	if r.MaxTokens != 0 && r.MaxTokens < MinTokens {
		return rule("max_tokens", "must be at least %d", MinTokens)
	}
	if r.AsOf != "" && r.ExplainEntry != nil {
		return rule("explain", "must be true or false with as_of: what became of an entry is known of now alone")
	}
	if r.ExplainEntry != nil {
		var broken *memory.RuleError
		if err := memory.CheckPath(*r.ExplainEntry); errors.As(err, &broken) {
			return &memory.RuleError{Field: "explain." + broken.Field, Rule: broken.Rule}
		}
	}
	return memory.CheckLimit(r.Limit)
}

// checkWordings checks the query, or the queries that replace it.
func (s *Searcher) checkWordings(r Request) error {
	if r.Queries == nil {
		return s.checkQuery("query", r.Query)
	}
	if r.Query != "" {
		return rule("queries", "must not be given together with query")
	}
	if len(r.Queries) < minWordings || len(r.Queries) > MaxWordings {
		return rule("queries", "must have %d to %d wordings", minWordings, MaxWordings)
	}
	total := 0
	for i, query := range r.Queries {
		if err := s.checkQuery(fmt.Sprintf("queries[%d]", i), query); err != nil {
			return err
		}
		if total += len(query); total > s.limits.Query {
			return rule("queries", "must have at most %d bytes together", s.limits.Query)
		}
	}
	return nil
}

func (s *Searcher) checkQuery(field, query string) error {
	switch {
	case len(query) > s.limits.Query:
		return rule(field, "must have at most %d bytes", s.limits.Query)
	case strings.TrimSpace(query) == "":
		return rule(field, "must not be blank")
	}
	return nil
}

// checkRanking checks the options that find, order and limit the hits.
func (r *Request) checkRanking() error {
	switch r.Mode {
	case "", ModeHybrid, ModeLexical, ModeVector:
	default:
		return rule("mode", "must be %s, %s or %s", ModeHybrid, ModeLexical, ModeVector)
	}
	switch r.Ranking {
	case "", RankingRelevance, RankingRRF:
	default:
		return rule("ranking", "must be %s or %s", RankingRelevance, RankingRRF)
	}
	if !isShare(r.MinRelevance) {
		return rule("min_relevance", "must be from 0 to 1")
	}
	if r.Nearest < 0 || r.Nearest > MaxNearest {
		return rule("nearest", "must be from 0 to %d", MaxNearest)
	}
	if r.Recency != nil {
		if r.Recency.HalfLife <= 0 || r.Recency.HalfLife > maxHalfLife {
			return rule("recency.half_life", "must be a whole number of s, m, h, d or w, as in 30d, greater than 0 and at most %d days", maxHalfLife/(24*time.Hour))
		}
		if !isShare(r.Recency.Weight) {
			return rule("recency.weight", "must be from 0 to 1")
		}
		if r.Ranking == RankingRRF {
			return rule("recency", "weighs relevance, and needs ranking %s", RankingRelevance)
		}
	}
	if !isShare(r.Diversity) {
		return rule("diversity", "must be from 0 to 1")
	}
	if r.Diversity > 0 && r.Ranking == RankingRRF {
		return rule("diversity", "weighs relevance, and needs ranking %s", RankingRelevance)
	}
	return nil
}

func rule(field, format string, args ...any) error {
	return &memory.RuleError{Field: field, Rule: fmt.Sprintf(format, args...)}
}

// isShare reports whether x is from 0 to 1. NaN is not.
func isShare(x float64) bool { return x >= 0 && x <= 1 }
