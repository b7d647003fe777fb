package sqlcommon

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// List implements memory.EntryReader.
func (r Reads) List(ctx context.Context, query memory.ListQuery) ([]memory.Entry, error) {
	switch q := query.(type) {
	case memory.ScanQuery:
		return r.scan(ctx, q)
	case memory.TrashQuery:
		return r.trash(ctx, q)
	case memory.HistoryQuery:
		return r.history(ctx, q)
	case memory.SearchableQuery:
		return r.searchable(ctx, q)
	case memory.ContentQuery:
		return r.contents(ctx, q.Entries)
	case memory.NamesQuery:
		if err := r.r.OfEntries(ctx, nil); err != nil {
			return nil, err
		}
		return Entries(ctx, r.r, "entry.not_ascii", q.After, q.Limit)
	}
	return nil, errUnknown(query)
}

// scan reads a page of a store. Each label is scanned in the order of an index up to
// the limit, and the results are merged, so that entries above the ceiling cost no time.
func (r Reads) scan(ctx context.Context, q memory.ScanQuery) ([]memory.Entry, error) {
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
		entries, err := Entries(ctx, r.r, text, q.Store, label, namespace, after, q.Prefix, r.d.Successor(q.Prefix), q.Limit, q.Sources)
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

// trash reads a page of the deleted entries of a store.
func (r Reads) trash(ctx context.Context, q memory.TrashQuery) ([]memory.Entry, error) {
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
		return Entries(ctx, r.r, "entry.trash_path", append(args, q.Path.Namespace, q.Path.Key)...)
	case q.Owner != "":
		return Entries(ctx, r.r, "entry.trash_owner", args...)
	}
	return Entries(ctx, r.r, "entry.trash_store", args...)
}

// history reads versions of an entry.
func (r Reads) history(ctx context.Context, q memory.HistoryQuery) ([]memory.Entry, error) {
	if err := r.r.OfEntries(ctx, []uuid.UUID{q.Entry}); err != nil {
		return nil, err
	}
	versions, err := Entries(ctx, r.r, "entry.current", q.Entry)
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
	former, err := Entries(ctx, r.r, "entry.former", q.Entry, before, q.Limit-len(versions), q.Until)
	return append(versions, former...), err
}

// searchable reads searchable entries by ID.
func (r Reads) searchable(ctx context.Context, q memory.SearchableQuery) ([]memory.Entry, error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return nil, err
	}
	if q.Without == nil {
		return Entries(ctx, r.r, "entry.searchable", q.After, q.Limit)
	}
	args := withoutArgs(*q.Without)
	if q.Among != nil {
		return Entries(ctx, r.r, "entry.unembedded_of", append(args, q.Among)...)
	}
	return Entries(ctx, r.r, "entry.unembedded", append(args, q.After, q.Limit)...)
}

// withoutArgs returns the parameters of the dialects' conditions on vectors.
func withoutArgs(u memory.Unembedded) []any {
	return []any{u.Fingerprint, u.Now, u.Other, u.Replaced, cmp.Or(u.Ceiling, acl.Restricted)}
}

const countOffers = "SELECT count(*) FROM offer WHERE store = $1 AND open AND label <= $2"

// Count implements memory.Counter.
func (r Reads) Count(ctx context.Context, what memory.Countable) (n int64, err error) {
	var text string
	var args []any
	switch c := what.(type) {
	case memory.GrantsOf:
		text, args = "grant.count", []any{c.Store, c.Label}
	case memory.OffersOf:
		text, args = countOffers, []any{c.Store, c.Ceiling}
	case memory.Erasable:
		text, args = "expiry.count_erasable", []any{c.Cutoff}
	case memory.Searchable:
		text, args = "entry.count_searchable", []any{c.After}
	case memory.Unembedded:
		text, args = "entry.count_unembedded", withoutArgs(c)
	case memory.StoresRead:
		if text = "reading.count_english"; c.By == acl.LanguageMultilingual {
			text = "reading.count_multilingual"
		}
	case memory.StoresUnread:
		text = "reading.count_stores_unread"
	case memory.ReadIn:
		text, args = "reading.count_read", []any{c.Store, c.From, c.Ceiling}
	case memory.ForeignAt:
		text, args = "reading.count_foreign", []any{c.Store, c.Label, c.Multilingual, c.Main}
	default:
		return 0, errUnknown(what)
	}
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return 0, err
	}
	if c, ok := what.(memory.ReadIn); ok && c.Unread {
		return r.countUnread(ctx, c)
	}
	_, err = One(ctx, r.r, []any{&n}, text, args...)
	return n, err
}
