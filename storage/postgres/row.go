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

// scopeTable begins a query with the table of the scope's stores and ceilings. SECURITY: every
// query of a search begins with it, and joins its rows with that table. Statements that find
// rows by ID use {scope.is_within} instead.
var scopeTable = texts.Fill("{scope.table} ")

// entryValues returns the arguments for the columns of {entry.kept}.
func entryValues(e *memory.Entry) []any {
	var occurred, dated, precision any
	if m := e.OccurredAt; !m.IsZero() {
		occurred, dated = m.Time, m.Dated()
		if m.Precision > period.Day {
			precision = int16(m.Precision)
		}
	}
	own := []any{sqlcommon.UnlessOwner(e, e.TypeBy), sqlcommon.UnlessOwner(e, e.DescriptionBy), occurred, dated, precision}
	return append(own, sqlcommon.EntryValues(e)...)
}

// timeOrZero returns the time of a nullable column, zero for null.
func timeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
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

// storable reports whether texts can be stored: PostgreSQL rejects invalid UTF-8 and the
// character NUL. No stored row matches a text that is not storable.
func storable(texts ...string) bool {
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			return false
		}
	}
	return true
}

// scoped holds the names of a statement that finds rows by ID within a scope. For a scope of
// one store, it reads one partition; otherwise it looks up the IDs in all partitions.
type scoped struct{ inOne, inSeveral string }

// in returns the name for a scope.
func (s scoped) in(stores []acl.Access) string { return s.of(len(stores)) }

// of returns the name for a scope with a number of stores.
func (s scoped) of(stores int) string {
	if stores == 1 {
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
