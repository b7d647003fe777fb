package sqlite

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Columns of an entry as sqlcommon.ScanEntry reads them, with the aliases e for entry, s
// for store, o for occurrence (joinOccurrence) and a for author (joinFields, which
// joins both). withoutText selects null for the two wide columns, and the size of
// the value, scanColumns the source if it is asked for; candidateColumns leave out
// the authors too, and formerColumns are those of history.
const (
	narrowColumns = `e.id, s.id, e.label, e.revision, e.version, e.in_context, e.encrypted,
	e.created_at, e.updated_at, e.expires_at, e.deleted_at, e.owner, e.updated_by, e.deleted_by,
	e.namespace, e.key, e.type, e.description, e.tags, `
	withoutText      = narrowColumns + `o.at, o.date, a.type_by, a.description_by, NULL, NULL, coalesce(length(e.value), 0)`
	scanColumns      = narrowColumns + `o.at, o.date, a.type_by, a.description_by, CASE WHEN ?8 THEN e.source END, NULL, coalesce(length(e.value), 0)`
	withText         = narrowColumns + `o.at, o.date, a.type_by, a.description_by, e.source, e.value, 0`
	candidateColumns = narrowColumns + `o.at, o.date, '', '', NULL, NULL, coalesce(length(e.value), 0)`
	formerColumns    = narrowColumns + `e.occurred_at, e.occurred_date, e.type_by, e.description_by, e.source, e.value, 0`
	joinOccurrence   = ` LEFT JOIN occurrence o ON o.doc = e.doc `
	joinFields       = joinOccurrence + `LEFT JOIN author a ON a.doc = e.doc `
)

// labels lists all labels, so that an index on (store, label, …) is searched
// label by label. Queries add a condition that excludes labels above the
// ceiling.
const labels = "(1, 2, 3, 4)"

// entryValues returns an entry's columns from revision on, in the order of
// insertEntry and updateEntry.
func entryValues(e *memory.Entry) ([]any, error) {
	var tags any
	if len(e.Tags) > 0 {
		text, err := json.Marshal(e.Tags)
		if err != nil {
			return nil, err
		}
		tags = string(text)
	}
	return []any{
		e.Revision, e.Version, e.InContext, e.Encrypted, micros(e.CreatedAt), micros(e.UpdatedAt),
		nullMicros(e.ExpiresAt), nullMicros(e.DeletedAt), e.Owner, e.UpdatedBy, e.DeletedBy,
		e.Namespace, e.Key, e.Type, e.Description, tags, nullBytes(e.Source), nullBytes(e.Value),
	}, nil
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func nullMicros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

func fromMicros(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func nullBytes(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// idList returns a JSON array of distinct IDs in hexadecimal. Queries read it
// by json_each and unhex.
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

// textList returns a JSON array of strings.
func textList(texts []string) (string, error) {
	if texts == nil {
		return "[]", nil
	}
	b, err := json.Marshal(texts)
	return string(b), err
}

// scopeList returns a JSON array of stores with their ceilings, each as one number:
// 8·store + ceiling. scopeTable reads it. They are in ascending order, that of rows in
// indexes.
func scopeList(stores []acl.Access) string {
	numbers := make([]int64, len(stores))
	for i, a := range stores {
		numbers[i] = a.Number<<3 | int64(a.Ceiling)
	}
	slices.Sort(numbers)
	return numberList(numbers)
}

// scopeTable begins a query whose first parameter is a scopeList.
//
// SECURITY: every query of a search joins it with both conditions,
// store = scope.store and label <= scope.ceiling, so that rows outside the
// scope are not read at all.
const scopeTable = `WITH scope (store, ceiling) AS MATERIALIZED
	(SELECT value >> 3, value & 7 FROM json_each(?1)) `
