package search

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search/cursor"
)

// searchQuery is a question: a search request that was authorised and validated, with
// what the steps of the search need to know of it. scopeQuery makes it, and no step writes
// to it: each returns what it found. See TestNoStepWritesToTheQuestion.
type searchQuery struct {
	caller  memory.Caller
	request Request
	scope   acl.Scope
	limits  *limits            // of the stores of the scope
	named   []acl.Access       // of the stores that the request names
	filter  memory.Filter      // the request's, with its relative times
	at      time.Time          // the instant of the first page, from which ages and relative times are counted
	page    *cursor.Candidates // what the request's cursor holds; nil: it has none
	asOf    *time.Time         // as of which it searches; nil: now
	// wordings are the query, or the queries.
	wordings []wording
	// apart is the same question to the stores on which the caller has level search, if
	// scope has others: see setParts. nil: there are no others, or none of these.
	apart *searchQuery
	// only holds the entries that pass the filter, if they are few enough to
	// hand to the legs. nil: the legs search the whole scope, and the filter
	// is applied to the rows.
	only []uuid.UUID
	// nothing says that no entry passes the filter.
	nothing bool
	reading memory.ConditionLimits
	capped
}

// scopeQuery authorises a request, validates it, and finds out what it may
// search. The scope is empty if that is nothing.
func (s *Searcher) scopeQuery(ctx context.Context, c memory.Caller, r Request) (q *searchQuery, err error) {
	ctx, end := s.startStep(ctx, "scope", nil)
	defer end(&err)
	if r, err = checkNames(r); err != nil {
		return nil, err
	}
	q = &searchQuery{caller: c, request: r, filter: r.Filter, at: s.instant(), reading: s.limits.Conditions}
	if q.page, err = s.openPage(q); err != nil {
		return nil, err
	}
	if q.page != nil {
		q.at = q.page.At
	}
	q.request.Filter = r.Filter.At(q.at).Counted(s.limits.Conditions)
	err = s.view(ctx, c, func(tx memory.ReadTx) error { return s.scopeIn(ctx, tx, q) })
	if err != nil {
		return nil, err
	}
	return q, nil
}

// checkNames returns a request in its normal form if it names stores as it may.
func checkNames(r Request) (Request, error) {
	for _, store := range r.Stores {
		if err := acl.CheckID(store); err != nil {
			return r, err
		}
	}
	// An empty list is an error: only an absent one means all stores.
	if r.Stores != nil && len(r.Stores) == 0 || len(r.Stores) > MaxStores {
		return r, rule("stores", "must name 1 to %d stores, or be left out", MaxStores)
	}
	if r.ExplainEntry != nil {
		if err := acl.CheckID(r.ExplainEntry.Store); err != nil {
			return r, err
		}
	}
	r.Explain = r.Explain || r.ExplainEntry != nil
	return r.normal(), nil
}

// scopeIn is the part of scopeQuery that reads a snapshot.
func (s *Searcher) scopeIn(ctx context.Context, tx memory.ReadTx, q *searchQuery) error {
	may, err := s.authorize(ctx, tx, q.caller, q.request)
	if err != nil {
		return err
	}
	q.request, q.scope, q.named, q.capped = may.request, may.scope, may.named, may.capped
	if q.asOf, err = parseAsOf(q.request, q.at); err != nil {
		return err
	}
	if (!q.request.Filter.Empty() || q.asOf != nil) && q.page == nil {
		passing, err := s.matchFilter(ctx, tx, q)
		if err != nil {
			return err
		}
		q.request.Filter, q.scope, q.capped = passing.filter, passing.scope, passing.capped
		q.only, q.nothing = passing.only, passing.nothing
	}
	q.wordings = s.newWordings(q.request.wordings())
	q.setParts()
	// SECURITY: at level search dates count as words alone: when an entry happened is not shown.
	if q.request.NoDates || !q.limits.times {
		return nil
	}
	if q.apart != nil { // which asks without times
		q.wordings = slices.Clone(q.wordings)
	}
	now := q.at.In(q.zone())
	for i := range q.wordings {
		q.wordings[i].named = q.wordings[i].datesIn(now)
	}
	dated, err := s.matchDates(ctx, tx, q)
	for i, named := range dated {
		q.wordings[i].named = named
	}
	return err
}

