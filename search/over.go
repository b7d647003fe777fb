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

// matchFilter finds the entries that pass the filter, if they are few enough to hand to
// the legs.
func (s *Searcher) matchFilter(ctx context.Context, tx memory.ReadTx, q *searchQuery) (err error) {
	ctx, end := s.startStep(ctx, "filter", &q.took.Filter)
	defer end(&err)
	if err := s.leaveOutWords(ctx, tx, q); err != nil {
		return err
	}
	ids, more, err := q.standing().Searchable().Matching(ctx, tx, q.scope, nil, vector.MaxOnly)
	var broken *memory.RuleError
	if errors.As(err, &broken) && q.scope.Len() > 1 {
		ids, more, err = s.matchEach(ctx, tx, q, err)
	}
	if err == nil && !more {
		q.only, q.nothing = ids, len(ids) == 0
	}
	return err
}

// leaveOutWords leaves out of the scope the stores in which a prefix of the filter stands
// for too many words.
func (s *Searcher) leaveOutWords(ctx context.Context, tx memory.ReadTx, q *searchQuery) error {
	now := s.instant()
	tooMany := q.request.Filter.CheckPrefixes(ctx, tx, q.scope, now)
	var broken *memory.RuleError
	if tooMany == nil || !errors.As(tooMany, &broken) {
		return tooMany
	}
	for _, a := range q.scope.Stores() {
		err := q.request.Filter.CheckPrefixes(ctx, tx, ofStore(q.scope, a.Store), now)
		switch {
		case errors.As(err, &broken):
			q.leaveOut(a.Store, SkipWords)
		case err != nil:
			return err
		}
	}
	if q.scope.Empty() {
		return tooMany
	}
	return nil
}

// matchEach is matchFilter store by store, with an equal part of what a call may read for
// each. It leaves out those that need more. tooMuch is the error for all together, and is
// returned if none is left.
func (s *Searcher) matchEach(ctx context.Context, tx memory.ReadTx, q *searchQuery, tooMuch error) (all []uuid.UUID, more bool, err error) {
	part := s.limits.Conditions.Part(q.scope.Len())
	for _, a := range q.scope.Stores() {
		filter := q.standing().Counted(part).Searchable()
		ids, many, err := filter.Matching(ctx, tx, ofStore(q.scope, a.Store), nil, vector.MaxOnly)
		var broken *memory.RuleError
		switch {
		case errors.As(err, &broken):
			q.leaveOut(a.Store, SkipBudget)
		case err != nil:
			return nil, false, err
		}
		all, more = append(all, ids...), more || many
	}
	if q.scope.Empty() {
		return nil, false, tooMuch
	}
	q.request.Filter = q.request.Filter.Counted(s.limits.Conditions)
	return all, more || len(all) > vector.MaxOnly, nil
}

// leaveOut leaves a store out of the search, and says so in its answer.
func (q *searchQuery) leaveOut(store string, why SkipReason) {
	if q.over == nil {
		q.over = make(map[string]bool)
	}
	q.over[store] = true
	q.skipped = append(q.skipped, Skipped{Store: store, Reason: why})
	q.scope = q.bounded(q.scope)
}

// ofStore returns the part of a scope in one store.
func ofStore(scope acl.Scope, store string) acl.Scope {
	return scope.Without(func(a acl.Access) bool { return a.Store != store })
}
