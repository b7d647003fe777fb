package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed"
	"mneme/fusion"
	"mneme/lexical"
	"mneme/vector"
)

// searchQuery is a search request that was authorised and validated, with
// what the steps of the search need to know of it.
type searchQuery struct {
	caller  Caller
	request SearchRequest
	scope   acl.Scope
	terms   []lexical.QueryTerm
	scorer  *lexical.Scorer // of terms in the scope; nil until the lexical leg has counted them
	// only holds the entries that pass the filter, if they are few enough to
	// hand to the legs. nil: the legs search the whole scope, and the filter
	// is applied to the rows.
	only []uuid.UUID
	// nothing says that no entry passes the filter.
	nothing bool
	// embedding is of the model of fingerprint; zero until the vector leg has
	// made it.
	embedding   embed.Query
	fingerprint string
	embedder    embed.Embedder  // of fingerprint; nil if there is none
	question    fusion.Question // set by assess
	took        Took
}

// scopeQuery authorises a request, validates it, and finds out what it may
// search. The scope is empty if that is nothing.
func (s *Service) scopeQuery(ctx context.Context, c Caller, r SearchRequest) (q *searchQuery, err error) {
	ctx, end := s.startStep(ctx, "scope", nil)
	defer end(&err)
	for _, store := range r.Stores {
		if err := acl.CheckID(store); err != nil {
			return nil, err
		}
	}
	r.Filter = r.Filter.at(s.instant())
	q = &searchQuery{caller: c, request: r}
	err = s.storage.View(ctx, func(tx ReadTx) (err error) {
		if q.scope, err = s.searchScope(ctx, tx, c, r); err != nil {
			return err
		}
		if err := s.checkSearch(r); err != nil {
			return err
		}
		if r.Filter.Empty() {
			return nil
		}
		ids, more, err := tx.Matching(ctx, q.scope, r.Filter.searchable(), nil, vector.MaxOnly)
		if err == nil && !more {
			q.only, q.nothing = ids, len(ids) == 0
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	q.terms = lexical.ParseQuery(r.Query)
	return q, nil
}

func (s *Service) checkSearch(r SearchRequest) error {
	switch {
	case len(r.Query) > s.limits.Query:
		return rule("query", "must have at most %d bytes", s.limits.Query)
	case strings.TrimSpace(r.Query) == "":
		return rule("query", "must not be blank")
	}
	if err := r.Filter.check(); err != nil {
		return err
	}
	switch r.Ranking {
	case "", RankingRelevance, RankingRRF:
	default:
		return rule("ranking", "must be %s or %s", RankingRelevance, RankingRRF)
	}
	if !(r.MinRelevance >= 0 && r.MinRelevance <= 1) { // NaN is neither
		return rule("min_relevance", "must be from 0 to 1")
	}
	return checkLimit(r.Limit)
}

// needsRead reports whether a request has an option that a store on which the
// caller has level search does not take: a filter, a ranking or an explanation.
func (r *SearchRequest) needsRead() bool {
	return r.Explain || r.Ranking != "" || !r.Filter.Empty()
}

// searchScope returns what the request may search. With an option that a store
// on which the caller has level search does not take, a request that names such
// a store is denied, and one that does not name it leaves it out.
func (s *Service) searchScope(ctx context.Context, tx acl.Facts, c Caller, r SearchRequest) (acl.Scope, error) {
	scope, err := acl.NewScope(ctx, tx, c.Principal, acl.ScopeRequest{Stores: r.Stores, Chat: r.Chat, User: r.User}, s.instant())
	if err != nil {
		return acl.Scope{}, err
	}
	if !r.needsRead() {
		return scope, nil
	}
	searchOnly := func(a acl.Access) bool { return a.Level < acl.Read }
	if len(r.Stores) > 0 && slices.ContainsFunc(scope.Stores(), searchOnly) {
		return acl.Scope{}, acl.ErrDenied
	}
	return scope.Without(searchOnly), nil
}
