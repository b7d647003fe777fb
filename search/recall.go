package search

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search/cursor"
)

// Recalled is a hit of an answer that was given before.
type Recalled struct {
	ID               uuid.UUID
	Score, Relevance float64
}

// Recall answers a search that was answered before with the same hits, in their order:
// those that the caller still sees, as they are now. It looks for nothing, and costs
// nothing. Stores of the request names the store of a search of an offer.
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
	q := &searchQuery{caller: c, request: r, at: s.instant(), wordings: s.newWordings(r.wordings()), languages: make(languages)}
	q.page = &cursor.Candidates{At: q.at} // the candidates are known: the legs only prepare passages
	err = s.view(ctx, c, func(tx memory.ReadTx) (err error) {
		if err = s.checkSearch(r); err != nil {
			return err
		}
		if err = q.setAsOf(); err != nil {
			return err
		}
		q.scope, err = s.recallScope(ctx, tx, q)
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	if _, err := s.retrieve(ctx, q, 0); err != nil {
		return Answer{}, err
	}
	answer = Answer{Hits: []Hit{}, query: q, unpaged: true, sold: true}
	err = s.view(ctx, c, func(tx memory.ReadTx) error {
		answer.Hits, err = s.recall(ctx, tx, q, recalled)
		return err
	})
	answer.Label = highestLabel(answer.Hits)
	q.took.Queue = waited
	answer.Took = q.took
	return answer, err
}

// recallScope is searchScope for a search that was answered before: stores to which
// the caller has lost access are left out. Of a search of an offer that can no longer
// be bought, its store counts by the access that the caller has otherwise.
func (s *Searcher) recallScope(ctx context.Context, tx memory.ReadTx, q *searchQuery) (acl.Scope, error) {
	scope, err := s.remainingScope(ctx, tx, q)
	var clash *memory.ConflictError
	var unpaid *PaymentError
	var spent *CapError // it comes before what is unpaid
	if q.request.Purchase.Offer == uuid.Nil || !errors.Is(err, memory.ErrNotFound) && !errors.As(err, &clash) && !errors.As(err, &unpaid) && !errors.As(err, &spent) {
		return scope, err
	}
	if len(q.request.Stores) == 0 { // no names would mean all
		return acl.Scope{}, nil
	}
	q.request.Purchase = Purchase{}
	if scope, err = s.searchScope(ctx, tx, q.caller, q.request); errors.Is(err, acl.ErrDenied) {
		return acl.Scope{}, nil
	}
	return scope, err
}

// recall reads the hits that the caller still sees. Those of stores at level search
// are read with their values, like those of a search that sold them, and those of
// other stores as the answer is written.
func (s *Searcher) recall(ctx context.Context, tx memory.ReadTx, q *searchQuery, recalled []Recalled) ([]Hit, error) {
	scope, err := s.recallScope(ctx, tx, q)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(recalled))
	for i, hit := range recalled {
		ids[i] = hit.ID
	}
	visible := make(map[uuid.UUID]*candidate, len(ids))
	if err := s.readThen(ctx, tx, scope, q); err != nil {
		return nil, err
	}
	if len(ids) > 0 && !scope.Empty() {
		if err := s.addVisible(ctx, tx, scope, q, ids, visible); err != nil {
			return nil, err
		}
	}
	var all []*candidate
	for _, id := range ids {
		if c := visible[id]; c != nil {
			all = append(all, c)
		}
	}
	// Passages depend on the wording and the model that count for the entry.
	if err := s.assess(ctx, tx, scope, q, all); err != nil {
		return nil, err
	}
	var valued []*candidate
	for _, hit := range recalled {
		c := visible[hit.ID]
		if c == nil {
			continue
		}
		c.score, c.relevance = hit.Score, hit.Relevance
		if searchOnly(*c.access) {
			valued = append(valued, c)
		}
	}
	read, err := loadValues(ctx, tx, q, valued)
	if err != nil {
		return nil, err
	}
	if err := loadCodes(ctx, tx, scope, q, read, true); err != nil {
		return nil, err
	}
	left := budget{fit: s.fitTokens, most: q.request.MaxTokens}
	hits := make([]Hit, 0, len(all))
	for _, c := range all {
		if !searchOnly(*c.access) {
			hits = append(hits, newHit(q, c, *c.entry))
			continue
		}
		hit := read[0]
		read = read[1:]
		hit.present()
		if !left.admit(&hit) {
			continue // it has grown since
		}
		hit.sold, hit.tokens, hit.codes = true, left.last, nil
		hits = append(hits, hit)
	}
	return hits, nil
}
