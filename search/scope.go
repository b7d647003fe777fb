package search

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search/cursor"
)

// searchQuery is a search request that was authorised and validated, with
// what the steps of the search need to know of it.
type searchQuery struct {
	caller  memory.Caller
	request Request
	scope   acl.Scope
	named   []acl.Access       // of the stores that the request names
	filter  memory.Filter      // the request's, with its relative times
	at      time.Time          // the instant of the first page, from which ages and relative times are counted
	page    *cursor.Candidates // what the request's cursor holds; nil: it has none
	// wordings are the query, or the queries.
	wordings []*wording
	// apart is the same question to the stores on which the caller has level search, if
	// scope has others: see setApart. nil: there are no others, or none of these.
	apart *searchQuery
	// only holds the entries that pass the filter, if they are few enough to
	// hand to the legs. nil: the legs search the whole scope, and the filter
	// is applied to the rows.
	only []uuid.UUID
	// nothing says that no entry passes the filter.
	nothing bool
	// dropped collects the visible entries among those read that do not pass the
	// filter. nil: it is not asked for.
	dropped   map[uuid.UUID]*memory.Entry
	reading   memory.ConditionLimits
	models    models    // of the wordings' embeddings
	languages languages // of the entries whose texts were read to find out
	took      Took
	// judgements are the Reranker's, of the first page; rerankAsked says that it was
	// asked, or need not be, and rerankFailed that it failed.
	judgements                map[uuid.UUID]judgement
	asOf                      *asOf // of what stood then; nil: of what stands now
	rerankAsked, rerankFailed bool
	capped
}

// scopeQuery authorises a request, validates it, and finds out what it may
// search. The scope is empty if that is nothing.
func (s *Searcher) scopeQuery(ctx context.Context, c memory.Caller, r Request) (q *searchQuery, err error) {
	ctx, end := s.startStep(ctx, "scope", nil)
	defer end(&err)
	for _, store := range r.Stores {
		if err := acl.CheckID(store); err != nil {
			return nil, err
		}
	}
	// An empty list is an error: only an absent one means all stores.
	if r.Stores != nil && len(r.Stores) == 0 || len(r.Stores) > MaxStores {
		return nil, rule("stores", "must name 1 to %d stores, or be left out", MaxStores)
	}
	if r.ExplainEntry != nil {
		if err := acl.CheckID(r.ExplainEntry.Store); err != nil {
			return nil, err
		}
	}
	r.Explain = r.Explain || r.ExplainEntry != nil
	r = r.normal()
	q = &searchQuery{caller: c, request: r, at: s.instant(), languages: make(languages)}
	q.filter = r.Filter
	if err := s.openPage(q); err != nil {
		return nil, err
	}
	r.Filter = r.Filter.At(q.at).Counted(s.limits.Conditions)
	q.request.Filter = r.Filter
	err = s.view(ctx, c, func(tx memory.ReadTx) (err error) {
		if err := s.authorize(ctx, tx, q); err != nil {
			return err
		}
		if err := q.setAsOf(); err != nil {
			return err
		}
		if (!r.Filter.Empty() || q.asOf != nil) && q.page == nil {
			if err := s.matchFilter(ctx, tx, q); err != nil {
				return err
			}
		}
		q.wordings = s.newWordings(r.wordings())
		q.readDates()
		q.reading = s.limits.Conditions
		return s.matchDates(ctx, tx, q)
	})
	if err != nil {
		return nil, err
	}
	s.setApart(q)
	return q, nil
}

// setApart has the stores on which the caller has level search asked apart from the
// others, side by side with them, if there are both.
//
// SECURITY: what a store at level search holds counts in no rarity, correction or cut by
// which entries of other stores are ranked. Their scores have all digits, and their search
// neither counts nor costs: by them the caller could ask of every word how many entries of
// that store have it.
func (s *Searcher) setApart(q *searchQuery) {
	if !q.scope.Any(searchOnly) || !q.scope.Any(readable) {
		return
	}
	apart := *q
	apart.scope, q.scope = q.scope.Without(readable), q.scope.Without(searchOnly)
	apart.wordings = s.newWordings(q.request.wordings())
	q.apart = &apart
}

// divide returns of candidates those that the search ranks, and those that what it asks
// apart does.
func (q *searchQuery) divide(candidates []*candidate) (own, apart []*candidate) {
	if q.apart == nil {
		return candidates, nil
	}
	for _, c := range candidates {
		if searchOnly(*c.access) {
			apart = append(apart, c)
		} else {
			own = append(own, c)
		}
	}
	return own, apart
}

// allModels returns the models of both parts of a search.
func (q *searchQuery) allModels() models {
	all := q.models
	if q.apart == nil {
		return all
	}
	for k, one := range q.apart.models {
		if !all[k].serves() {
			all[k] = one
		}
	}
	return all
}

// stores returns the number of stores that are searched.
func (q *searchQuery) stores() int {
	if q.apart == nil {
		return q.scope.Len()
	}
	return q.scope.Len() + q.apart.scope.Len()
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

// searchOnly reports whether the caller has level search on a store.
func searchOnly(a acl.Access) bool { return a.Level < acl.Read }

func readable(a acl.Access) bool { return !searchOnly(a) }

// isMetered reports whether an offer meters the caller's grant of a store.
func isMetered(a acl.Access) bool { return a.Offer != "" }

// searchScope returns what the request may search. With an option that a store
// on which the caller has level search does not take, a request that names such
// a store is denied, and one that does not name it leaves it out.
func (s *Searcher) searchScope(ctx context.Context, tx memory.ReadTx, c memory.Caller, r Request) (acl.Scope, error) {
	request := acl.ScopeRequest{Stores: r.Stores, Chat: r.Chat, User: r.User}
	if r.Purchase.Offer != uuid.Nil {
		if err := s.offeredTo(ctx, tx, c, r, &request); err != nil {
			return acl.Scope{}, err
		}
	}
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
