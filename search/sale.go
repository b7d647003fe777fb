package search

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// mayBeHits returns, in their order, the candidates that can become hits if the answer leaves
// out earlier candidates from stores at level search.
func mayBeHits(ordered []*candidate, limit int) (possible []*candidate) {
	perStore := make(storeCounts)
	capped, others := 0, 0
	for _, c := range ordered {
		if others == limit {
			break
		}
		if !c.access.sold {
			others++
			possible = append(possible, c)
			continue
		}
		if capped == maxCapped || !perStore.add(c.entry.Store, c.access.hits) {
			continue
		}
		capped++
		possible = append(possible, c)
	}
	return possible
}

// undecided has the candidates of an answer whose hits and charges sell has yet to decide.
type undecided struct {
	possible []*candidate // hits of this page if they fit
	ordered  []*candidate // all candidates, of this page and the next ones
}

// mayBuy reports whether a search may cost something or count toward a cap: its scope has
// stores at level search, or it holds a claim. Any other search buys nothing.
func (q *searchQuery) mayBuy() bool {
	return len(q.admitted) > 0 || q.request.Purchase.Claim != nil
}

// forSale returns the candidates from which sell chooses the hits; nil if none can cost
// anything or count toward a cap. A search counts for a store at level search if the request
// names the store, or if the answer shows one of its hits.
func (s *Searcher) forSale(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, ranked selected) (*undecided, error) {
	possible := ranked.hits
	if len(q.admitted) > 0 {
		possible = ranked.possible
	}
	named := len(q.request.Stores) > 0 && len(q.names(possible)) > 0
	claimed := q.request.Purchase.Claim != nil
	capped := slices.ContainsFunc(possible, func(c *candidate) bool { return c.access.sold })
	if !s.metered || !named && !claimed && !capped {
		return nil, nil
	}
	sale := &undecided{ordered: ranked.ordered}
	for _, c := range possible {
		row := *c.entry
		c.entry = &row // a copy, so that the rows of the other candidates can be freed
		sale.possible = append(sale.possible, c)
	}
	return sale, s.countTokens(ctx, in, q, found, sale.possible)
}

// countTokens counts, if the request has MaxTokens, the tokens of possible hits from stores
// above level search. It stops at the first that does not fit even without other stores' hits.
func (s *Searcher) countTokens(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, possible []*candidate) error {
	most := q.request.MaxTokens
	if most == 0 {
		return nil
	}
	var read []*candidate
	for _, c := range possible {
		if !c.access.sold {
			c.tokens = -1
			read = append(read, c)
		}
	}
	left := budget{fit: s.fitTokens, most: most}
	for len(read) > 0 {
		n := memory.BatchOf(len(read), func(i int) int { return read[i].entry.Size })
		hits, err := loadValues(ctx, in, q, found, read[:n])
		if err != nil {
			return err
		}
		if err := loadCodes(ctx, in, q, found, hits, false); err != nil {
			return err
		}
		for i := range hits {
			hits[i].present()
			tokens, fits := left.count(most-left.used, hits[i].shown())
			if !fits {
				return nil
			}
			left.used += tokens
			read[i].tokens = tokens
		}
		read = read[n:]
	}
	return nil
}

// names returns the stores at level search that a sale of possible concerns: those that the
// request names and the Meter admitted or, if it names none, those of possible. They are
// sorted, so that all transactions lock them in the same order.
func (q *searchQuery) names(possible []*candidate) (stores []string) {
	if len(q.request.Stores) > 0 {
		for store, admitted := range q.admitted {
			if admitted {
				stores = append(stores, store)
			}
		}
	} else {
		for _, c := range possible {
			if c.access.sold {
				stores = append(stores, c.entry.Store)
			}
		}
	}
	slices.Sort(stores)
	return slices.Compact(stores)
}

