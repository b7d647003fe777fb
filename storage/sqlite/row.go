package sqlite

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// Parts of composed texts.
var (
	joinOccurrence = texts.Fill(" {entry.occurrence} ")
	// scopeTable begins a query with the table of the scope's stores and ceilings. SECURITY:
	// every query of a search begins with it, and joins its rows with that table.
	scopeTable = texts.Fill("{scope.table} ")
)

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func nullBytes(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// idList returns a JSON array of distinct IDs in hexadecimal. Queries read it with json_each
// and unhex.
func idList(ids []uuid.UUID) string {
	var b strings.Builder
	b.WriteByte('[')
	seen := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for _, x := range id {
			const digits = "0123456789abcdef"
			b.WriteByte(digits[x>>4])
			b.WriteByte(digits[x&15])
		}
		b.WriteByte('"')
	}
	b.WriteByte(']')
	return b.String()
}

// numberList returns a JSON array of numbers.
func numberList(numbers []int64) string {
	b := make([]byte, 0, 8*len(numbers)+2)
	b = append(b, '[')
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}

// scopeList returns a JSON array of stores with their ceilings, each as one number: 8·store +
// ceiling. scopeTable reads it. The numbers are in ascending order, the order of rows in
// indexes.
func scopeList(stores []acl.Access) string {
	numbers := make([]int64, len(stores))
	for i, a := range stores {
		numbers[i] = a.Number<<3 | int64(a.Ceiling)
	}
	slices.Sort(numbers)
	return numberList(numbers)
}
