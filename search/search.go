// Package search answers questions from the entries of package memory. A Searcher finds the
// entries that answer a question, by their words and their meaning, ranks them, and shows
// what the caller may see of them, in pages and within a budget of tokens.
//
// New returns a Searcher. Searcher.Search answers a Request with an Answer, whose Values reads
// the values of its hits. A Meter decides which hits are sold, and a Reranker may reorder them.
package search

import (
	"context"
	"time"

	"mneme/memory"
)

const (
	// fusionDepth is how many visible entries each leg contributes to the fusion.
	fusionDepth = 200
	// firstFetch is how many hits a search first requests from each leg: some more than
	// fusionDepth, since a few may not be visible.
	firstFetch = 256
	// maxFetch is the most hits that a search requests from a leg. If these, or all that
	// the index can return, include too few visible entries, the answer is incomplete.
	maxFetch = 65_536
)

// Search answers a question from the stores that the caller may search. Its steps:
//
//	takeTurn    waits until a search of the caller may run (turn.go)
//	scopeQuery  authorizes and checks the request, and returns the question (scope.go)
//	retrieve    asks both legs, concurrently, for the entries that may answer (retrieve.go)
//	rerank      asks a Reranker to judge the first of them (rerank.go)
//	selectHits  reads their rows again, ranks the visible ones, loads the first values (select.go)
//	sell        chooses the hits from stores at level search, and charges for them (sale.go)
//
// Both legs filter by the scope before they rank. They only propose entries: Search reads
// the rows again within the scope, and the rows decide what it shows. If too many of the
// proposed entries are not visible, Search asks the legs for more.
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
	took.Queue = waited
	if q.findsNothing() {
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
		answer = made.answer
		if made.undecided != nil {
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
