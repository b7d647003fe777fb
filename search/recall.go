package search

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Recalled is a hit of an answer that was given before.
type Recalled struct {
	ID               uuid.UUID
	Score, Relevance float64
}

// Recall repeats the answer of an earlier search: its hits that the caller may still see, in
// their order and as they are now. It finds no other entries and costs nothing. For a search
// of an offer, r.Stores names the store of the offer.
//
// SECURITY: the scope of its snapshot decides what is shown.
func (s *Searcher) Recall(ctx context.Context, c memory.Caller, r Request, recalled []Recalled) (answer Answer, err error) {
	ctx, span := s.tracer.Start(ctx, "recall")
	defer func() { endSpan(span, err) }()
	done, waited, err := s.takeTurn(ctx, c, r)
	if err != nil {
		return Answer{}, err
	}
	defer done()
	r = r.normal()
	took := Took{Queue: waited}
	ctx = withTook(ctx, &took)
	q, err := s.recallQuery(ctx, c, r)
	if err != nil {
		return Answer{}, err
	}
	found, err := s.retrieve(ctx, q, unasked(q), 0)
	if err != nil {
		return Answer{}, err
	}
	answer = Answer{Hits: []Hit{}, searcher: s, query: q, found: found, unpaged: true, sold: true}
	err = s.view(ctx, c, func(tx memory.ReadTx) error {
		answer.Hits, err = s.recall(ctx, tx, q, found, recalled)
		return err
	})
	answer.Label = highestLabel(answer.Hits)
	answer.Took = took
	return answer, err
}

// recallScope is searchScope for a search that was answered before: it leaves out stores to
// which the caller has lost access. If the caller can no longer buy from the offer of the
// search, any other access that the caller has to its store counts, and the returned request
// buys nothing.
func (s *Searcher) recallScope(ctx context.Context, tx memory.ReadTx, q *searchQuery) (acl.Scope, Request, error) {
	r := q.request
	if r.Purchase.Offer != uuid.Nil {
		if len(r.Stores) == 0 { // an empty list would mean all stores
			return acl.Scope{}, r, nil
		}
		r.Purchase.Repeated = true
		admission, err := s.meter.Admit(ctx, tx, q.caller, r.Purchase, nil, s.instant())
		if err != nil {
			return acl.Scope{}, r, err
		}
		if r.Purchase.Grant = admission.Grant; admission.Grant == nil {
			r.Purchase = Purchase{}
		}
	}
	scope, err := s.remainingScope(ctx, tx, q.as(r))
	return scope, r, err
}

// recall reads the hits that the caller may still see. It reads the values of hits from stores
// at level search, as the search that sold them did. Values reads the values of the other hits.
func (s *Searcher) recall(ctx context.Context, tx memory.ReadTx, q *searchQuery, found *retrieved, recalled []Recalled) ([]Hit, error) {
	scope, r, err := s.recallScope(ctx, tx, q)
	if err != nil {
		return nil, err
	}
	q = q.as(r)
	in, err := s.snapshotOf(ctx, tx, scope, q)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(recalled))
	for i, hit := range recalled {
		ids[i] = hit.ID
	}
	visible := make(map[uuid.UUID]*candidate, len(ids))
	if len(ids) > 0 && !scope.Empty() {
		if err := s.addVisible(ctx, in, q.caller, q.request.Filter, ids, visible); err != nil {
			return nil, err
		}
	}
	var all []*candidate
	for _, id := range ids {
		if c := visible[id]; c != nil {
			all = append(all, c)
		}
	}
	// Passages depend on the wording and the model that the entry is scored by.
	if err := s.assess(ctx, in, q, found, all); err != nil {
		return nil, err
	}
	var valued []*candidate
	for _, hit := range recalled {
		c := visible[hit.ID]
		if c == nil {
			continue
		}
		c.score, c.relevance = hit.Score, hit.Relevance
		if c.access.sold {
			valued = append(valued, c)
		}
	}
	read, err := loadValues(ctx, in, q, found, valued)
	if err != nil {
		return nil, err
	}
	if err := loadCodes(ctx, in, q, found, read, true); err != nil {
		return nil, err
	}
	left := budget{fit: s.fitTokens, most: q.request.MaxTokens}
	hits := make([]Hit, 0, len(all))
	for _, c := range all {
		if !c.access.sold {
			hits = append(hits, newHit(q, found, c, *c.entry))
			continue
		}
		hit := read[0]
		read = read[1:]
		hit.present()
		if !left.admit(&hit) {
			continue // the value has grown since
		}
		hit.sold, hit.tokens, hit.codes = true, left.last, nil
		hits = append(hits, hit)
	}
	return hits, nil
}
