package sqlite

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// feedKey identifies a feed.
type feedKey struct {
	store int64
	label acl.Label
}

// feedRecord is a record to be written by flushFeed.
type feedRecord struct {
	doc            int64
	at             time.Time
	namespace, key any // null unless the entry left the path
}

// announce adds records to the feed: of the path that a row has now, and of the
// one that it had if that was another.
func (w *writer) announce(e *memory.Entry, old, next storedRow, found bool, at time.Time) {
	was, is := feedKey{old.store, old.label}, feedKey{next.store, next.label}
	if found && old.inContext && (was != is || old.namespace != e.Namespace || old.key != e.Key) {
		w.feed[was] = append(w.feed[was], feedRecord{doc: next.doc, at: at, namespace: old.namespace, key: old.key})
	}
	if e.InContext {
		w.feed[is] = append(w.feed[is], feedRecord{doc: next.doc, at: at})
	}
}

// announceEnd adds a record of a row that ends: it was swept or purged.
func (w *writer) announceEnd(row storedRow, at time.Time) {
	if row.state == sqlcommon.Live && row.inContext {
		key := feedKey{row.store, row.label}
		w.feed[key] = append(w.feed[key], feedRecord{doc: row.doc, at: at})
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
			if _, err := w.exec(ctx, insertFeed, feed.store, feed.label, last, r.doc, micros(r.at), r.namespace, r.key); err != nil {
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
