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

// putReading writes what a fact says of how a store is read.
func (w Writes) putReading(ctx context.Context, f memory.ReadingFact) error {
	language := any(nil)
	if f.Language != nil {
		language = int64(*f.Language)
	}
	if _, err := w.w.Exec(ctx, w.d.PutReading, f.Store, language, f.Asked, f.Multilingual, f.Mixed); err != nil {
		return err
	}
	if !f.QueuedAt.IsZero() {
		if err := w.setUnread(ctx, f); err != nil {
			return err
		}
		left := indexer.Unqueued{Store: f.Store, QueuedAt: f.QueuedAt, Lacking: f.Lacking, From: f.From}
		if err := w.queueStore(ctx, left); err != nil {
			return err
		}
	}
	if f.QueuedAt.IsZero() && !f.Indexed {
		return nil
	}
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return err
	}
	_, err := w.w.Exec(ctx, setIndexed, f.Store)
	return err
}

// setUnread records from which label on a model has yet to read the store: the English one
// what the multilingual one may have read, where that language was chosen.
func (w Writes) setUnread(ctx context.Context, f memory.ReadingFact) error {
	known, err := NewReads(w.w, w.d).StoreFacts(ctx, []string{f.Store})
	if err != nil {
		return err
	}
	now := known[f.Store].Reading
	from := now.MultilingualFrom()
	if now.Language == acl.LanguageEnglish && now.Multilingual > 0 {
		from = acl.Public
	}
	switch {
	case f.Language != nil: // it replaces what was to be read
	case !f.Asked && f.Mixed == 0:
		return nil
	case now.Unread > 0:
		from = min(from, now.Unread)
	}
	_, err = w.w.Exec(ctx, setUnread, f.Store, from, f.QueuedAt)
	return err
}

// countUnread counts the entries of a range that wait to be read.
func (r Reads) countUnread(ctx context.Context, c memory.ReadIn) (n int64, err error) {
	left, err := r.Meta(ctx, unqueuedName(c.Store))
	if err != nil {
		return 0, err
	}
	if left != nil {
		var of indexer.Unqueued
		if err := json.Unmarshal(left, &of); err != nil {
			return 0, err
		}
		if _, err := One(ctx, r.r, []any{&n}, countUnqueued, c.Store, max(c.From, of.From), c.Ceiling, of.After); err != nil {
			return 0, err
		}
	}
	var queued int64
	_, err = One(ctx, r.r, []any{&queued}, countUnread, c.Store, c.From, c.Ceiling)
	return n + queued, err
}
