package search

import (
	"context"
	"time"
)

// Took holds how long the steps of a search took. The legs run concurrently.
// Queue is the wait until the search could begin.
//
// Filter is the time in which the storage looked for the entries that pass the
// request's Filter, before the legs, and Dates that for those of the times that the
// question names. Rank, the reading and the arithmetic of the
// relevance, is a part of Fetch.
type Took struct {
	Queue, Filter, Dates, Embed, Lexical, Vector, Rank, Fetch time.Duration
	Rerank                                                    time.Duration // choosing what the Reranker judges, and its answer
	Total                                                     time.Duration // of the search, the wait for its turn included
}

// tookKey is the key under which a context has the Took of its search: times are kept
// beside the steps, as their spans are.
type tookKey struct{}

// withTook returns a context whose steps add their times to took. Steps that run side by
// side add to different fields.
func withTook(ctx context.Context, took *Took) context.Context {
	return context.WithValue(ctx, tookKey{}, took)
}

// tookOf returns where the steps of a context add their times. Without withTook nobody asks
// for them.
func tookOf(ctx context.Context) *Took {
	if took, ok := ctx.Value(tookKey{}).(*Took); ok {
		return took
	}
	return new(Took)
}

// addSlower adds the times of the legs of two parts that were asked side by side: of each
// leg the longer one.
func (t *Took) addSlower(a, b *Took) {
	t.Embed += max(a.Embed, b.Embed)
	t.Lexical += max(a.Lexical, b.Lexical)
	t.Vector += max(a.Vector, b.Vector)
}