// sell returns the answer with its hits. In one transaction it checks access again, and the
// Meter chooses the hits from stores at level search and charges for them. These hits keep
// their values or passages, so that the answer shows exactly what was charged. Values reads
// the hits from other stores, as in any answer.
func (s *Searcher) sell(ctx context.Context, q *searchQuery, answer Answer, sale undecided) (_ Answer, err error) {
	ctx, end := s.startStep(ctx, "sale", &tookOf(ctx).Fetch)
	defer end(&err)
	done, err := s.service.Writers().Take(ctx, q.caller, memory.Work{Stores: storesOf(sale.possible)})
	if err != nil {
		return Answer{}, err
	}
	defer done()
	var offering Offering
	var sold Sale
	err = s.storage.Update(ctx, func(tx memory.Tx) (err error) {
		if offering, err = s.offer(ctx, tx, q, answer, sale.possible); err != nil {
			return err
		}
		sold, err = s.meter.Sell(ctx, tx, q.caller, q.request.Purchase, offering, s.instant())
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	var shown []*candidate
	for _, i := range sold.Shown {
		hit := offering.Candidates[i].Hit
		answer.Hits, shown = append(answer.Hits, *hit), append(shown, hit.found)
	}
	answer.over, answer.sold, answer.Bill = sold.Over, true, sold.Bill
	answer.decideNearest()
	answer.rest = after(sale.ordered, shown, q.request.scored())
	return answer, nil
}

// storesOf returns the stores of possible hits, each once.
func storesOf(possible []*candidate) (stores []string) {
	for _, p := range possible {
		if !slices.Contains(stores, p.entry.Store) {
			stores = append(stores, p.entry.Store)
		}
	}
	return stores
}

// offer returns the Offering for the Meter. If the lexical or the vector leg failed, a store
// without candidates costs nothing. A failed Reranker makes no difference: it finds no entries.
func (s *Searcher) offer(ctx context.Context, tx memory.Tx, q *searchQuery, answer Answer, possible []*candidate) (Offering, error) {
	// SECURITY: the scope of this transaction decides what is sold.
	scope, err := s.saleScope(ctx, tx, q, possible)
	if err != nil {
		return Offering{}, err
	}
	hits, err := s.loadOffered(ctx, s.within(tx, scope, q), q, answer.found, possible)
	if err != nil {
		return Offering{}, err
	}
	offered := make(map[uuid.UUID]*Hit, len(hits))
	found := make(map[string]bool)
	for i := range hits {
		offered[hits[i].whole.ID], found[hits[i].whole.Store] = &hits[i], true
	}
	failed := slices.Contains(answer.Degraded, LegLexical) || slices.Contains(answer.Degraded, LegVector)
	o := Offering{
		Stores: slices.DeleteFunc(soldIn(scope), func(a acl.Access) bool { return failed && !found[a.Store] }),
		Limit:  q.request.Limit, MaxTokens: q.request.MaxTokens,
		Skipped: q.skipped, Degraded: answer.Degraded, Incomplete: answer.Incomplete,
	}
	for _, p := range possible {
		if !p.access.sold {
			hit := newHit(q, answer.found, p, *p.entry)
			o.Candidates = append(o.Candidates, Candidate{Entry: p.entry, Hit: &hit, Tokens: p.tokens, CutTokens: o.MaxTokens})
		} else if hit := offered[p.entry.ID]; hit != nil {
			o.Candidates = append(o.Candidates, s.forSaleAs(hit, o.MaxTokens))
		}
	}
	return o, nil
}

// forSaleAs returns a hit from a store at level search as a Candidate. If the hit has more
// than maxTokens tokens, forSaleAs cuts it to fit; only the first hit of an answer may be cut.
func (s *Searcher) forSaleAs(hit *Hit, maxTokens int) Candidate {
	hit.present()
	c := Candidate{Entry: &hit.whole, ForSale: true, Hit: hit}
	if maxTokens > 0 {
		room := budget{fit: s.fitTokens, most: maxTokens}
		tokens, fits := room.count(maxTokens, hit.shown())
		if c.Tokens, hit.tokens = tokens, tokens; !fits {
			c.Tokens, c.CutTokens = -1, room.shrink(hit)
			hit.tokens = c.CutTokens
		}
	}
	hit.sold, hit.codes = true, nil
	return c
}

// saleScope returns the scope of the stores at level search that a sale concerns. If the
// caller may no longer search a store, saleScope returns an error if the request names the
// store, and otherwise leaves it out.
func (s *Searcher) saleScope(ctx context.Context, tx memory.ReadTx, q *searchQuery, possible []*candidate) (acl.Scope, error) {
	r := q.request
	if r.Stores = q.names(possible); len(r.Stores) == 0 {
		return acl.Scope{}, nil
	}
	if len(q.request.Stores) > 0 {
		return s.searchScope(ctx, tx, q.caller, r)
	}
	return s.remainingScope(ctx, tx, q.as(r))
}

// loadOffered reads the possible hits from stores at level search that the caller may still
// see, with their values. Together the values are at most as large as ten of the maximum
// size, because an answer holds sold values in memory until it is written.
func (s *Searcher) loadOffered(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, possible []*candidate) ([]Hit, error) {
	var ids []uuid.UUID
	for _, p := range possible {
		if p.access.sold {
			ids = append(ids, p.entry.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	visible := make(map[uuid.UUID]*candidate)
	if err := s.addVisible(ctx, in, q.caller, q.request.Filter, ids, visible); err != nil {
		return nil, err
	}
	var candidates []*candidate
	bytes := 0
	for _, p := range possible {
		now := visible[p.entry.ID]
		if now == nil || !now.access.sold {
			continue
		}
		if bytes += now.entry.Size; bytes > now.access.hits*s.limits.Value && len(candidates) > 0 {
			break
		}
		candidates = append(candidates, p.at(now))
	}
	hits, err := loadValues(ctx, in, q, found, candidates)
	if err != nil {
		return nil, err
	}
	return hits, loadCodes(ctx, in, q, found, hits, true)
}
