package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mneme/clients/go/api"
)

// Timing holds the durations of a search's steps. Queue is the wait for a turn, and Filter the
// search for the entries that match its filter. Lexical runs in parallel with Embed and Vector.
// Rerank, a call to a reranking service, and Fetch follow them. Rank, the computation of the
// relevance, is a part of Fetch. Total is the whole search.
type Timing struct {
	Queue, Filter, Embed, Lexical, Vector, Rerank, Rank, Fetch, Total time.Duration
}

// ExplainHits returns a Question's Explain that explains the hits.
func ExplainHits() *api.ExplainOption { return new(api.ExplainOption("true")) }

// ExplainEntry returns a Question's Explain that explains the hits and the
// outcome of an entry.
func ExplainEntry(path api.ExplainedPath) *api.ExplainOption {
	text, _ := json.Marshal(path) // strings always marshal
	return new(api.ExplainOption(text))
}

// Search asks a question. The timing is nil unless the question has Explain set
// and the server reports timings to the caller.
func (c *Client) Search(ctx context.Context, q api.Question) (api.Answer, *Timing, error) {
	response, err := c.Calls.Search(ctx, nil, q)
	answer, err := Decode[api.Answer](response, err)
	if err != nil {
		return api.Answer{}, nil, err
	}
	return answer, timingOf(response.Header), nil
}

// timingOf parses the header Server-Timing. It returns nil if there is none.
func timingOf(h http.Header) *Timing {
	var t Timing
	steps := map[string]*time.Duration{
		"queue": &t.Queue, "filter": &t.Filter, "embed": &t.Embed, "lexical": &t.Lexical, "vector": &t.Vector, "rerank": &t.Rerank, "rank": &t.Rank, "fetch": &t.Fetch, "total": &t.Total,
	}
	found := false
	for metric := range strings.SplitSeq(strings.Join(h.Values("Server-Timing"), ","), ",") {
		name, parameters, _ := strings.Cut(strings.TrimSpace(metric), ";")
		step := steps[name]
		milliseconds, ok := strings.CutPrefix(parameters, "dur=")
		if step == nil || !ok {
			continue
		}
		if value, err := strconv.ParseFloat(milliseconds, 64); err == nil {
			*step, found = time.Duration(value*float64(time.Millisecond)), true
		}
	}
	if !found {
		return nil
	}
	return &t
}
