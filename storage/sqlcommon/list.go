package sqlcommon

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/memory"
)

// Scan implements memory.EntryReader. It scans each label in index order up to the limit, and
// merges the results, so that entries above the ceiling cost no time.
func (r Reads) Scan(ctx context.Context, q memory.ScanQuery) ([]memory.Entry, error) {
	text, namespace, after := "entry.scan_store", "", "" // keys are never empty: all are after ""
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
		text, namespace = "entry.scan_namespace", *q.Namespace
	}
	if q.Limit <= 0 {
		return nil, nil
	}
	if err := r.r.InStore(ctx, q.Store); err != nil {
		return nil, err
	}
	var found []memory.Entry
	for _, label := range r.d.levels(q.Ceiling) {
		entries, err := List(ctx, r.r, ScanEntries(), text, q.Store, label, namespace, after, q.Prefix, r.d.Successor(q.Prefix), q.Limit, q.Sources)
		if err != nil {
			return nil, err
		}
		found = append(found, entries...)
	}
	if !r.d.Lateral {
		slices.SortFunc(found, func(a, b memory.Entry) int {
			return cmp.Or(a.Path.Compare(b.Path), cmp.Compare(a.Label, b.Label), strings.Compare(a.Owner, b.Owner))
		})
	}
	return found[:min(q.Limit, len(found))], nil
}

// Trash implements memory.EntryReader.
func (r Reads) Trash(ctx context.Context, q memory.TrashQuery) ([]memory.Entry, error) {
	if q.Limit <= 0 || q.Path != nil && q.Path.Store != q.Store {
		return nil, nil
	}
	if err := r.r.InStore(ctx, q.Store); err != nil {
		return nil, err
	}
	before, id := FarFuture, uuid.Max
	if !q.AfterTime.IsZero() {
		before, id = q.AfterTime, q.AfterID
	}
	args := []any{q.Store, q.Label, q.Owner, before, id, q.Limit}
	switch {
	case q.Path != nil:
		return List(ctx, r.r, ScanCandidates(), "entry.trash_path", append(args, q.Path.Namespace, q.Path.Key)...)
	case q.Owner != "":
		return List(ctx, r.r, ScanCandidates(), "entry.trash_owner", args...)
	}
	return List(ctx, r.r, ScanCandidates(), "entry.trash_store", args...)
}

// History implements memory.HistoryReader.
func (r Reads) History(ctx context.Context, q memory.HistoryQuery) ([]memory.Entry, error) {
	if err := r.r.OfEntries(ctx, []uuid.UUID{q.Entry}); err != nil {
		return nil, err
	}
	versions, err := List(ctx, r.r, ScanEntries(), "entry.current", q.Entry)
	if err != nil || len(versions) == 0 || q.Limit <= 0 {
		return nil, err
	}
	before := q.Before
	if before == 0 {
		before = versions[0].Version + 1
	}
	if q.Until.IsZero() {
		q.Until = FarFuture
	}
	if before <= versions[0].Version || versions[0].UpdatedAt.After(q.Until) {
		versions = versions[:0]
	}
	former, err := List(ctx, r.r, ScanEntries(), "entry.former", q.Entry, before, q.Limit-len(versions), q.Until)
	return append(versions, former...), err
}

// Searchable implements memory.BulkReader.
func (r Reads) Searchable(ctx context.Context, after uuid.UUID, limit int) ([]memory.Entry, error) {
	return r.bulk(ctx, "entry.searchable", after, limit)
}

// NonASCIINames implements memory.BulkReader.
func (r Reads) NonASCIINames(ctx context.Context, after uuid.UUID, limit int) ([]memory.Entry, error) {
	return r.bulk(ctx, "entry.not_ascii", after, limit)
}

// Unembedded implements indexer.RowReader.
func (r Reads) Unembedded(ctx context.Context, lacking indexer.Unembedded, after uuid.UUID, limit int) ([]memory.Entry, error) {
	return r.bulk(ctx, "entry.unembedded", append(withoutArgs(lacking), after, limit)...)
}

// UnembeddedAmong implements indexer.RowReader.
func (r Reads) UnembeddedAmong(ctx context.Context, lacking indexer.Unembedded, ids []uuid.UUID) ([]memory.Entry, error) {
	return r.bulk(ctx, "entry.unembedded_of", append(withoutArgs(lacking), ids)...)
}

// bulk runs a query over the rows of all stores.
func (r Reads) bulk(ctx context.Context, text string, args ...any) ([]memory.Entry, error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return nil, err
	}
	return List(ctx, r.r, ScanEntries(), text, args...)
}

// withoutArgs returns the parameters of {entry.unembedded}, the condition that an entry lacks
// vectors.
func withoutArgs(u indexer.Unembedded) []any {
	return []any{u.Fingerprint, u.Now, u.Other, u.Replaced, cmp.Or(u.Ceiling, acl.Restricted)}
}
