package sqlcommon

import (
	"context"
	"encoding/json"

	"mneme/acl"
	"mneme/indexer"
	"mneme/memory"
)

// What a store is to be read by, and what of it was queued for that, is read already once
// no row of the queue with its label is as old. Rows that are queued later are of entries
// that were written later, or keep the time of the earlier one.
const (
	waitsAt = `EXISTS (SELECT 1 FROM queue q WHERE q.store = (SELECT number FROM store WHERE id = reading.store)
	AND q.label = l.label AND q.chunks > 0 AND q.queued_at <= reading.unread_at)`
	isQueued = `NOT EXISTS (SELECT 1 FROM meta WHERE name = 'unqueued ' || reading.store)`

	setUnread  = "UPDATE reading SET unread = $2, unread_at = $3 WHERE store = $1"
	setIndexed = `UPDATE reading SET unread = coalesce((SELECT min(l.label) FROM ` + allLabels + ` WHERE l.label >= reading.unread AND ` + waitsAt + `), 0)
	WHERE store = $1 AND unread > 0 AND ` + isQueued
	listIndexed = `SELECT reading.store FROM reading JOIN ` + allLabels + ` ON l.label = reading.unread
	WHERE reading.unread > 0 AND NOT ` + waitsAt + ` AND ` + isQueued + ` ORDER BY reading.store`
	allLabels = "(SELECT 1 AS label UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) l"

	inRange       = " WHERE x.store = (SELECT number FROM store WHERE id = $1) AND x.label >= $2 AND x.label <= $3"
	countReadIn   = "SELECT CAST(coalesce(sum(x.documents), 0) AS bigint) FROM total x" + inRange
	countUnread   = "SELECT count(*) FROM queue x" + inRange + " AND x.chunks > 0 AND x.queued_at <= (SELECT unread_at FROM reading WHERE store = $1)"
	countUnqueued = "SELECT count(*) FROM entry x" + inRange + " AND x.state = 0 AND x.in_context AND NOT x.encrypted AND x.id > $4"
)

// PutReading implements memory.ReadingWriter.
func (w Writes) PutReading(ctx context.Context, c memory.ReadingChange) error {
	language := any(nil)
	if c.Language != nil {
		language = int64(*c.Language)
	}
	if _, err := w.w.Exec(ctx, w.d.PutReading, c.Store, language, c.Asked, c.Multilingual, c.Mixed); err != nil {
		return err
	}
	if !c.QueuedAt.IsZero() {
		if err := w.setUnread(ctx, c); err != nil {
			return err
		}
		left := indexer.Unqueued{Store: c.Store, QueuedAt: c.QueuedAt, Lacking: c.Lacking, From: c.From}
		if err := w.queueStore(ctx, left); err != nil {
			return err
		}
	}
	if c.QueuedAt.IsZero() && !c.Indexed {
		return nil
	}
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return err
	}
	_, err := w.w.Exec(ctx, setIndexed, c.Store)
	return err
}

// setUnread records from which label on a model has yet to read the store: the English one
// what the multilingual one may have read, where that language was chosen.
func (w Writes) setUnread(ctx context.Context, c memory.ReadingChange) error {
	known, err := NewReads(w.w, w.d).StoreFacts(ctx, []string{c.Store})
	if err != nil {
		return err
	}
	now := known[c.Store].Reading
	from := now.MultilingualFrom()
	if now.Language == acl.LanguageEnglish && now.Multilingual > 0 {
		from = acl.Public
	}
	switch {
	case c.Language != nil: // it replaces what was to be read
	case !c.Asked && c.Mixed == 0:
		return nil
	case now.Unread > 0:
		from = min(from, now.Unread)
	}
	_, err = w.w.Exec(ctx, setUnread, c.Store, from, c.QueuedAt)
	return err
}

// CountUnread implements memory.ReadingReader.
func (r Reads) CountUnread(ctx context.Context, store string, from, ceiling acl.Label) (n int64, err error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return 0, err
	}
	left, err := r.Meta(ctx, unqueuedName(store))
	if err != nil {
		return 0, err
	}
	if left != nil {
		var of indexer.Unqueued
		if err := json.Unmarshal(left, &of); err != nil {
			return 0, err
		}
		if _, err := One(ctx, r.r, []any{&n}, countUnqueued, store, max(from, of.From), ceiling, of.After); err != nil {
			return 0, err
		}
	}
	var queued int64
	_, err = One(ctx, r.r, []any{&queued}, countUnread, store, from, ceiling)
	return n + queued, err
}
