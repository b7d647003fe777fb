package search

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/fusion"
	"mneme/memory"
)

// The stores of a search are of two kinds: those that the caller may read, and those on
// which it has level search. Each kind is a part of the question: the same steps search
// both, but with different limits. Only this file, scope.go and admit.go decide which kind a
// store is; all other steps use the limits. See TestLevelsAreUsedInThreeFiles.

// limits are the rules of a search for the stores of one kind.
type limits struct {
	// depth bounds the candidates of each store, and hits its hits in one answer. 0: no
	// bound.
	depth, hits int
	// sold says that a Meter decides which hits are shown and what they cost: see sell. Before
	// it has decided, candidates from these stores do not affect other hits.
	sold bool
	// whole says that a hit shows all of its entry, all digits of its scores, and the
	// positions of its passages in the text: see show.
	whole bool
	// times says that the time of an entry and the time of its last change may affect its
	// rank.
	times bool
	// paged says that a cursor holds the candidates that no page has shown.
	paged bool
	// sent says that texts may be sent to a Reranker, which may be an external service.
	sent bool
	// gaps says that an answer may report that hits are missing, or that entries wait for
	// their vectors.
	gaps bool
}

var (
	readLimits = &limits{whole: true, times: true, paged: true, sent: true, gaps: true}
	// SECURITY: a store at level search shows only its hits, and its entries do not crowd
	// out the caller's own.
	searchLimits = &limits{depth: 30, hits: 10, sold: true}
)

// limitsOf returns the limits of a store.
func limitsOf(a acl.Access) *limits {
	if searchOnly(a) {
		return searchLimits
	}
	return readLimits
}

// searchOnly reports whether the caller has level search on a store.
func searchOnly(a acl.Access) bool { return a.Level < acl.Read }

func readable(a acl.Access) bool { return !searchOnly(a) }

// mayWrite reports whether the caller may write to a store.
func mayWrite(a acl.Access) bool { return a.Level == acl.ReadWrite }

// isMetered reports whether the caller's grant of a store is metered by an offer.
func isMetered(a acl.Access) bool { return a.Offer != "" }

// storeAccess is the caller's access to a store, with the limits that follow from it.
type storeAccess struct {
	acl.Access
	*limits
}

// accessIn returns the access to a store of a scope; ok is false if the scope lacks the store.
func accessIn(scope acl.Scope, store string) (access *storeAccess, ok bool) {
	a, ok := scope.Access(store)
	return &storeAccess{a, limitsOf(a)}, ok
}

// readAccess returns the caller's access to a store, or acl.ErrDenied if the caller may not
// read it.
func readAccess(ctx context.Context, tx memory.ReadTx, c memory.Caller, store string, now time.Time) (acl.Access, error) {
	a, err := acl.Decide(ctx, tx, c.Principal, store, now)
	if err != nil {
		return acl.Access{}, err
	}
	return a, a.Require(acl.Read)
}

// withGaps returns the stores of a scope for which an answer may report missing hits.
//
// SECURITY: a report that entries of a store at level search lag would reveal that something
// was written there.
func withGaps(scope acl.Scope) acl.Scope { return scope.Without(searchOnly) }

// soldIn returns the stores of a scope whose hits a Meter decides on.
func soldIn(scope acl.Scope) (stores []acl.Access) {
	for _, a := range scope.Stores() {
		if searchOnly(a) {
			stores = append(stores, a)
		}
	}
	return stores
}

// relevance rounds a relevance to the digits that a hit shows.
func (l *limits) relevance(exact float64) float64 {
	if l.whole {
		return exact
	}
	return fusion.RoundRelevance(exact)
}

// show sets the fields of a hit that the caller may see, from h.whole and the ranking.
//
// SECURITY: no other function decides this. A hit of a store at level search shows store,
// key, label and value, and its relevance with two digits in place of its score.
func (a *storeAccess) show(h *Hit) {
	e := h.whole
	if h.Level = a.Level; a.limits.whole {
		e.Source = nil // its ids are not checked against what the caller may read: see Get
		h.Entry = e
		return
	}
	h.Relevance = a.relevance(h.Relevance)
	h.Score = h.Relevance
	h.Entry = memory.Entry{Path: memory.Path{Store: e.Store, Key: e.Key}, Label: e.Label, Value: e.Value, Size: e.Size}
}

// storeCounts count candidates or hits by store.
type storeCounts map[string]int

// add counts one for a store and returns true, unless the count is most: then it returns
// false. If most is 0, there is no bound.
func (n storeCounts) add(store string, most int) bool {
	if most == 0 {
		return true
	}
	if n[store] == most {
		return false
	}
	n[store]++
	return true
}
