package sqlcommon

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/indexer"
)

// total runs a query that returns a count of rows of any store, and returns 0 if it has no
// result.
func (r Reads) total(ctx context.Context, text string, args ...any) (n int64, err error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return 0, err
	}
	_, err = One(ctx, r.r, []any{&n}, text, args...)
	return n, err
}

// CountGrants implements memory.GrantCounter.
func (r Reads) CountGrants(ctx context.Context, store string, label acl.Label) (int64, error) {
	return r.total(ctx, "grant.count", store, label)
}

// CountOffers implements memory.GrantCounter.
func (r Reads) CountOffers(ctx context.Context, store string, ceiling acl.Label) (int64, error) {
	return r.total(ctx, "offer.count_open", store, ceiling)
}

// CountErasable implements memory.ExpiryReader.
func (r Reads) CountErasable(ctx context.Context, cutoff time.Time) (int64, error) {
	return r.total(ctx, "expiry.count_erasable", cutoff)
}

// CountSearchable implements memory.BulkReader.
func (r Reads) CountSearchable(ctx context.Context, after uuid.UUID) (int64, error) {
	return r.total(ctx, "entry.count_searchable", after)
}

// CountUnembedded implements indexer.RowReader.
func (r Reads) CountUnembedded(ctx context.Context, lacking indexer.Unembedded) (int64, error) {
	return r.total(ctx, "entry.count_unembedded", withoutArgs(lacking)...)
}

// CountStoresRead implements memory.ReadingReader.
func (r Reads) CountStoresRead(ctx context.Context, by choice.Language) (int64, error) {
	if by == choice.LanguageMultilingual {
		return r.total(ctx, "reading.count_multilingual")
	}
	return r.total(ctx, "reading.count_english")
}

// CountStoresUnread implements memory.ReadingReader.
func (r Reads) CountStoresUnread(ctx context.Context) (int64, error) {
	return r.total(ctx, "reading.count_stores_unread")
}

// CountRead implements memory.ReadingReader.
func (r Reads) CountRead(ctx context.Context, store string, from, ceiling acl.Label) (int64, error) {
	return r.total(ctx, "reading.count_read", store, from, ceiling)
}

// CountForeign implements indexer.RowReader.
func (r Reads) CountForeign(ctx context.Context, at indexer.ForeignAt) (int64, error) {
	return r.total(ctx, "reading.count_foreign", at.Store, at.Label, at.Multilingual, at.Main)
}
