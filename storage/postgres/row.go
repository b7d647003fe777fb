package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/internal/period"
	"mneme/memory"
)

// The states of an entry's row.
const (
	live    = 0
	deleted = 1
	swept   = 2 // expired, and hidden until it is purged
)

// Columns of an entry or a former version as scanEntry reads them, with the
// aliases e for the row and s for store. withoutText selects null for the two wide
// columns, and the size of the value, for which PostgreSQL does not read it.
// candidateColumns leave out the authors too. A null author is the owner.
const (
	narrowColumns = `e.id, s.id, e.label, e.revision, e.version, e.in_context, e.encrypted,
	e.created_at, e.updated_at, e.expires_at, e.deleted_at, e.owner, e.updated_by, e.deleted_by,
	e.namespace, e.key, e.type, e.description, e.tags, e.occurred_at, e.occurred_date, e.occurred_precision, `
	withoutText      = narrowColumns + `e.type_by, e.description_by, NULL::bytea, NULL::bytea, coalesce(octet_length(e.value), 0)`
	withText         = narrowColumns + `e.type_by, e.description_by, e.source, e.value, 0`
	candidateColumns = narrowColumns + `'', '', NULL::bytea, NULL::bytea, coalesce(octet_length(e.value), 0)`
)

// labels lists all labels, so that an index on (store, label, …) is searched
// label by label. Queries add a condition that excludes labels above the
// ceiling.
const labels = "(VALUES (1::smallint), (2), (3), (4)) l (label)"

// scanEntry reads one row.
func scanEntry(rows pgx.Rows) (e memory.Entry, err error) {
	var label int16
	var expires, deletedAt, occurred *time.Time
	var dated *bool
	var precision *int16
	var typeBy, descriptionBy *string
	var source, value []byte
	err = rows.Scan((*[16]byte)(&e.ID), &e.Store, &label, &e.Revision, &e.Version, &e.InContext, &e.Encrypted,
		&e.CreatedAt, &e.UpdatedAt, &expires, &deletedAt, &e.Owner, &e.UpdatedBy, &e.DeletedBy,
		&e.Namespace, &e.Key, &e.Type, &e.Description, &e.Tags, &occurred, &dated, &precision, &typeBy, &descriptionBy, &source, &value, &e.Size)
	e.Label = acl.Label(label)
	e.CreatedAt, e.UpdatedAt = e.CreatedAt.UTC(), e.UpdatedAt.UTC()
	e.ExpiresAt, e.DeletedAt = timeOrZero(expires), timeOrZero(deletedAt)
	if occurred != nil {
		e.OccurredAt = memory.Moment{Time: occurred.UTC(), Precision: precisionOf(*dated, precision)}
	}
	e.Source, e.Value = source, value
	e.TypeBy, e.DescriptionBy = e.Owner, e.Owner
	if typeBy != nil {
		e.TypeBy = *typeBy
	}
	if descriptionBy != nil {
		e.DescriptionBy = *descriptionBy
	}
	return e, err
}

// precisionOf returns a Moment's precision. Rows have that of months and years alone.
func precisionOf(dated bool, precision *int16) period.Precision {
	switch {
	case precision != nil:
		return period.Precision(*precision)
	case dated:
		return period.Day
	default:
		return period.Time
	}
}

// entries runs a query that returns entry columns.
func (r *reader) entries(ctx context.Context, query string, args ...any) ([]memory.Entry, error) {
	var found []memory.Entry
	err := r.each(ctx, func(rows pgx.Rows) error {
		e, err := scanEntry(rows)
		found = append(found, e)
		return err
	}, query, args...)
	return found, err
}

// ids runs a query that returns IDs.
func (r *reader) ids(ctx context.Context, query string, args ...any) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.each(ctx, func(rows pgx.Rows) error {
		var id uuid.UUID
		err := rows.Scan((*[16]byte)(&id))
		ids = append(ids, id)
		return err
	}, query, args...)
	return ids, err
}

// entryValues returns an entry's columns from in_context on, in the order of
// writeEntry and insertVersion.
func entryValues(e *memory.Entry) []any {
	var tags any
	if len(e.Tags) > 0 {
		tags = e.Tags
	}
	var occurred, dated, precision any
	if m := e.OccurredAt; !m.IsZero() {
		occurred, dated = m.Time, m.Dated()
		if m.Precision > period.Day {
			precision = int16(m.Precision)
		}
	}
	return []any{
		e.InContext, e.Encrypted, e.Revision, e.Version, e.CreatedAt, e.UpdatedAt, nullTime(e.ExpiresAt), nullTime(e.DeletedAt),
		e.Owner, e.UpdatedBy, e.DeletedBy, e.Namespace, e.Key, e.Type, e.Description, tags, []byte(e.Source), []byte(e.Value),
		unlessOwner(e, e.TypeBy), unlessOwner(e, e.DescriptionBy), occurred, dated, precision,
	}
}

// unlessOwner returns the column of an author.
func unlessOwner(e *memory.Entry, author string) any {
	if author == e.Owner {
		return nil
	}
	return author
}

// timeOrZero returns the time of a nullable column, zero for null.
func timeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// nullTime returns the parameter for a nullable column: null for the zero time.
func nullTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// idList returns the distinct IDs as a uuid[] parameter.
func idList(ids []uuid.UUID) [][16]byte {
	list := make([][16]byte, 0, len(ids))
	seen := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	return list
}

// storable reports whether texts can be stored: PostgreSQL rejects invalid UTF-8
// and the character NUL. No stored row matches a text that is not storable.
func storable(texts ...string) bool {
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			return false
		}
	}
	return true
}

// scopeTable begins a query whose first two parameters are a scope's numbers
// and ceilings (scopeLists).
//
// SECURITY: every query of a search joins it with both conditions,
// store = scope.store and label <= scope.ceiling, so that rows outside the
// scope are not read at all. Queries of single rows have withinScope instead.
const scopeTable = `WITH scope AS MATERIALIZED
	(SELECT * FROM unnest($1::bigint[], $2::smallint[]) s (store, ceiling)) `

const (
	// ceilingInScope is the ceiling of row f's store in a scope, which is given by the
	// first two parameters (scopeLists): null if it is not in it. It is a binary search;
	// a join would read the whole scope for each row.
	ceilingInScope = `CASE WHEN ($1::bigint[])[width_bucket(f.store, $1::bigint[])] = f.store
			THEN ($2::smallint[])[width_bucket(f.store, $1::bigint[])] END`
	// withinScope is the condition that row f is within the scope.
	withinScope = `f.label <= ` + ceilingInScope
)

// scopeLists returns the numbers of stores, in ascending order, and their ceilings.
func scopeLists(stores []acl.Access) (numbers []int64, ceilings []int16) {
	stores = slices.Clone(stores)
	slices.SortFunc(stores, func(a, b acl.Access) int { return cmp.Compare(a.Number, b.Number) })
	for _, a := range stores {
		numbers, ceilings = append(numbers, a.Number), append(ceilings, int16(a.Ceiling))
	}
	return numbers, ceilings
}
