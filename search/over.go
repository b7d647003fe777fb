package search

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/vector"
)

// A store that others fill must not decide what a search of the rest finds: one in which a
// prefix stands for too many words, or whose values cost more to judge than a call may read,
// is left out and named. Where none would be left the request is refused.

// passing is what a filter leaves of a search.
type passing struct {
	filter  memory.Filter // with what is left of what it may read
	scope   acl.Scope     // without the stores that are left out
	only    []uuid.UUID   // the entries that pass; nil: too many to hand to the legs
	nothing bool          // none passes
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
	standing := standing(q.request.Filter, q.asOf)
	ids, more, err := standing.Searchable().Matching(ctx, tx, found.scope, nil, vector.MaxOnly)
	var broken *memory.RuleError
	if errors.As(err, &broken) && found.scope.Len() > 1 {
		ids, more, err = s.matchEach(ctx, tx, standing, &found, err)
	}
	if err == nil && !more {
		found.only, found.nothing = ids, len(ids) == 0
	}
	return found, err
}

// leaveOutWords leaves out of the scope the stores in which a prefix of the filter stands
// for too many words.
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

// matchEach is matchFilter store by store, with an equal part of what a call may read for
// each. It leaves out those that need more. tooMuch is the error for all together, and is
// returned if none is left.
func (s *Searcher) matchEach(ctx context.Context, tx memory.ReadTx, standing memory.Filter, found *passing, tooMuch error) (all []uuid.UUID, more bool, err error) {
	part := s.limits.Conditions.Part(found.scope.Len())
	for _, a := range found.scope.Stores() {
		filter := standing.Counted(part).Searchable()
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

// leaveOut leaves a store out of the search, and says so in its answer.
func (p *passing) leaveOut(store string, why SkipReason) {
	if p.over == nil {
		p.over = make(map[string]bool)
	}
	p.over[store] = true
	p.skipped = append(p.skipped, Skipped{Store: store, Reason: why})
	p.scope = p.bounded(p.scope)
}

// ofStore returns the part of a scope in one store.
func ofStore(scope acl.Scope, store string) acl.Scope {
	return scope.Without(func(a acl.Access) bool { return a.Store != store })
}
