package search

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Hit is an entry that a search found. A hit from a store on which the caller has level
// search has only store, key, label, value, score and relevance; the last two are the same
// number, with two digits.
//
// Values replaces a long value by Passages, if the request has Passages or the first hit is
// too long for MaxTokens.
type Hit struct {
	memory.Entry
	// Passages are the parts of the value's text that answer the query best, best first and
	// not overlapping; at least one if Truncated.
	Passages  []Passage
	Truncated bool // Value is nil, and Passages replace it
	// Highlights are the byte ranges of lexical.TextOf(Value) that match words of the query,
	// if the request has Passages, the value is whole and the caller's level is above search.
	Highlights [][2]int
	// Score orders the hits of an answer, except those after the first hundred candidates. It
	// is the score of fusion.Relevance or, with RankingRRF, the score of the fusion.
	Score float64
	// Relevance is the probability that the entry answers the query, 0–1. It has the same
	// meaning for every query, store and ranking. Other hits affect it only by deciding
	// whether a Reranker judges this hit; if it does, Relevance includes its judgement.
	Relevance float64
	Level     acl.Level // the caller's level on the store
	// SupersededBy is the key of a newer entry of the same store and namespace that says
	// nearly the same and was found by the same search; "": none is known.
	SupersededBy string
	Explain      *Explain // nil unless asked for and allowed

	// SECURITY: the fields below must not leave this package.
	query *searchQuery
	of    *retrieved
	found *candidate
	whole memory.Entry // the entry, whatever the caller's level
	codes []chunkCodes // of the chunks nearest to the query, for passages
	// sold reports whether the hit is as it was sold, with its value or passages. If the
	// request has MaxTokens, tokens is the number of their tokens.
	sold   bool
	tokens int
}

// EntryID returns the ID of a hit's entry, which Entry.ID does not show at level search.
// Records of searches and charges use it.
func (h *Hit) EntryID() uuid.UUID { return h.whole.ID }

// loadHits returns the hits of the candidates, in their order. It reads the values of the
// first batch, which has loaded hits; Values reads those of the others.
func loadHits(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, candidates []*candidate) (hits []Hit, loaded int, err error) {
	loaded = memory.BatchOf(len(candidates), func(i int) int { return candidates[i].entry.Size })
	if hits, err = loadValues(ctx, in, q, found, candidates[:loaded]); err != nil {
		return nil, 0, err
	}
	if err := loadCodes(ctx, in, q, found, hits, true); err != nil {
		return nil, 0, err
	}
	for _, c := range candidates[loaded:] {
		row := *c.entry
		c.entry = &row // releases the rows of all candidates
		hits = append(hits, newHit(q, found, c, row))
	}
	return hits, loaded, nil
}

// loadValues reads the values of the candidates and returns their hits in the same
// order.
func loadValues(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, candidates []*candidate) ([]Hit, error) {
	entries, err := completed(ctx, in, candidates)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(candidates))
	for i, c := range candidates {
		hits[i] = newHit(q, found, c, entries[i])
	}
	return hits, nil
}

// completed returns the entries of the candidates with their values, in the same order.
func completed(ctx context.Context, in snapshot, candidates []*candidate) ([]memory.Entry, error) {
	entries, rows := make([]memory.Entry, len(candidates)), make([]*memory.Entry, 0, len(candidates))
	for i, c := range candidates {
		if entries[i] = *c.entry; c.then == nil {
			rows = append(rows, &entries[i])
			continue
		}
		whole, err := c.then.Whole(ctx, in.tx, c.entry)
		if err != nil {
			return nil, err
		}
		entries[i] = whole
	}
	return entries, in.contents.Complete(ctx, in.tx, rows)
}

// newHit returns the hit of a candidate, with the fields that the caller's access shows.
func newHit(q *searchQuery, of *retrieved, c *candidate, e memory.Entry) Hit {
	hit := Hit{Score: c.score, Relevance: c.relevance, found: c, of: of, query: q, whole: e}
	if c.access.show(&hit); !c.access.whole {
		return hit
	}
	if c.supersededBy != nil {
		hit.SupersededBy = c.supersededBy.entry.Key
	}
	if q.request.Explain {
		hit.Explain = explainHit(q, of, c, &e)
	}
	return hit
}

// release drops the text of the hit's entry.
func (h *Hit) release() {
	h.Value, h.whole.Value, h.Passages, h.codes = nil, nil, nil, nil
}

// reloadHits reads the values of the first batch of hits of an earlier search. It
// returns the hits that the caller still sees, as they are now. taken is the number of
// hits read, at least one.
func (s *Searcher) reloadHits(ctx context.Context, hits []Hit) (batch []Hit, taken int, err error) {
	q, found := hits[0].query, hits[0].of
	hits = hits[:memory.BatchOf(len(hits), func(i int) int { return hits[i].found.entry.Size })]
	ids := make([]uuid.UUID, len(hits))
	for i := range hits {
		ids[i] = hits[i].found.entry.ID
	}
	err = s.view(ctx, q.caller, func(tx memory.ReadTx) error {
		// SECURITY: the scope of this snapshot decides what is shown.
		scope, err := s.remainingScope(ctx, tx, q)
		if err != nil {
			return err
		}
		if scope.Any(isMetered) { // sell loads the hits of metered stores
			scope = scope.Without(isMetered)
		}
		in, err := s.snapshotOf(ctx, tx, scope, q)
		if err != nil {
			return err
		}
		visible := make(map[uuid.UUID]*candidate)
		if err := s.addVisible(ctx, in, q.caller, q.request.Filter, ids, visible); err != nil {
			return err
		}
		var still []*candidate
		taken = 0
		bytes := 0
		for i := range hits {
			if now := visible[ids[i]]; now != nil {
				// The value may have grown since it was measured.
				if bytes += now.entry.Size; bytes > memory.BatchBytes && len(still) > 0 {
					break
				}
				still = append(still, hits[i].found.at(now))
			}
			taken++
		}
		if batch, err = loadValues(ctx, in, q, found, still); err != nil {
			return err
		}
		return loadCodes(ctx, in, q, found, batch, false)
	})
	return batch, taken, err
}

// at returns the candidate in a later snapshot: it has the row and access of that
// snapshot, but the same ranks and scores.
func (c *candidate) at(later *candidate) *candidate {
	now := *c
	now.entry, now.access, now.then = later.entry, later.access, later.then
	now.edited = c.edited || later.entry.Revision != c.entry.Revision
	return &now
}

// remainingScope is searchScope for a search that was authorized before. If the caller
// has since lost access to a named store, it leaves the store out instead of returning
// an error.
func (s *Searcher) remainingScope(ctx context.Context, tx memory.ReadTx, q *searchQuery) (acl.Scope, error) {
	scope, err := s.searchScope(ctx, tx, q.caller, q.request)
	if !errors.Is(err, acl.ErrDenied) {
		return scope, err
	}
	r := q.request
	r.Stores = nil
	for _, store := range q.request.Stores {
		one := q.request
		one.Stores = []string{store}
		switch _, err := s.searchScope(ctx, tx, q.caller, one); {
		case errors.Is(err, acl.ErrDenied):
		case err != nil:
			return acl.Scope{}, err
		default:
			r.Stores = append(r.Stores, store)
		}
	}
	if len(r.Stores) == 0 { // none is left, but an empty list would mean all stores
		return acl.Scope{}, nil
	}
	return s.searchScope(ctx, tx, q.caller, r)
}
