package sqlite

import (
	"context"

	"mneme/acl"
	"mneme/storage/sqlcommon"
)

// feedKey identifies a feed.
type feedKey struct {
	store int64
	label acl.Label
}

// feedRecord is a record of a row to be written by flushFeed.
type feedRecord struct {
	sqlcommon.FeedRow
	doc int64
}

// announce collects records of a row.
func (w *writer) announce(doc int64, rows []sqlcommon.FeedRow) {
	for _, r := range rows {
		key := feedKey{r.Store, r.Label}
		w.feed[key] = append(w.feed[key], feedRecord{r, doc})
	}
}

const (
	selectHead = "SELECT last FROM feed_head WHERE store = ? AND label = ?"
	upsertHead = `INSERT INTO feed_head (store, label, last, removed) VALUES (?, ?, ?, 0)
	ON CONFLICT DO UPDATE SET last = excluded.last`
	insertFeed = "INSERT INTO feed (store, label, position, doc, at, namespace, key) VALUES (?, ?, ?, ?, ?, ?, ?)"
	forgetPath = "UPDATE feed SET namespace = NULL, key = NULL WHERE doc = ? AND key IS NOT NULL"
)

// flushFeed writes the records.
func (w *writer) flushFeed(ctx context.Context) error {
	for feed, records := range w.feed {
		var last int64
		if _, err := w.one(ctx, []any{&last}, selectHead, feed.store, feed.label); err != nil {
			return err
		}
		for _, r := range records {
			last++
			if _, err := w.exec(ctx, insertFeed, feed.store, feed.label, last, r.doc, micros(r.At), r.Namespace, r.Key); err != nil {
				return err
			}
		}
		if _, err := w.exec(ctx, upsertHead, feed.store, feed.label, last); err != nil {
			return err
		}
	}
	clear(w.feed)
	return nil
}
