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

// maxCapped bounds the stores at level search that a request names, and the hits of
// such stores in an answer. The transaction that decides what they show locks each.
const maxCapped = 100

// capped is the part of a search that concerns the stores that it leaves out: a Meter
// bounds what those on which the caller has level search show.
type capped struct {
	admitted map[string]bool // those that are searched
	over     map[string]bool // those that exceed a bound of the filter
	skipped  []Skipped
}

// authorized is a request with what it may search.
type authorized struct {
	request Request
	scope   acl.Scope
	named   []acl.Access // of the stores that the request names
	capped
}

// authorize returns what the caller may search and the Meter admits. Access comes first,
// then the rules of the request, then what offers exist, and caps and prices last.
func (s *Searcher) authorize(ctx context.Context, tx memory.ReadTx, c memory.Caller, r Request) (may authorized, err error) {
	r.Purchase.Named, r.Purchase.Limit = unique(r.Stores), r.Limit
	if r.Purchase.Offer != uuid.Nil {
		if r.needsRead() {
			return may, acl.ErrDenied
		}
		if err := s.checkSearch(r); err != nil {
			return may, err
		}
	}
	may.request = r
	if may.scope, err = s.searchScope(ctx, tx, c, r); err != nil {
		return may, err
	}
	if len(r.Stores) > 0 {
		may.named = may.scope.Stores()
	}
	if err := s.checkSearch(r); err != nil {
		return may, err
	}
	return s.admit(ctx, tx, c, may)
}

// admit leaves out of the scope of a search what the Meter does not admit.
func (s *Searcher) admit(ctx context.Context, tx memory.ReadTx, c memory.Caller, may authorized) (authorized, error) {
	r := &may.request
	if !may.scope.Any(searchOnly) {
		if r.Purchase.Offer != uuid.Nil { // what it sells is level search
			return may, &memory.ConflictError{Reason: "the caller has access to this store"}
		}
		return may, nil
	}
	if r.Purchase.Offer != uuid.Nil {
		r.Stores = []string{may.scope.Stores()[0].Store}
		r.Purchase.Named = r.Stores
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

// bounded returns a scope of a later snapshot without the stores that exceed a bound of
// the filter, and those at level search that the Meter did not admit: it was not asked
// about those that are new.
func (c *capped) bounded(scope acl.Scope) acl.Scope {
	refused := func(a acl.Access) bool { return c.over[a.Store] || searchOnly(a) && !c.admitted[a.Store] }
	if !scope.Any(refused) {
		return scope
	}
	return scope.Without(refused)
}

// unique returns names without repetitions, in their order.
func unique(names []string) []string {
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// offeredTo adds to a request for a scope the store of the offer through which the
// search was asked for.
func (s *Searcher) offeredTo(ctx context.Context, tx memory.ReadTx, c memory.Caller, r Request, request *acl.ScopeRequest) error {
	grant, err := s.meter.Offered(ctx, tx, c, r.Purchase, s.instant())
	if err != nil {
		return err
	}
	request.Stores, request.Offered = []string{grant.Store}, &grant
	return nil
}

// noMeter bounds nothing and sells nothing. Metered stores are not searched.
type noMeter struct{}

func (noMeter) Offered(context.Context, memory.ReadTx, memory.Caller, Purchase, time.Time) (acl.Grant, error) {
	return acl.Grant{}, memory.ErrNotFound
}

func (noMeter) Admit(_ context.Context, _ memory.ReadTx, _ memory.Caller, _ Purchase, stores []acl.Access, _ time.Time) (Admission, error) {
	var admission Admission
	for _, a := range stores {
		if isMetered(a) {
			admission.LeftOut = append(admission.LeftOut, a.Store)
		}
	}
	return admission, nil
}

var errNoMeter = errors.New("there is no meter")

func (noMeter) Open(context.Context, memory.Tx, memory.Caller, Purchase, []acl.Access, []memory.Entry, time.Time) (Sale, error) {
	return nil, errNoMeter
}

func (noMeter) Sold(memory.Caller, Bill) {}
