package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/fusion"
	"mneme/lexical"
	"mneme/vector"
)

const (
	// legDepth is how many entries that the caller may see each leg hands to
	// the fusion.
	legDepth = 200
	// legFetch is how many a leg is asked for at first: a few more, since
	// some may fall away at their rows.
	legFetch = 256
	// legBound ends refilling: a leg that was asked for this many and still
	// lacks entries makes the answer incomplete.
	legBound = 65_536
	// searchOnlyHits is how many hits an answer takes from a store of which
	// the caller has level search.
	searchOnlyHits = 10
)

// Search answers a question from the caller's scope: both legs, restricted to
// the scope before they rank; then the rows, read again within the scope,
// which decide; then fusion and order. If too many candidates fell away at
// their rows, the legs are asked for more.
func (s *Service) Search(ctx context.Context, c Caller, r SearchRequest) (Answer, error) {
	p, err := s.plan(ctx, c, r)
	if err != nil || p.scope.Empty() {
		return Answer{Hits: []Hit{}}, err
	}
	for fetch := legFetch; ; fetch *= 4 {
		legs, err := s.runLegs(ctx, c, p, fetch)
		if err != nil {
			return Answer{}, err
		}
		answer, short, err := s.fetch(ctx, c, p, legs)
		if err != nil {
			return Answer{}, err
		}
		if !short || fetch >= legBound {
			answer.Incomplete = short
			answer.Degraded = legs.failed
			answer.Took = p.took
			return answer, nil
		}
	}
}

// plan is a question made ready for the legs.
type plan struct {
	request SearchRequest
	scope   acl.Scope
	terms   []lexical.QueryTerm
	only    []uuid.UUID // with a filter that few entries pass: those; else nil
	nothing bool        // no entry passes the filter
	took    Took
}

