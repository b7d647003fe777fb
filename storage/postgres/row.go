package postgres

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/period"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// Columns of an entry or a former version as sqlcommon.ScanEntry reads them, with the
// aliases e for the row and s for store. withoutText selects null for the two wide
// columns, and the size of the value, for which PostgreSQL does not read it; scanColumns
// the source if it is asked for. candidateColumns leave out the authors too. Rows have
// the precision of months and years alone; of others they have whether they are dated.
const (
	narrowColumns = `e.id, s.id, e.label, e.revision, e.version, e.in_context, e.encrypted,
	e.created_at, e.updated_at, e.expires_at, e.deleted_at, e.owner, e.updated_by, e.deleted_by,
	e.namespace, e.key, e.type, e.description, e.tags, e.occurred_at, coalesce(e.occurred_precision, e.occurred_date::integer), `
	withoutText      = narrowColumns + `e.type_by, e.description_by, NULL::bytea, NULL::bytea, coalesce(octet_length(e.value), 0)`
	scanColumns      = narrowColumns + `e.type_by, e.description_by, CASE WHEN $8 THEN e.source END, NULL::bytea, coalesce(octet_length(e.value), 0)`
	withText         = narrowColumns + `e.type_by, e.description_by, e.source, e.value, 0`
	candidateColumns = narrowColumns + `'', '', NULL::bytea, NULL::bytea, coalesce(octet_length(e.value), 0)`
)

// labels lists all labels, so that an index on (store, label, …) is searched
// label by label. Queries add a condition that excludes labels above the
// ceiling.
const labels = "(VALUES (1::smallint), (2), (3), (4)) l (label)"

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
		sqlcommon.UnlessOwner(e, e.TypeBy), sqlcommon.UnlessOwner(e, e.DescriptionBy), occurred, dated, precision,
	}
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
	// onlyStore is the store of a scope that has one.
	onlyStore = `($1::bigint[])[1]`
)

// isLive is state = 0 for statements that find entries by ID and name the store only so
// that one partition is read. The partial indexes of live rows begin with the store: with
// state = 0 and stale statistics, the planner would read all rows of the store by one.
const isLive = `state < 1`

// scoped is a statement that finds rows f by ID within a scope. In a scope of one store
// it names the store, so that it looks into one partition; otherwise it looks for the
// IDs in all of them.
type scoped struct{ inOne, inSeveral string }

// byScope returns a statement with the condition withinScope. Rows x and f that it joins by
// their store are those of the only one, too: choosing a partition for each row takes
// longer than reading it.
func byScope(text string) scoped {
	one := strings.NewReplacer(withinScope, withinScope+` AND f.store = `+onlyStore,
		`x.store = e.store`, `x.store = `+onlyStore, `f.store = p.store`, `f.store = `+onlyStore)
	return scoped{one.Replace(text), text}
}

// in returns the text for a scope.
func (s scoped) in(stores []acl.Access) string {
	if len(stores) == 1 {
		return s.inOne
	}
	return s.inSeveral
}

// scopeLists returns the numbers of stores, in ascending order, and their ceilings.
func scopeLists(stores []acl.Access) (numbers []int64, ceilings []int16) {
	stores = slices.Clone(stores)
	slices.SortFunc(stores, func(a, b acl.Access) int { return cmp.Compare(a.Number, b.Number) })
	for _, a := range stores {
		numbers, ceilings = append(numbers, a.Number), append(ceilings, int16(a.Ceiling))
	}
	return numbers, ceilings
}
