package search

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// maxCapped bounds the stores at level search that a request may name, and the hits of such
// stores in an answer: the transaction of a sale locks each of these stores.
const maxCapped = 100

// capped holds the decisions that leave stores out of a search: for reading more than its filter
// may, or by the Meter.
type capped struct {
	admitted map[string]bool // the stores at level search; true: the Meter admits the search
	over     map[string]bool // stores that exceed a bound of the filter
	skipped  []Skipped
}

// authorized is a request with the scope that it may search.
type authorized struct {
	request Request
	scope   acl.Scope
	named   []acl.Access // the caller's access to the stores that the request names
	capped
}

// authorize returns the scope that the caller may search and the Meter admits. It checks
// access first, then the rules of the request, then whether the offer exists, and caps and
// prices last.
func (s *Searcher) authorize(ctx context.Context, tx memory.ReadTx, c memory.Caller, r Request) (may authorized, err error) {
	r.Purchase.Named, r.Purchase.Limit = unique(r.Stores), r.Limit
	if r.Purchase.Offer != uuid.Nil {
		return s.authorizeOffer(ctx, tx, c, r)
	}
	may.request = r
	if may.scope, err = s.searchScope(ctx, tx, c, r); err != nil {
		return may, err
	}
	if len(r.Stores) > 0 {
		may.named = may.scope.Stores()
	}
	if err := s.checkSearch(r); err != nil || !may.scope.Any(searchOnly) {
		return may, err
	}
	stores := soldIn(may.scope)
	if len(r.Stores) > 0 && len(stores) > maxCapped {
		return may, rule("stores", "must name at most %d stores on which the caller has level search", maxCapped)
	}
	admission, err := s.meter.Admit(ctx, tx, c, r.Purchase, stores, s.instant())
	if err != nil {
		return may, err
	}
	may.admitted = make(map[string]bool, len(stores))
	for _, a := range stores {
		may.admitted[a.Store] = !slices.Contains(admission.LeftOut, a.Store)
	}
	may.skipped = admission.Skipped
	may.scope = may.bounded(may.scope)
	return may, nil
}

// authorizeOffer is authorize for a search of an offer, which searches only the offer's store.
func (s *Searcher) authorizeOffer(ctx context.Context, tx memory.ReadTx, c memory.Caller, r Request) (may authorized, err error) {
	if r.needsRead() {
		return may, acl.ErrDenied
	}
	if err := s.checkSearch(r); err != nil {
		return may, err
	}
	admission, err := s.meter.Admit(ctx, tx, c, r.Purchase, nil, s.instant())
	if err != nil {
		return may, err
	}
	r.Stores = []string{admission.Grant.Store}
	r.Purchase.Named, r.Purchase.Grant = r.Stores, admission.Grant
	may.request, may.admitted = r, map[string]bool{admission.Grant.Store: true}
	if may.scope, err = s.searchScope(ctx, tx, c, r); err != nil {
		return may, err
	}
	may.named = may.scope.Stores()
	return may, nil
}

// bounded returns scope, which a later snapshot has read, without the stores that exceed a bound
// of the filter and without those at level search that the Meter did not admit. The latter
// include stores that the first snapshot did not have.
func (c *capped) bounded(scope acl.Scope) acl.Scope {
	refused := func(a acl.Access) bool { return c.over[a.Store] || searchOnly(a) && !c.admitted[a.Store] }
	if !scope.Any(refused) {
		return scope
	}
	return scope.Without(refused)
}

// unique returns names without duplicates, in their order.
func unique(names []string) []string {
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// noMeter is a Meter that sets no bounds and sells nothing. It leaves out metered stores.
type noMeter struct{}

func (noMeter) Admit(_ context.Context, _ memory.ReadTx, _ memory.Caller, p Purchase, stores []acl.Access, _ time.Time) (admission Admission, err error) {
	if p.Offer != uuid.Nil && !p.Repeated {
		return admission, memory.ErrNotFound
	}
	for _, a := range stores {
		if isMetered(a) {
			admission.LeftOut = append(admission.LeftOut, a.Store)
		}
	}
	return admission, nil
}

func (noMeter) Sell(context.Context, memory.Tx, memory.Caller, Purchase, Offering, time.Time) (Sale, error) {
	return Sale{}, errors.New("there is no meter")
}