// plan judges the request and finds its scope.
func (s *Service) plan(ctx context.Context, c Caller, r SearchRequest) (*plan, error) {
	p := &plan{request: r}
	for _, store := range r.Stores {
		if err := acl.CheckID(store); err != nil {
			return nil, err
		}
	}
	problem := checkSearch(r)
	err := s.storage.View(ctx, func(tx ReadTx) (err error) {
		if p.scope, err = s.searchScope(ctx, tx, c, r); err != nil {
			return err
		}
		if problem != nil {
			return problem
		}
		if r.Filter.Empty() {
			return nil
		}
		ids, more, err := tx.Matching(ctx, p.scope, r.Filter, vector.MaxOnly)
		if err == nil && !more {
			p.only, p.nothing = ids, len(ids) == 0
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	p.terms = lexical.ParseQuery(r.Query)
	return p, nil
}

func checkSearch(r SearchRequest) error {
	if strings.TrimSpace(r.Query) == "" {
		return rule("query", "must hold a question")
	}
	if err := r.Filter.check(); err != nil {
		return err
	}
	return checkLimit(r.Limit)
}

// searchScope finds what the request may search. A store with level search
// allows no filter and no explanation: named with one it is denied; left
// unnamed, a filtered search passes it by.
func (s *Service) searchScope(ctx context.Context, tx ReadTx, c Caller, r SearchRequest) (acl.Scope, error) {
	scope, err := acl.NewScope(ctx, tx, c.Principal, acl.ScopeRequest{Stores: r.Stores, Chat: r.Chat, User: r.User}, s.instant())
	if err != nil {
		return acl.Scope{}, err
	}
	if len(r.Stores) > 0 && (r.Explain || !r.Filter.Empty()) {
		for _, a := range scope.Stores() {
			if a.Level < acl.Read {
				return acl.Scope{}, acl.ErrDenied
			}
		}
	}
	if !r.Filter.Empty() {
		scope = scope.Without(func(a acl.Access) bool { return a.Level < acl.Read })
	}
	return scope, nil
}

// candidate is an entry that at least one leg named and the caller may see.
type candidate struct {
	entry           *Entry
	access          acl.Access
	lexical, vector *LegRank
	fused           float64
}

// fetch reads the candidates' rows within the scope, as it stands now, in one
// snapshot: SECURITY: this check decides what is shown, the legs are hints.
// short says that so many fell away that the legs should be asked for more.
func (s *Service) fetch(ctx context.Context, c Caller, p *plan, legs legLists) (answer Answer, short bool, err error) {
	defer timed(&p.took.Fetch)()
	err = s.storage.View(ctx, func(tx ReadTx) error {
		scope, err := s.searchScope(ctx, tx, c, p.request)
		if err != nil {
			return err
		}
		seen, err := s.seen(ctx, tx, c, scope, p.request.Filter, legs)
		if err != nil {
			return err
		}
		lexicalList, lexicalShort := survivors(legs.lexical, seen)
		vectorList, vectorShort := survivors(legs.vector, seen)
		ordered := order(fuse(seen, lexicalList, vectorList))
		chosen := choose(ordered, p.request.Limit)
		answer.Hits, err = s.hits(ctx, tx, chosen, p.request.Explain)
		capped := len(chosen) < len(ordered) && len(chosen) < p.request.Limit
		short = lexicalShort || vectorShort || capped && (legs.lexical.more || legs.vector.more)
		return err
	})
	for _, hit := range answer.Hits {
		answer.Label = max(answer.Label, hit.Entry.Label)
	}
	return answer, short, err
}

// seen reads the rows of the candidates and keeps what the caller sees. As a
// rule nothing falls away, so the rows of as many as the fusion takes are read
// first, and those of the hits to spare only if something did.
func (s *Service) seen(ctx context.Context, tx ReadTx, c Caller, scope acl.Scope, filter Filter, legs legLists) (map[uuid.UUID]*candidate, error) {
	seen := make(map[uuid.UUID]*candidate)
	first, spare := legs.ids()
	if err := s.look(ctx, tx, c, scope, filter, first, seen); err != nil {
		return nil, err
	}
	if len(spare) == 0 || !slices.ContainsFunc(first, func(id uuid.UUID) bool { return seen[id] == nil }) {
		return seen, nil
	}
	return seen, s.look(ctx, tx, c, scope, filter, spare, seen)
}

// look adds to seen what the caller sees of ids: within the scope, live,
// passing the filter, not encrypted, and the one entry that its path shows.
func (s *Service) look(ctx context.Context, tx ReadTx, c Caller, scope acl.Scope, filter Filter, ids []uuid.UUID, seen map[uuid.UUID]*candidate) error {
	rows, err := tx.Siblings(ctx, scope, ids)
	if err != nil {
		return err
	}
	now := s.instant()
	reader := Caller{Principal: c.Principal} // a search never reaches what is not in context
	best := make(map[Path]*Entry, len(rows))
	for i := range rows {
		e := &rows[i]
		a, ok := scope.Access(e.Store)
		if !ok || !visible(reader, a, e, now) {
			continue
		}
		if b := best[e.Path]; b == nil || before(reader, e, b) {
			best[e.Path] = e
		}
	}
	for _, e := range best {
		if e.Searchable() && filter.passes(e) {
			a, _ := scope.Access(e.Store)
			seen[e.ID] = &candidate{entry: e, access: a}
		}
	}
	return nil
}

// survivors is a leg's list without what fell away, in its final order and
// cut to legDepth. Hits to spare whose rows were not read are not missed: none
// before them fell away. short says that the leg has more that might take the
// places.
func survivors(leg legList, seen map[uuid.UUID]*candidate) (list []legHit, short bool) {
	for _, hit := range leg.hits {
		if seen[hit.Entry] != nil {
			list = append(list, hit)
		}
	}
	slices.SortFunc(list, func(a, b legHit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return compareOrder(seen[a.Entry].entry, seen[b.Entry].entry)
	})
	if len(list) < legDepth {
		return list, leg.more
	}
	return list[:legDepth], false
}

// fuse merges the legs' lists by Reciprocal Rank Fusion.
func fuse(seen map[uuid.UUID]*candidate, lexicalList, vectorList []legHit) []*candidate {
	byOrder := func(a, b uuid.UUID) int { return compareOrder(seen[a].entry, seen[b].entry) }
	var fused []*candidate
	for _, item := range fusion.RRF(byOrder, entriesOf(lexicalList), entriesOf(vectorList)) {
		one := seen[item.ID]
		one.fused = item.Score
		if rank := item.Ranks[0]; rank > 0 {
			one.lexical = &LegRank{Rank: rank, Score: lexicalList[rank-1].Score}
		}
		if rank := item.Ranks[1]; rank > 0 {
			one.vector = &LegRank{Rank: rank, Score: vectorList[rank-1].Score}
		}
		fused = append(fused, one)
	}
	return fused
}

// order is the last step before the answer: it puts the candidates, whose
// rows have been read and fused, into the order in which they are shown.
// A re-ranker of candidates would stand here.
func order(candidates []*candidate) []*candidate { return candidates }

// choose takes the first candidates up to limit, and of each store that
// allows search alone no more than searchOnlyHits.
func choose(ordered []*candidate, limit int) []*candidate {
	taken := make(map[string]int)
	var chosen []*candidate
	for _, one := range ordered {
		if len(chosen) == limit {
			break
		}
		if one.access.Level < acl.Read {
			if taken[one.entry.Store] == searchOnlyHits {
				continue
			}
			taken[one.entry.Store]++
		}
		chosen = append(chosen, one)
	}
	return chosen
}

// hits reads the values of the chosen and makes the answer's hits of them.
func (s *Service) hits(ctx context.Context, tx ReadTx, chosen []*candidate, explain bool) ([]Hit, error) {
	ids := make([]uuid.UUID, len(chosen))
	at := make(map[uuid.UUID]int, len(chosen))
	for i, one := range chosen {
		ids[i], at[one.entry.ID] = one.entry.ID, i
	}
	rows, err := tx.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(chosen))
	for _, e := range rows {
		i := at[e.ID]
		hits[i] = hit(chosen[i], e, explain)
	}
	return hits, nil
}

// hit shows one candidate as its store's level allows.
func hit(one *candidate, e Entry, explain bool) Hit {
	if one.access.Level < acl.Read {
		bare := Entry{Path: Path{Store: e.Store, Key: e.Key}, Label: e.Label, Value: e.Value}
		return Hit{Entry: bare, Score: one.fused, Level: one.access.Level}
	}
	e.Source = nil // it is for readers of the entry: see Get
	h := Hit{Entry: e, Score: one.fused, Level: one.access.Level}
	if explain {
		h.Explain = &Explain{Lexical: one.lexical, Vector: one.vector, Fused: one.fused, Via: one.access.Via, Label: e.Label}
	}
	return h
}

func entriesOf(hits []legHit) []uuid.UUID {
	ids := make([]uuid.UUID, len(hits))
	for i, hit := range hits {
		ids[i] = hit.Entry
	}
	return ids
}

// timed adds the time until the returned function is called.
func timed(sum *time.Duration) func() {
	start := time.Now()
	return func() { *sum += time.Since(start) }
}
