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

// searchQuery is the question of a search: an authorised, valid request with the values
// that the steps of the search derive from it. scopeQuery creates it, and no step writes to
// it: steps return their results. See TestNoStepWritesToTheQuestion.
type searchQuery struct {
	caller  memory.Caller
	request Request
	scope   acl.Scope
	limits  *limits            // for the stores of the scope
	named   []acl.Access       // of the stores that the request names
	filter  memory.Filter      // of the request, with its relative times
	at      time.Time          // instant of the first page: the base of ages and relative times
	page    *cursor.Candidates // of the request's cursor; nil: it has none
	asOf    *time.Time         // the time of Request.AsOf; nil: now
	// wordings are the query, or the queries.
	wordings []wording
	// searchOnly is the same question to the stores on which the caller has level search,
	// while scope has the stores that it may read: see setParts. nil: scope has only one
	// kind of stores.
	searchOnly *searchQuery
	// only holds the entries that pass the filter, if they are few enough to
	// hand to the legs. nil: the legs search the whole scope, and the filter
	// is applied to the rows.
	only []uuid.UUID
	// nothing says that no entry passes the filter.
	nothing bool
	reading memory.ConditionLimits
	capped
}

// scopeQuery authorises and validates a request and determines the scope of its search.
// The scope is empty if the caller may search nothing.
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

// checkNames checks the names of stores in a request and returns it in normal form.
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
	// SECURITY: at level search dates are only words, since hits do not show when an entry
	// happened.
	if q.request.NoDates || !q.limits.times {
		return nil
	}
	if q.searchOnly != nil { // which shares wordings, but must not get the times
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

// setParts sets the limits of a question. If its scope has both kinds of stores, setParts
// moves those on which the caller has level search to q.searchOnly. The legs search the two
// parts concurrently.
//
// SECURITY: the entries of a store at level search affect no rarity, correction or cut that
// ranks entries of other stores. The scores of those have all digits, and searches of them are
// neither counted nor charged: otherwise the caller could use them to find out, for every
// word, how many entries of the store at level search have it.
func (q *searchQuery) setParts() {
	if q.limits = readLimits; !q.scope.Any(searchOnly) {
		return
	}
	others := *q
	others.limits = searchLimits
	if !q.scope.Any(readable) {
		*q = others
		return
	}
	others.scope, q.scope = q.scope.Without(readable), q.scope.Without(searchOnly)
	q.searchOnly = &others
}

// counted returns the question with its own counter of what conditions read.
func (q *searchQuery) counted() *searchQuery {
	own := *q
	own.request.Filter = own.request.Filter.Counted(q.reading)
	return &own
}

// recallQuery returns the question of a search that was answered before. Its candidates are
// known: the legs only prepare passages.
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

// as returns the question with another request. The queries must be the same.
func (q *searchQuery) as(r Request) *searchQuery {
	other := *q
	other.request = r
	return &other
}

// divide divides candidates into those of q.scope and those of q.searchOnly.
func (q *searchQuery) divide(candidates []*candidate) (own, others []*candidate) {
	if q.searchOnly == nil {
		return candidates, nil
	}
	for _, c := range candidates {
		if c.access.limits == q.searchOnly.limits {
			others = append(others, c)
		} else {
			own = append(own, c)
		}
	}
	return own, others
}

// stores returns the number of stores that are searched.
func (q *searchQuery) stores() int {
	if q.searchOnly == nil {
		return q.scope.Len()
	}
	return q.scope.Len() + q.searchOnly.scope.Len()
}

// unpaged reports whether an answer from a scope has no next page, even if candidates are left.
func (q *searchQuery) unpaged(scope acl.Scope) bool {
	return len(q.request.Stores) > 0 && scope.Any(searchOnly)
}

// findsNothing reports whether a search has no hits whatever is stored: it may search no
// store, or its question has no words. A search with a claim runs all the same, since a
// payment was made for it, and so does one without a store that explains an entry.
func (q *searchQuery) findsNothing() bool {
	if q.request.Purchase.Claim != nil {
		return false
	}
	return !q.asks() || q.scope.Empty() && !q.request.Explain
}

// needsRead reports whether a request has an option that is not allowed at level search:
// several wordings, a filter, a zone, AsOf, a mode, NoTypos or NoDates, an order of the
// hits, Nearest, a cursor, or an explanation.
func (r *Request) needsRead() bool {
	if r.Nearest != 0 && !r.NearestByDefault {
		return true
	}
	return r.Explain || r.Cursor != "" || r.Ranking != "" || r.Mode != "" || r.Queries != nil || r.Recency != nil || r.Diversity != 0 || r.NoTypos || r.NoDates || r.AsOf != "" || !r.Filter.Empty() || r.Filter.Timezone != ""
}

// searchScope returns the scope that the request may search. If an option needs level
// read (needsRead), it leaves out stores on which the caller has level search, or returns
// acl.ErrDenied if the request names one.
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
