package search

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/vector"
)

// A store that others fill must not decide what a search finds in the other stores. So a search
// leaves out, and names in the answer, a store in which a prefix stands for too many words, or
// whose values the filter could not read within what a call may read. If no store is left, the
// search refuses the request.

// passing is the part of a search that passes its filter.
type passing struct {
	filter  memory.Filter // with the remaining read limits
	scope   acl.Scope     // without the stores that are left out
	only    []uuid.UUID   // the entries that pass; nil: too many to hand to the legs
	nothing bool          // no entry passes
	capped
}

// matchFilter finds the entries that pass the filter, if they are few enough to hand to
// the legs.
func (s *Searcher) matchFilter(ctx context.Context, tx memory.ReadTx, q *searchQuery) (found passing, err error) {
	ctx, end := s.startStep(ctx, "filter", &tookOf(ctx).Filter)
	defer end(&err)
	found = passing{filter: q.request.Filter, scope: q.scope, capped: q.capped}
	if err := s.leaveOutWords(ctx, tx, &found); err != nil {
		return found, err
	}
	filter := unchangedSince(q.request.Filter, q.asOf)
	ids, more, err := filter.Searchable().Matching(ctx, tx, found.scope, nil, vector.MaxOnly)
	var broken *memory.RuleError
	if errors.As(err, &broken) && found.scope.Len() > 1 {
		ids, more, err = s.matchEach(ctx, tx, filter, &found, err)
	}
	if err == nil && !more {
		found.only, found.nothing = ids, len(ids) == 0
	}
	return found, err
}

// leaveOutWords removes from the scope the stores in which a prefix of the filter stands for
// too many words.
func (s *Searcher) leaveOutWords(ctx context.Context, tx memory.ReadTx, found *passing) error {
	now := s.instant()
	tooMany := found.filter.CheckPrefixes(ctx, tx, found.scope, now)
	var broken *memory.RuleError
	if tooMany == nil || !errors.As(tooMany, &broken) {
		return tooMany
	}
	for _, a := range found.scope.Stores() {
		err := found.filter.CheckPrefixes(ctx, tx, ofStore(found.scope, a.Store), now)
		switch {
		case errors.As(err, &broken):
			found.leaveOut(a.Store, SkipWords)
		case err != nil:
			return err
		}
	}
	if found.scope.Empty() {
		return tooMany
	}
	return nil
}

// matchEach does the work of matchFilter store by store: in each store it may read an equal part
// of what a call may read, and it leaves out the stores that need more. If none is left, it
// returns tooMuch, the error for all stores together.
func (s *Searcher) matchEach(ctx context.Context, tx memory.ReadTx, whole memory.Filter, found *passing, tooMuch error) (all []uuid.UUID, more bool, err error) {
	part := s.limits.Conditions.Part(found.scope.Len())
	for _, a := range found.scope.Stores() {
		filter := whole.Counted(part).Searchable()
		ids, many, err := filter.Matching(ctx, tx, ofStore(found.scope, a.Store), nil, vector.MaxOnly)
		var broken *memory.RuleError
		switch {
		case errors.As(err, &broken):
			found.leaveOut(a.Store, SkipBudget)
		case err != nil:
			return nil, false, err
		}
		all, more = append(all, ids...), more || many
	}
	if found.scope.Empty() {
		return nil, false, tooMuch
	}
	found.filter = found.filter.Counted(s.limits.Conditions)
	return all, more || len(all) > vector.MaxOnly, nil
}

// leaveOut removes a store from the search and names it in the answer.
func (p *passing) leaveOut(store string, why SkipReason) {
	if p.over == nil {
		p.over = make(map[string]bool)
	}
	p.over[store] = true
	p.skipped = append(p.skipped, Skipped{Store: store, Reason: why})
	p.scope = p.bounded(p.scope)
}

// ofStore returns the scope restricted to one store.
func ofStore(scope acl.Scope, store string) acl.Scope {
	return scope.Without(func(a acl.Access) bool { return a.Store != store })
}
