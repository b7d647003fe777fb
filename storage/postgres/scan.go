package postgres

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// One page of a store: entries after the cursor ($3, $4) whose keys are within
// [$5, $6). $6 is null if there is no upper bound. Each label is scanned in
// index order up to the limit, and the results are merged, so that entries above
// the ceiling cost no time.
const (
	scanNamespace = `SELECT ` + withoutText + ` FROM store s CROSS JOIN ` + labels + ` CROSS JOIN LATERAL
	(SELECT * FROM entry x WHERE x.store = s.number AND x.label = l.label AND x.state = 0 AND x.in_context
		AND x.namespace = $3 AND x.key > $4 AND x.key >= $5 AND ($6::text IS NULL OR x.key < $6)
		ORDER BY x.key, x.owner LIMIT $7) e
	WHERE s.id = $1 AND l.label <= $2 ORDER BY e.namespace, e.key, e.label, e.owner LIMIT $7`
	scanStore = `SELECT ` + withoutText + ` FROM store s CROSS JOIN ` + labels + ` CROSS JOIN LATERAL
	(SELECT * FROM entry x WHERE x.store = s.number AND x.label = l.label AND x.state = 0 AND x.in_context
		AND (x.namespace, x.key) > ($3, $4) AND x.key >= $5 AND ($6::text IS NULL OR x.key < $6)
		ORDER BY x.namespace, x.key, x.owner LIMIT $7) e
	WHERE s.id = $1 AND l.label <= $2 ORDER BY e.namespace, e.key, e.label, e.owner LIMIT $7`
)

// Scan implements memory.EntryReader.
func (r *reader) Scan(ctx context.Context, q memory.ScanQuery) ([]memory.Entry, error) {
	query, namespace, after := scanStore, "", ""
	if q.After {
		namespace, after = q.AfterNamespace, q.AfterKey
	}
	if q.Namespace != nil {
		switch {
		case namespace > *q.Namespace: // the cursor is after the namespace
			return nil, nil
		case namespace < *q.Namespace:
			after = ""
		}
		query, namespace = scanNamespace, *q.Namespace
	}
	if q.Limit <= 0 || !storable(q.Store, namespace, after, q.Prefix) {
		return nil, nil
	}
	r.setRLSStore(q.Store)
	// Keys are never empty: all are after "".
	return r.entries(ctx, query, q.Store, int16(min(q.Ceiling, acl.Restricted)), namespace, after, q.Prefix, successor(q.Prefix), q.Limit)
}

// successor returns the smallest string greater than all that start with prefix,
// or nil if there is none. UTF-8 sorts by bytes as it does by code points.
func successor(prefix string) *string {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		if last == utf8.MaxRune {
			continue
		}
		last++
		if last == 0xD800 { // UTF-8 has no surrogates
			last = 0xE000
		}
		next := prefix + string(last)
		return &next
	}
	return nil
}

const (
	trashStore = `SELECT ` + candidateColumns + ` FROM store s JOIN entry e ON e.store = s.number AND e.label = $2
	WHERE s.id = $1 AND e.state = 1 AND ($3 = '' OR e.owner = $3)
	AND (e.deleted_at, e.id) < ($4::timestamptz, $5::uuid)
	ORDER BY e.deleted_at DESC, e.id DESC LIMIT $6`
	trashPath = `SELECT ` + candidateColumns + ` FROM store s JOIN entry e ON e.store = s.number AND e.label = $2
	WHERE s.id = $1 AND e.state = 1 AND ($3 = '' OR e.owner = $3)
	AND (e.deleted_at, e.id) < ($4::timestamptz, $5::uuid) AND e.namespace = $7 AND e.key = $8
	ORDER BY e.deleted_at DESC, e.id DESC LIMIT $6`
)

// farFuture is later than any time of an entry.
var farFuture = time.Date(200_000, 1, 1, 0, 0, 0, 0, time.UTC)

// Trash implements memory.EntryReader.
func (r *reader) Trash(ctx context.Context, q memory.TrashQuery) ([]memory.Entry, error) {
	if q.Limit <= 0 || !storable(q.Store, q.Owner) {
		return nil, nil
	}
	r.setRLSStore(q.Store)
	before, id := farFuture, uuid.Max
	if !q.AfterTime.IsZero() {
		before, id = q.AfterTime, q.AfterID
	}
	args := []any{q.Store, int16(q.Label), q.Owner, before, [16]byte(id), q.Limit}
	var found []memory.Entry
	var err error
	switch {
	case q.Path == nil:
		found, err = r.entries(ctx, trashStore, args...)
	case q.Path.Store == q.Store && storable(q.Path.Namespace, q.Path.Key):
		found, err = r.entries(ctx, trashPath, append(args, q.Path.Namespace, q.Path.Key)...)
	}
	return found, err
}
