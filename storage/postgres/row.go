package postgres

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/memory"
)

// The states of an entry's row.
const (
	live    = 0
	deleted = 1
	swept   = 2 // expired, and hidden until it is purged
)

// Columns of an entry as scanEntry reads them. The row's own alias is e, its
// store's s; the two wide columns come as nulls where they were not asked for.
const (
	narrowColumns = `e.id, s.id, e.label, e.revision, e.version, e.in_context, e.encrypted,
	e.created_at, e.updated_at, e.expires_at, e.deleted_at, e.owner, e.updated_by, e.deleted_by,
	e.namespace, e.key, e.type, e.description, e.tags, `
	withoutText = narrowColumns + `NULL::bytea, NULL::bytea`
	withText    = narrowColumns + `e.source, e.value`
)

// labels lists the labels, so that an index on (store, label, …) is walked
// label by label; a bound beside it keeps to those that may be seen.
const labels = "(VALUES (1::smallint), (2), (3), (4)) l (label)"

// scanEntry reads one row.
func scanEntry(rows pgx.Rows) (e memory.Entry, err error) {
	var label int16
	var expires, deletedAt *time.Time
	var source, value []byte
	err = rows.Scan((*[16]byte)(&e.ID), &e.Store, &label, &e.Revision, &e.Version, &e.InContext, &e.Encrypted,
		&e.CreatedAt, &e.UpdatedAt, &expires, &deletedAt, &e.Owner, &e.UpdatedBy, &e.DeletedBy,
		&e.Namespace, &e.Key, &e.Type, &e.Description, &e.Tags, &source, &value)
	e.Label = acl.Label(label)
	e.CreatedAt, e.UpdatedAt = e.CreatedAt.UTC(), e.UpdatedAt.UTC()
	e.ExpiresAt, e.DeletedAt = instant(expires), instant(deletedAt)
	e.Source, e.Value = source, value
	return e, err
}

// entries runs a query of entry columns and gathers the rows.
func (r *reader) entries(ctx context.Context, query string, args ...any) ([]memory.Entry, error) {
	var found []memory.Entry
	err := r.each(ctx, func(rows pgx.Rows) error {
		e, err := scanEntry(rows)
		found = append(found, e)
		return err
	}, query, args...)
	return found, err
}

// ids runs a query of ids.
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

// entryValues are an entry's columns from in_context on, as writeEntry and
// insertVersion name them.
func entryValues(e *memory.Entry) []any {
	var tags any
	if len(e.Tags) > 0 {
		tags = e.Tags
	}
	return []any{
		e.InContext, e.Encrypted, e.Revision, e.Version, e.CreatedAt, e.UpdatedAt, maybe(e.ExpiresAt), maybe(e.DeletedAt),
		e.Owner, e.UpdatedBy, e.DeletedBy, e.Namespace, e.Key, e.Type, e.Description, tags, []byte(e.Source), []byte(e.Value),
	}
}

// instant is a column's time, zero for null.
func instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// maybe is the column's value of a time: null for zero.
func maybe(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// idList is a parameter of ids, each once.
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

// storable tells whether text can stand in a column: PostgreSQL refuses what
// is not UTF-8 and the character NUL. A question for such a name has no
// answer.
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
// SECURITY: every query of a search joins it and holds both
// store = scope.store and label <= scope.ceiling, so that what is outside the
// scope is not read at all.
const scopeTable = `WITH scope AS MATERIALIZED
	(SELECT * FROM unnest($1::bigint[], $2::smallint[]) s (store, ceiling)) `

// scopeLists are the stores that may hold anything, each with its ceiling.
func scopeLists(stores []acl.Access) (numbers []int64, ceilings []int16) {
	for _, a := range stores {
		numbers, ceilings = append(numbers, a.Number), append(ceilings, int16(a.Ceiling))
	}
	return numbers, ceilings
}
