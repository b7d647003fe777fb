package rest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/problem"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// Search runs a search.
func (s *Surface) Search(ctx context.Context, r api.SearchRequestObject) (api.SearchResponseObject, error) {
	var stores []string
	if r.Body.Stores != nil {
		stores = make([]string, 0, len(*r.Body.Stores)) // an empty list differs from an absent one
		for _, name := range *r.Body.Stores {
			id, err := storeID(ctx, "stores", name)
			if err != nil {
				return nil, err
			}
			stores = append(stores, id)
		}
	}
	where, err := parseWhere(r.Body.Where)
	if err != nil {
		return nil, err
	}
	request := search.Request{
		Query: or(r.Body.Query, ""), Queries: or(r.Body.Queries, nil), Stores: stores,
		Filter: memory.Filter{Namespace: r.Body.Namespace, Tags: or(r.Body.Tags, nil), Type: or(r.Body.Type, ""), Where: where, Timezone: or(r.Body.Timezone, "")},
		Limit:  or(r.Body.Limit, wire.DefaultHits),
		Mode:   search.Mode(or(r.Body.Mode, "")), Ranking: search.Ranking(or(r.Body.Ranking, "")),
		MinRelevance: or(r.Body.MinRelevance, 0), Diversity: or(r.Body.Diversity, 0), Nearest: or(r.Body.Nearest, 0),
		NoTypos:   !or(r.Body.Typos, true),
		NoDates:   !or(r.Body.Dates, true),
		AsOf:      or(r.Body.AsOf, ""),
		MaxTokens: wire.MaxTokens(r.Body.MaxTokens), Passages: or(r.Body.Passages, false), Cursor: or(r.Body.Cursor, ""),
	}
	switch {
	case r.Body.Query == nil && r.Body.Queries == nil:
		return nil, problem.In(problem.Malformed, "query", "is required, or queries in its place")
	case r.Body.Query != nil && r.Body.Queries != nil:
		return nil, problem.In(problem.Rule, "queries", "must not be given together with query")
	}
	if given := r.Body.Recency; given != nil {
		request.Recency = wire.Recency(given.HalfLife, given.Weight)
	}
	if err := addExplain(ctx, &request, r.Body.Explain); err != nil {
		return nil, err
	}
	if err := addMatch(&request.Filter, r.Body.Match); err != nil {
		return nil, err
	}
	started := time.Now()
	found, err := s.market.Search(ctx, caller(ctx), meter.SearchRequest{
		Request: request, MaxCharge: r.Body.MaxCharge,
		Call: func() (memory.Idempotency, error) {
			return s.callOf(r.Params.IdempotencyKey, "POST /v1/search", nil, r.Body)
		},
	})
	if err != nil {
		return nil, err
	}
	answer := &found.Answer
	s.metrics.Search(*answer)
	took := time.Since(started)
	out := streamed{encode: func(w io.Writer) error { return s.writeAnswer(ctx, w, request, r.Body.Cursor != nil, answer) }}
	if request.Explain { // no hit is then from a store at level search
		out.timing = timingOf(answer.Took, took)
	}
	return out, nil
}

// timingOf returns the Server-Timing header of a search: the duration of each
// step in milliseconds.
func timingOf(t search.Took, total time.Duration) string {
	var metrics []string
	for _, step := range []struct {
		name string
		took time.Duration
	}{{"queue", t.Queue}, {"filter", t.Filter}, {"embed", t.Embed}, {"lexical", t.Lexical}, {"vector", t.Vector}, {"rerank", t.Rerank}, {"rank", t.Rank}, {"fetch", t.Fetch}, {"total", total}} {
		metrics = append(metrics, fmt.Sprintf("%s;dur=%.3f", step.name, float64(step.took.Microseconds())/1000))
	}
	return strings.Join(metrics, ", ")
}
