// Package search answers questions from the entries of package memory: a Searcher finds
// those that answer a question, by their words and their meaning, ranks them, and shows
// what the caller may see of them, in pages and within a budget of tokens.
package search

import (
	"context"
	"time"

	"mneme/memory"
)

const (
	// fusionDepth is how many visible entries each leg contributes to the
	// fusion.
	fusionDepth = 200
	// firstFetch is how many hits a leg is asked for at first: some more than
	// fusionDepth, since a few may turn out not to be visible.
	firstFetch = 256
	// maxFetch ends the refilling: the answer is incomplete if a leg that was
	// asked for this many, or whose index can give no more, still lacks visible
	// entries.
	maxFetch = 65_536
)

// Search answers a question from the stores that the caller may search. Its steps are one
// file each:
//
//	takeTurn    waits until a search of the caller may run
//	scopeQuery  authorizes and checks the request, and says where and for what to look
//	retrieve    asks both legs, side by side, for the entries that may answer
//	rerank      has a Reranker judge the first of them
//	selectHits  reads their rows again, keeps what is visible, ranks it, loads the first values
//	sell        decides what is shown of stores at level search, and what it costs
//
// Both legs are restricted to the scope before they rank. The rows, read again within the
// scope, decide what is shown; the legs only say what to read. If too many of
// their hits turn out not to be visible, the legs are asked for more.
func (s *Searcher) Search(ctx context.Context, c memory.Caller, r Request) (answer Answer, err error) {
	ctx, span := s.tracer.Start(ctx, "search")
	start := time.Now()
	var took Took
	ctx = withTook(ctx, &took)
	defer func() {
		answer.Took.Total = time.Since(start)
		answer.describe(span)
		endSpan(span, err)
	}()
	done, waited, err := s.takeTurn(ctx, c, r)
	if err != nil {
		return Answer{}, err
	}
	defer done()
	q, err := s.scopeQuery(ctx, c, r)
	if err != nil {
		return Answer{Hits: []Hit{}, Took: Took{Queue: waited}}, err
	}
	if took.Queue = waited; q.findsNothing() {
		return Answer{Hits: []Hit{}, Took: took, Bill: Bill{Skipped: q.skipped}, NoWords: !q.asks()}, nil
	}
	found := unasked(q)
	for fetch := firstFetch; ; fetch *= 4 {
		last := fetch >= maxFetch
		if found, err = s.retrieve(ctx, q, found, fetch); err != nil {
			return Answer{}, err
		}
		if found, err = s.rerank(ctx, q, found, last); err != nil {
			return Answer{}, err
		}
		made, err := s.selectHits(ctx, q, found)
		if err != nil {
			return Answer{}, err
		}
		if made.short && !last {
			continue
		}
		if answer = made.answer; made.undecided != nil {
			if answer, err = s.sell(ctx, q, answer, *made.undecided); err != nil {
				return Answer{}, err
			}
		}
		answer.Took = took
		s.noteAsked(ctx, q, found.models)
		s.service.Named(ctx, c, q.named...)
		return answer, nil
	}
}
