package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/period"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// ceilings are the stores of a scope, by number. For a few candidates they are faster
// than a join with scopeTable, which is searched store by store.
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

// common returns the ceiling that all stores have; 0 if they differ.
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
// Most candidates of a search are alone at their path. So their rows are read with whether
// there are others at it, and these in a second statement.
//
// SECURITY: whether a path has other rows is asked for labels within the scope alone,
// so that those above it make no read longer. Where ceilings differ it is not asked.
func (r *reader) Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]memory.Entry, error) {
	within := ceilingsOf(scope)
	if len(ids) == 0 || len(within) == 0 {
		return nil, nil
	}
	var found []memory.Entry
	seen := make(map[int64]bool, len(ids))
	var crowded [acl.Restricted + 1][]int64 // docIDs at whose paths there may be other rows, by ceiling
	ceiling := within.common()
	err := r.each(ctx, func(rows *sql.Rows) error {
		c, err := scanCandidate(rows)
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
	}, "entry.found", idList(ids), ceiling)
	for ceiling, docs := range crowded {
		if err != nil || len(docs) == 0 {
			continue
		}
		err = r.each(ctx, func(rows *sql.Rows) error {
			c, err := scanCandidate(rows)
			if err == nil && !seen[c.doc] {
				seen[c.doc] = true
				c.entry.Store = within[c.store].Store
				found = append(found, c.entry)
			}
			return err
		}, "entry.siblings", numberList(docs), ceiling)
	}
	return found, err
}

// candidate is a row of a search's candidate. Its entry lacks the store's ID.
type candidate struct {
	doc, store   int64
	entry        memory.Entry
	live, others bool
}

// scanCandidate reads numbers as int64, which is what the driver returns: a search
// reads hundreds of rows, and database/sql would format and parse each number.
func scanCandidate(rows *sql.Rows) (candidate, error) {
	var c candidate
	e := &c.entry
	var id, tags sql.RawBytes
	var label, revision, version, inContext, encrypted, created, updated, size, state, others int64
	var expires, occurred, precision any
	err := rows.Scan(&c.doc, &id, &c.store, &label, &revision, &version, &inContext, &encrypted, &created, &updated, &expires,
		&e.Owner, &e.UpdatedBy, &e.Namespace, &e.Key, &e.Type, &e.Description, &tags, &occurred, &precision, &size, &state, &others)
	if err != nil {
		return c, err
	}
	if e.ID, err = uuid.FromBytes(id); err != nil {
		return c, err
	}
	e.Label, e.Revision, e.Version, e.Size = acl.Label(label), revision, int(version), int(size)
	e.InContext, e.Encrypted, c.live, c.others = inContext != 0, encrypted != 0, state == sqlcommon.Live, others != 0
	e.CreatedAt, e.UpdatedAt = fromMicros(created), fromMicros(updated)
	if at, ok := expires.(int64); ok {
		e.ExpiresAt = fromMicros(at)
	}
	if at, ok := occurred.(int64); ok {
		precision, _ := precision.(int64)
		e.OccurredAt = memory.Moment{Time: fromMicros(at), Precision: period.Precision(precision)}
	}
	if len(tags) > 0 {
		err = json.Unmarshal(tags, &e.Tags)
	}
	return c, err
}
