package search

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// potential is a candidate that is a hit if there is room for it in the answer.
type potential struct {
	*candidate
	// tokens, of a search with MaxTokens, are those of a hit from a store that is
	// read; below 0: it does not fit, even without the hits of other stores.
	tokens int
}

// mayBeHits returns the candidates that are hits if some of those from stores at level
// search before them are not shown, in their order.
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

// unsold is an answer whose hits are decided together with what they cost.
type unsold struct {
	possible []potential
	ordered  []*candidate // all that could be hits on this page or another
}

// mayBuy reports whether an answer may cost something or count: the question was admitted
// to stores at level search, or holds a claim. Of any other nothing is sold.
func (q *searchQuery) mayBuy() bool {
	return len(q.admitted) > 0 || q.request.Purchase.Claim != nil
}

// forSale returns what the hits of a selection are decided from; nil if nothing of it
// can cost anything or count. A store at level search counts if the request named it,
// or if a hit of it is shown.
func (s *Searcher) forSale(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, ranked selected) (*unsold, error) {
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
	sale := &unsold{ordered: ranked.ordered}
	for _, c := range possible {
		row := *c.entry
		c.entry = &row // lets go of the rows of all candidates
		sale.possible = append(sale.possible, potential{candidate: c})
	}
	return sale, s.countTokens(ctx, in, q, found, sale.possible)
}

