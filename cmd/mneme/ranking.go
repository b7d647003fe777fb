package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mneme/clients/go/api"
)

// rankingFlags configure how a search finds and orders its hits.
type rankingFlags struct {
	wordings     []string
	mode         string
	ranking      string
	minRelevance float64
	recency      string
	diversity    float64
	typos, dates bool
	asOf         string
}

func (r *rankingFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&r.wordings, "wording", nil, "ask QUESTION in these words too (may be repeated, up to seven times)")
	flags.StringVar(&r.mode, "mode", "", "what finds the hits: hybrid (default), lexical or vector")
	flags.StringVar(&r.ranking, "ranking", "", "what orders the hits: relevance (default) or rrf")
	flags.Float64Var(&r.minRelevance, "min-relevance", 0, "leave out hits of less relevance, 0 to 1")
	flags.StringVar(&r.recency, "recency", "", "rank young entries higher: their half-life, as in 30d, and maybe a weight of 0 to 1, as in 30d:0.5")
	flags.Float64Var(&r.diversity, "diversity", 0, "move hits down that resemble others, 0 (not) to 1")
	flags.BoolVar(&r.typos, "typos", true, "find words with one letter wrong, too, or two from eight letters on; --typos=false: not")
	flags.BoolVar(&r.dates, "dates", true, "find entries of the times that the question names, by their occurred_at; --dates=false: take them as words")
	flags.StringVar(&r.asOf, "as-of", "", "search what stood at this time: a date (2026-05-01, 2026-05, 2026: at its end), or a time in RFC 3339; in --timezone")
	completeWith(cmd, "ranking", string(api.Relevance), string(api.Rrf))
	completeWith(cmd, "mode", string(api.QuestionModeHybrid), string(api.QuestionModeLexical), string(api.QuestionModeVector))
}

// apply adds the options to a search for a question.
func (r *rankingFlags) apply(q *api.Question, question string) error {
	if !isShare(r.minRelevance) {
		return usageError{errors.New("--min-relevance must be between 0 and 1")}
	}
	if !isShare(r.diversity) {
		return usageError{errors.New("--diversity must be between 0 and 1")}
	}
	if r.ranking != "" {
		if q.Ranking = new(api.QuestionRanking(r.ranking)); !q.Ranking.Valid() {
			return usageError{errors.New("--ranking must be relevance or rrf")}
		}
	}
	if r.mode != "" {
		if q.Mode = new(api.QuestionMode(r.mode)); !q.Mode.Valid() {
			return usageError{errors.New("--mode must be hybrid, lexical or vector")}
		}
	}
	if !r.typos {
		q.Typos = &r.typos
	}
	if !r.dates {
		q.Dates = &r.dates
	}
	if r.asOf != "" {
		q.AsOf = &r.asOf
	}
	var err error
	if q.Recency, err = parseRecency(r.recency); err != nil {
		return usageError{fmt.Errorf("--recency: %w", err)}
	}
	if q.MinRelevance = &r.minRelevance; r.diversity > 0 {
		q.Diversity = &r.diversity
	}
	if len(r.wordings) == 0 {
		q.Query = &question
	} else {
		all := append([]string{question}, r.wordings...)
		q.Queries = &all
	}
	return nil
}

// parseRecency parses a half-life with an optional weight after a colon, such as 30d:0.5.
// The result is nil if the text is empty.
func parseRecency(text string) (*api.Recency, error) {
	if text == "" {
		return nil, nil
	}
	life, weight, weighted := strings.Cut(text, ":")
	recency := &api.Recency{HalfLife: life}
	if weighted {
		share, err := strconv.ParseFloat(weight, 64)
		if err != nil || !isShare(share) {
			return nil, errors.New("the weight must be between 0 and 1")
		}
		recency.Weight = &share
	}
	return recency, nil
}

// isShare reports whether x is from 0 to 1. NaN is not.
func isShare(x float64) bool { return x >= 0 && x <= 1 }
