package sqlcommon

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
)

const (
	countGrants       = "SELECT grants FROM permit_count WHERE store = $1 AND label = $2"
	countSearchable   = "SELECT count(*) FROM entry WHERE id > $1 AND state = 0 AND in_context AND NOT encrypted"
	countOffers       = "SELECT count(*) FROM offer WHERE store = $1 AND open AND label <= $2"
	countStoresUnread = "SELECT count(*) FROM reading WHERE unread > 0"

	// The conditions are those of acl.Reading.Models: 0 is auto, 2 multilingual.
	countEnglish      = "SELECT count(*) FROM store s LEFT JOIN reading r ON r.store = s.id WHERE coalesce(r.language, 0) <> 2"
	countMultilingual = "SELECT count(*) FROM store s JOIN reading r ON r.store = s.id WHERE r.language = 2 OR r.language = 0 AND (r.asked OR r.multilingual > 0 OR r.mixed > 0)"
)

// total runs a query that returns a count of rows of any store; 0 if it returns none.
func (r Reads) total(ctx context.Context, text string, args ...any) (n int64, err error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return 0, err
	}
	_, err = One(ctx, r.r, []any{&n}, text, args...)
	return n, err
}

// CountGrants implements memory.GrantCounter.
func (r Reads) CountGrants(ctx context.Context, store string, label acl.Label) (int64, error) {
	return r.total(ctx, countGrants, store, label)
}

// CountOffers implements memory.GrantCounter.
func (r Reads) CountOffers(ctx context.Context, store string, ceiling acl.Label) (int64, error) {
	return r.total(ctx, countOffers, store, ceiling)
}

// CountErasable implements memory.ExpiryReader.
func (r Reads) CountErasable(ctx context.Context, cutoff time.Time) (int64, error) {
	return r.total(ctx, r.d.CountErasable, cutoff)
}

// CountSearchable implements memory.BulkReader.
func (r Reads) CountSearchable(ctx context.Context, after uuid.UUID) (int64, error) {
	return r.total(ctx, countSearchable, after)
}

// CountUnembedded implements indexer.RowReader.
func (r Reads) CountUnembedded(ctx context.Context, lacking indexer.Unembedded) (int64, error) {
	return r.total(ctx, r.d.CountUnembedded, withoutArgs(lacking)...)
}

// CountStoresRead implements memory.ReadingReader.
func (r Reads) CountStoresRead(ctx context.Context, by acl.Language) (int64, error) {
	if by == acl.LanguageMultilingual {
		return r.total(ctx, countMultilingual)
	}
	return r.total(ctx, countEnglish)
}

// CountStoresUnread implements memory.ReadingReader.
func (r Reads) CountStoresUnread(ctx context.Context) (int64, error) {
	return r.total(ctx, countStoresUnread)
}

// CountRead implements memory.ReadingReader.
func (r Reads) CountRead(ctx context.Context, store string, from, ceiling acl.Label) (int64, error) {
	return r.total(ctx, countReadIn, store, from, ceiling)
}

// CountForeign implements indexer.RowReader.
func (r Reads) CountForeign(ctx context.Context, at indexer.ForeignAt) (int64, error) {
	return r.total(ctx, r.d.CountForeign, at.Store, at.Label, at.Multilingual, at.Main)
}