// countTokens counts the tokens of potential hits from stores that are read, up to
// those that fit without any other, if the request has MaxTokens.
func (s *Searcher) countTokens(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, possible []potential) error {
	most := q.request.MaxTokens
	if most == 0 {
		return nil
	}
	var read []*potential
	for i := range possible {
		if p := &possible[i]; !p.access.sold {
			p.tokens = -1
			read = append(read, p)
		}
	}
	left := budget{fit: s.fitTokens, most: most}
	for len(read) > 0 {
		n := memory.BatchOf(len(read), func(i int) int { return read[i].entry.Size })
		batch := make([]*candidate, n)
		for i, p := range read[:n] {
			batch[i] = p.candidate
		}
		hits, err := loadValues(ctx, in.tx, q, found, batch)
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

// names returns the stores at level search whose part in a search is decided with
// potential hits: all that the request names, else those of the hits. They are ordered,
// so that transactions lock them in one order.
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

// decision is what an answer shows and costs.
type decision struct {
	hits  []Hit
	shown []*candidate // those of hits
	over  int          // hits of stores that are read for which there was no room in MaxTokens
	bill  Bill
}

// sell returns an answer whose hits from stores at level search are decided: in one transaction
// it judges access again, takes what the Meter allows in the order of the answer, and
// charges for it. What is charged is what is shown: those hits keep their values or
// passages. Those of other stores are read as the answer is written, like any.
func (s *Searcher) sell(ctx context.Context, q *searchQuery, answer Answer, sale unsold) (_ Answer, err error) {
	ctx, end := s.startStep(ctx, "sale", &tookOf(ctx).Fetch)
	defer end(&err)
	var made decision
	done, err := s.service.Writers().Take(ctx, q.caller, memory.Work{Stores: storesOf(sale.possible)})
	if err != nil {
		return Answer{}, err
	}
	defer done()
	err = s.storage.Update(ctx, func(tx memory.Tx) (err error) {
		made, err = s.decide(ctx, tx, q, answer.found, sale.possible, answer.Degraded)
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	s.meter.Sold(q.caller, made.bill)
	answer.Hits, answer.over, answer.sold = made.hits, made.over, true
	answer.Bill = made.bill
	answer.decideNearest()
	answer.Bill.Skipped = joinSkipped(q.skipped, made.bill.Skipped)
	answer.rest = after(sale.ordered, made.shown, q.request.scored())
	return answer, nil
}

// storesOf returns the stores of what may be shown.
func storesOf(possible []potential) (stores []string) {
	for _, p := range possible {
		if !slices.Contains(stores, p.entry.Store) {
			stores = append(stores, p.entry.Store)
		}
	}
	return stores
}

// decide is the transaction of sell. degraded is the answer's: if a leg failed, a store
// of which nothing was found costs nothing. A Reranker finds nothing.
func (s *Searcher) decide(ctx context.Context, tx memory.Tx, q *searchQuery, of *retrieved, possible []potential, degraded []string) (made decision, err error) {
	failed := slices.Contains(degraded, LegLexical) || slices.Contains(degraded, LegVector)
	// SECURITY: the scope of this transaction decides what is sold.
	scope, err := s.saleScope(ctx, tx, q, possible)
	if err != nil {
		return decision{}, err
	}
	offered, err := s.loadOffered(ctx, snapshot{tx: tx, scope: scope}, q, of, possible)
	if err != nil {
		return decision{}, err
	}
	byID := make(map[uuid.UUID]*Hit, len(offered))
	entries := make([]memory.Entry, len(offered))
	found := make(map[string]bool)
	for i := range offered {
		hit := &offered[i]
		byID[hit.whole.ID], entries[i], found[hit.whole.Store] = hit, hit.whole, true
	}
	stores := slices.DeleteFunc(soldIn(scope), func(a acl.Access) bool { return failed && !found[a.Store] })
	sale, err := s.meter.Open(ctx, tx, q.caller, q.request.Purchase, stores, entries, s.instant())
	if err != nil {
		return decision{}, err
	}
	made.choose(s, q, of, possible, byID, sale)
	shown := make([]ShownHit, len(made.hits))
	for i := range made.hits {
		shown[i] = ShownHit{ID: made.hits[i].whole.ID, Hit: &made.hits[i]}
	}
	if made.bill, err = sale.Close(ctx, shown); err != nil || q.request.Purchase.Keep == nil {
		return made, err
	}
	kept := Answer{Hits: made.hits, Label: highestLabel(made.hits), Degraded: degraded, Bill: made.bill}
	kept.Bill.Skipped = joinSkipped(q.skipped, made.bill.Skipped)
	return made, q.request.Purchase.Keep(ctx, tx, &kept)
}

// choose chooses the hits, in the order of the answer. The first of a store at level
// search that may not be shown, or that does not fit, ends the hits of that store.
//
// SECURITY: it ends nothing else. What is not bought takes neither room nor money from
// hits of other stores: they would reveal it.
func (d *decision) choose(s *Searcher, q *searchQuery, of *retrieved, possible []potential, offered map[uuid.UUID]*Hit, sale Sale) {
	left := budget{fit: s.fitTokens, most: q.request.MaxTokens}
	full := false
	ended := make(map[string]bool)
	for _, p := range possible {
		if len(d.hits)+d.over == q.request.Limit {
			return
		}
		switch hit := offered[p.entry.ID]; {
		case !p.access.sold:
			if full = full || !left.take(p.tokens); full {
				d.over++
				continue
			}
			d.hits = append(d.hits, newHit(q, of, p.candidate, *p.entry))
		case full || hit == nil || ended[p.entry.Store]:
			continue
		default:
			hit.present()
			tokens, fits := left.measure(hit)
			if !fits || !sale.Take(p.entry.ID) {
				ended[p.entry.Store] = true
				continue
			}
			left.add(tokens)
			hit.sold, hit.tokens, hit.codes = true, tokens, nil
			d.hits = append(d.hits, *hit)
		}
		d.shown = append(d.shown, p.candidate)
	}
}

// saleScope returns the scope of the stores at level search that a sale concerns. One
// that the request names and that the caller may no longer search is an error, any
// other one is left out.
func (s *Searcher) saleScope(ctx context.Context, tx memory.ReadTx, q *searchQuery, possible []potential) (acl.Scope, error) {
	candidates := make([]*candidate, len(possible))
	for i, p := range possible {
		candidates[i] = p.candidate
	}
	r := q.request
	named := len(r.Stores) > 0
	if r.Stores = q.names(candidates); len(r.Stores) == 0 {
		return acl.Scope{}, nil
	}
	scope, err := s.searchScope(ctx, tx, q.caller, r)
	if named || !errors.Is(err, acl.ErrDenied) {
		return scope, err
	}
	var left []string
	for _, store := range r.Stores {
		one := r
		one.Stores = []string{store}
		switch _, err := s.searchScope(ctx, tx, q.caller, one); {
		case err == nil:
			left = append(left, store)
		case !errors.Is(err, acl.ErrDenied):
			return acl.Scope{}, err
		}
	}
	if r.Stores = left; len(left) == 0 {
		return acl.Scope{}, nil
	}
	return s.searchScope(ctx, tx, q.caller, r)
}

// loadOffered reads the potential hits of stores at level search that the caller still
// sees, with their values: of at most so many bytes that ten of the largest fit, since
// an answer holds what it sold until it is written.
func (s *Searcher) loadOffered(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, possible []potential) ([]Hit, error) {
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
	hits, err := loadValues(ctx, in.tx, q, found, candidates)
	if err != nil {
		return nil, err
	}
	return hits, loadCodes(ctx, in, q, found, hits, true)
}

// joinSkipped returns both lists, ordered by store, each store once.
func joinSkipped(before, then []Skipped) []Skipped {
	joined := slices.Clone(before)
	for _, skipped := range then {
		if !slices.ContainsFunc(joined, func(s Skipped) bool { return s.Store == skipped.Store }) {
			joined = append(joined, skipped)
		}
	}
	return joined
}
