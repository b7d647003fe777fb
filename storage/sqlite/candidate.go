package sqlite

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// ceilings are the stores of a scope, by number. For a few candidates, looking up their stores
// here is faster than a join with scopeTable, which is searched store by store.
type ceilings map[int64]acl.Access

func ceilingsOf(scope acl.Scope) ceilings {
	c := make(ceilings)
	for _, a := range scope.Indexed() {
		c[a.Number] = a
	}
	return c
}

// contain reports whether a row of a store with a label is within the scope.
//
// SECURITY: a store outside the scope has ceiling 0, to which no label flows.
func (c ceilings) contain(store int64, label acl.Label) bool {
	return label.CanFlowTo(c[store].Ceiling)
}

// common returns the ceiling of all stores, or 0 if they differ.
func (c ceilings) common() (ceiling acl.Label) {
	for _, a := range c {
		if ceiling != 0 && a.Ceiling != ceiling {
			return 0
		}
		ceiling = a.Ceiling
	}
	return ceiling
}

// Siblings implements memory.PathReader.
//
// Most candidates of a search are the only entry at their path. So one statement reads the
// candidates' rows, and whether there are other rows at their paths. A second statement reads
// the other rows.
//
// SECURITY: the first statement looks for other rows only at labels within the scope, so that
// rows above it make no read longer. If ceilings differ, it does not look.
func (r *reader) Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]memory.Entry, error) {
	within := ceilingsOf(scope)
	if len(ids) == 0 || len(within) == 0 {
		return nil, nil
	}
	var found []memory.Entry
	seen := make(map[int64]bool, len(ids))
	var crowded [acl.Restricted + 1][]int64 // docIDs at whose paths there may be other rows, by ceiling
	ceiling, scan := within.common(), scanCandidates()
	err := r.Each(ctx, func(row sqlcommon.Row) error {
		c, err := scan(row)
		if err != nil || !within.contain(c.store, c.entry.Label) {
			return err
		}
		if c.others || ceiling == 0 {
			crowded[within[c.store].Ceiling] = append(crowded[within[c.store].Ceiling], c.doc)
		}
		if c.live && c.entry.InContext {
			seen[c.doc] = true
			c.entry.Store = within[c.store].Store
			found = append(found, c.entry)
		}
		return nil
	}, "entry.found", ids, ceiling)
	for ceiling, docs := range crowded {
		if err != nil || len(docs) == 0 {
			continue
		}
		err = r.Each(ctx, func(row sqlcommon.Row) error {
			c, err := scan(row)
			if err == nil && !seen[c.doc] {
				seen[c.doc] = true
				c.entry.Store = within[c.store].Store
				found = append(found, c.entry)
			}
			return err
		}, "entry.siblings", docs, ceiling)
	}
	return found, err
}

// candidate is the row of a search's candidate. Its entry lacks the store's ID.
type candidate struct {
	doc, store   int64
	entry        memory.Entry
	live, others bool
}

// scanCandidates returns a function that reads a row of {entry.found} and whether there are
// others at its path.
func scanCandidates() func(sqlcommon.Row) (candidate, error) {
	var c candidate
	var state int
	scan := sqlcommon.ScanCandidates(&c.doc, &c.store, &state, &c.others)
	return func(row sqlcommon.Row) (_ candidate, err error) {
		c.entry, err = scan(row)
		c.live = state == sqlcommon.Live
		return c, err
	}
}
