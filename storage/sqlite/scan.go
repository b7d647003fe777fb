package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// One page of a store's entries at one label, in index order: entries after the
// cursor (?3, ?4) whose keys are within [?5, ?6), those with the prefix ?5. ?6
// is null if there is no upper bound.
const (
	scanNamespace = `SELECT ` + withoutText + ` FROM store s
	CROSS JOIN entry e INDEXED BY entry_live ON e.store = s.number AND e.label = ?2 AND e.namespace = ?3` + joinFields + `
	WHERE s.id = ?1 AND e.state = 0 AND e.in_context AND e.key > ?4 AND e.key >= ?5 AND (?6 IS NULL OR e.key < ?6)
	ORDER BY e.key, e.owner LIMIT ?7`
	scanStore = `SELECT ` + withoutText + ` FROM store s
	CROSS JOIN entry e INDEXED BY entry_live ON e.store = s.number AND e.label = ?2` + joinFields + `
	WHERE s.id = ?1 AND e.state = 0 AND e.in_context AND (e.namespace, e.key) > (?3, ?4)
	AND e.key >= ?5 AND (?6 IS NULL OR e.key < ?6)
	ORDER BY e.namespace, e.key, e.owner LIMIT ?7`
)

// Scan implements memory.EntryReader. Each label is scanned separately and the
// results are merged, so that entries above the ceiling cost no time.
func (r *reader) Scan(ctx context.Context, q memory.ScanQuery) ([]memory.Entry, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	query, namespace, after := scanStore, "", ""
	if q.After {
		namespace, after = q.AfterNamespace, q.AfterKey
	}
	if q.Namespace != nil {
		switch strings.Compare(namespace, *q.Namespace) {
		case 1: // the cursor is after the namespace
			return nil, nil
		case -1:
			after = ""
		}
		query, namespace = scanNamespace, *q.Namespace
	}
	var found []memory.Entry
	for label := acl.Public; label <= min(q.Ceiling, acl.Restricted); label++ {
		// Keys are never empty: all are after "".
		entries, err := r.entries(ctx, query, q.Store, label, namespace, after, q.Prefix, successor(q.Prefix), q.Limit)
		if err != nil {
			return nil, err
		}
		found = append(found, entries...)
	}
	slices.SortFunc(found, func(a, b memory.Entry) int {
		if c := a.Path.Compare(b.Path); c != 0 {
			return c
		}
		if c := int(a.Label) - int(b.Label); c != 0 {
			return c
		}
		return strings.Compare(a.Owner, b.Owner)
	})
	return found[:min(q.Limit, len(found))], nil
}

// successor returns the smallest string greater than all that start with prefix,
// or nil if there is none. It may be invalid UTF-8: SQLite compares bytes.
func successor(prefix string) any {
	for n := len(prefix); n > 0; n-- {
		if c := prefix[n-1]; c < 0xff {
			return prefix[:n-1] + string([]byte{c + 1})
		}
	}
	return nil
}

const (
	trashStore = `SELECT ` + candidateColumns + ` FROM store s
	CROSS JOIN entry e INDEXED BY entry_trash ON e.store = s.number AND e.label = ?2` + joinOccurrence + `
	WHERE s.id = ?1 AND e.state = 1 AND (?3 = '' OR e.owner = ?3)
	AND (e.deleted_at, e.id) < (?4, ?5)
	ORDER BY e.deleted_at DESC, e.id DESC LIMIT ?6`
	trashPath = `SELECT ` + candidateColumns + ` FROM store s
	CROSS JOIN entry e INDEXED BY entry_trash_path ON e.store = s.number AND e.label = ?2 AND e.namespace = ?7 AND e.key = ?8` + joinOccurrence + `
	WHERE s.id = ?1 AND e.state = 1 AND (?3 = '' OR e.owner = ?3)
	AND (e.deleted_at, e.id) < (?4, ?5)
	ORDER BY e.deleted_at DESC, e.id DESC LIMIT ?6`
)

// Trash implements memory.EntryReader.
func (r *reader) Trash(ctx context.Context, q memory.TrashQuery) ([]memory.Entry, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	before, id := any(int64(1<<62)), uuid.Max
	if !q.AfterTime.IsZero() {
		before, id = micros(q.AfterTime), q.AfterID
	}
	args := []any{q.Store, q.Label, q.Owner, before, id[:], q.Limit}
	if q.Path == nil {
		return r.entries(ctx, trashStore, args...)
	}
	if q.Path.Store != q.Store {
		return nil, nil
	}
	return r.entries(ctx, trashPath, append(args, q.Path.Namespace, q.Path.Key)...)
}