// setParts sets the limits of the stores of a question, and has those on which the caller has
// level search asked apart from the others, side by side with them, if there are both.
//
// SECURITY: what a store at level search holds counts in no rarity, correction or cut by
// which entries of other stores are ranked. Their scores have all digits, and their search
// neither counts nor costs: by them the caller could ask of every word how many entries of
// that store have it.
func (q *searchQuery) setParts() {
	if q.limits = readLimits; !q.scope.Any(searchOnly) {
		return
	}
	apart := *q
	apart.limits = searchLimits
	if !q.scope.Any(readable) {
		*q = apart
		return
	}
	apart.scope, q.scope = q.scope.Without(readable), q.scope.Without(searchOnly)
	q.apart = &apart
}

// counted returns the question with a count of its own of what conditions read.
func (q *searchQuery) counted() *searchQuery {
	own := *q
	own.request.Filter = own.request.Filter.Counted(q.reading)
	return &own
}

// recallQuery returns the question of a search that was answered before. The candidates are
// known, so that the legs only prepare passages.
func (s *Searcher) recallQuery(ctx context.Context, c memory.Caller, r Request) (*searchQuery, error) {
	q := &searchQuery{caller: c, request: r, at: s.instant(), wordings: s.newWordings(r.wordings())}
	q.page = &cursor.Candidates{At: q.at}
	err := s.view(ctx, c, func(tx memory.ReadTx) (err error) {
		if err = s.checkSearch(r); err != nil {
			return err
		}
		if q.asOf, err = parseAsOf(r, q.at); err != nil {
			return err
		}
		q.scope, q.request, err = s.recallScope(ctx, tx, q)
		return err
	})
	return q, err
}

// as returns the question with another request, of the same words.
func (q *searchQuery) as(r Request) *searchQuery {
	other := *q
	other.request = r
	return &other
}

// divide returns of candidates those that the search ranks, and those that what it asks
// apart does.
func (q *searchQuery) divide(candidates []*candidate) (own, apart []*candidate) {
	if q.apart == nil {
		return candidates, nil
	}
	for _, c := range candidates {
		if c.access.limits == q.apart.limits {
			apart = append(apart, c)
		} else {
			own = append(own, c)
		}
	}
	return own, apart
}

// stores returns the number of stores that are searched.
func (q *searchQuery) stores() int {
	if q.apart == nil {
		return q.scope.Len()
	}
	return q.scope.Len() + q.apart.scope.Len()
}

// unpaged reports whether no page follows an answer from a scope, whatever is left.
func (q *searchQuery) unpaged(scope acl.Scope) bool {
	return len(q.request.Stores) > 0 && scope.Any(searchOnly)
}

// findsNothing reports whether a search has no hits, whatever is stored: it may look in
// no store, or its question has no words. What a payment was made for is decided all the
// same, and an entry is explained without a store, too.
func (q *searchQuery) findsNothing() bool {
	if q.request.Purchase.Claim != nil {
		return false
	}
	return !q.asks() || q.scope.Empty() && !q.request.Explain
}

// needsRead reports whether a request has an option that a store on which the
// caller has level search does not take: several wordings, a filter, a zone, a time
// to search as of, what orders the hits, what comes in their place, a cursor, or an explanation.
func (r *Request) needsRead() bool {
	if r.Nearest != 0 && !r.NearestByDefault {
		return true
	}
	return r.Explain || r.Cursor != "" || r.Ranking != "" || r.Mode != "" || r.Queries != nil || r.Recency != nil || r.Diversity != 0 || r.NoTypos || r.NoDates || r.AsOf != "" || !r.Filter.Empty() || r.Filter.Timezone != ""
}

// searchScope returns what the request may search. With an option that a store
// on which the caller has level search does not take, a request that names such
// a store is denied, and one that does not name it leaves it out.
func (s *Searcher) searchScope(ctx context.Context, tx memory.ReadTx, c memory.Caller, r Request) (acl.Scope, error) {
	request := acl.ScopeRequest{Stores: r.Stores, Chat: r.Chat, User: r.User, Offered: r.Purchase.Grant}
	scope, err := acl.NewScope(ctx, tx, c.Principal, request, s.instant())
	if err != nil {
		return acl.Scope{}, err
	}
	if !r.needsRead() {
		return scope, nil
	}
	if len(r.Stores) > 0 && scope.Any(searchOnly) {
		return acl.Scope{}, acl.ErrDenied
	}
	return scope.Without(searchOnly), nil
}
