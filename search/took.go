package search

import (
	"context"
	"time"
)

// Took holds the durations of the steps of a search. The legs run concurrently. Queue is
// the wait until the search could begin.
//
// Filter is the time to find the entries that pass the request's Filter, before the legs
// run, and Dates the time to find the entries of the times that the question names. Rank,
// the time to read and compute relevance, is a part of Fetch.
type Took struct {
	Queue, Filter, Dates, Embed, Lexical, Vector, Rank, Fetch time.Duration
	Rerank                                                    time.Duration // to choose the texts for the Reranker, and to await its answer
	Total                                                     time.Duration // of the search, including Queue
}

// tookKey is the context key of a search's Took. The context carries it from step to step
// like the trace span.
type tookKey struct{}

// withTook returns a context whose steps add their times to took. Concurrent steps add to
// different fields.
func withTook(ctx context.Context, took *Took) context.Context {
	return context.WithValue(ctx, tookKey{}, took)
}

// tookOf returns the Took of a context. Without withTook it returns one that is discarded.
func tookOf(ctx context.Context) *Took {
	if took, ok := ctx.Value(tookKey{}).(*Took); ok {
		return took
	}
	return new(Took)
}

// addSlower adds the times of two parts whose legs ran concurrently: for each leg, the longer
// time.
func (t *Took) addSlower(a, b *Took) {
	t.Embed += max(a.Embed, b.Embed)
	t.Lexical += max(a.Lexical, b.Lexical)
	t.Vector += max(a.Vector, b.Vector)
}
