package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
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
	if row.state == live && row.inContext {
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

const (
	selectHeads = `SELECT s.id, h.label, h.last, h.removed FROM json_each(?) j
	CROSS JOIN store s ON s.id = j.value CROSS JOIN feed_head h ON h.store = s.number`
	selectFeed = `SELECT f.position, f.at, coalesce(f.namespace, e.namespace, ''), coalesce(f.key, e.key, '') FROM store s
	CROSS JOIN feed f ON f.store = s.number AND f.label = ?2 AND f.position > ?3
	LEFT JOIN entry e ON e.doc = f.doc AND e.store = f.store AND e.label = f.label
	WHERE s.id = ?1 ORDER BY f.position LIMIT ?4`
)

// heads yields the rows of table feed_head of stores.
func (r *reader) heads(ctx context.Context, stores []string, yield func(store string, label acl.Label, last, removed int64)) error {
	list, err := textList(stores)
	if err != nil {
		return err
	}
	return r.each(ctx, func(rows *sql.Rows) error {
		var store string
		var label acl.Label
		var last, removed int64
		err := rows.Scan(&store, &label, &last, &removed)
		if err == nil {
			yield(store, label, last, removed)
		}
		return err
	}, selectHeads, list)
}

// Feed implements memory.FeedReader.
func (r *reader) Feed(ctx context.Context, q memory.FeedQuery) (feed memory.Feed, err error) {
	err = r.heads(ctx, []string{q.Store}, func(_ string, label acl.Label, last, removed int64) {
		if label <= q.Ceiling {
			*feed.Last.Of(label), *feed.Removed.Of(label) = last, removed
		}
	})
	if err != nil || q.Limit <= 0 {
		return feed, err
	}
	for label := acl.Public; label <= min(q.Ceiling, acl.Restricted); label++ {
		if *feed.Last.Of(label) <= *q.After.Of(label) {
			continue
		}
		err := r.each(ctx, func(rows *sql.Rows) error {
			record := memory.FeedRecord{Label: label}
			var at int64
			err := rows.Scan(&record.Position, &at, &record.Namespace, &record.Key)
			record.At = fromMicros(at)
			feed.Records = append(feed.Records, record)
			return err
		}, selectFeed, q.Store, label, *q.After.Of(label), q.Limit)
		if err != nil {
			return feed, err
		}
	}
	return feed, nil
}

// FeedHeads implements memory.FeedReader.
func (r *reader) FeedHeads(ctx context.Context, stores []string) (map[string]memory.FeedPositions, error) {
	heads := make(map[string]memory.FeedPositions)
	err := r.heads(ctx, stores, func(store string, label acl.Label, last, _ int64) {
		positions := heads[store]
		*positions.Of(label) = last
		heads[store] = positions
	})
	return heads, err
}

const selectAtPaths = `SELECT ` + withoutText + ` FROM json_each(?2) j CROSS JOIN store s ON s.id = ?1
	CROSS JOIN entry e ON e.store = s.number AND e.label IN ` + labels + ` AND e.namespace = j.value ->> 0 AND e.key = j.value ->> 1` + joinFields + `
	WHERE e.state = 0 AND e.label <= ?3 AND e.in_context`

// AtPaths implements memory.FeedReader.
func (r *reader) AtPaths(ctx context.Context, store string, paths []memory.Path, ceiling acl.Label) ([]memory.Entry, error) {
	pairs := make([][2]string, len(paths))
	for i, p := range paths {
		pairs[i] = [2]string{p.Namespace, p.Key}
	}
	list, err := json.Marshal(pairs)
	if err != nil {
		return nil, err
	}
	return r.entries(ctx, selectAtPaths, store, string(list), ceiling)
}

const selectNextExpiry = `SELECT expires_at FROM entry INDEXED BY entry_expiring
	WHERE store = (SELECT number FROM store WHERE id = ?1) AND label = ?2 AND state = 0 AND expires_at IS NOT NULL
	ORDER BY expires_at LIMIT 1`

// NextExpiry implements memory.FeedReader.
func (r *reader) NextExpiry(ctx context.Context, store string, ceiling acl.Label) (first time.Time, err error) {
	for label := acl.Public; label <= min(ceiling, acl.Restricted); label++ {
		var at int64
		found, err := r.one(ctx, []any{&at}, selectNextExpiry, store, label)
		if err != nil {
			return time.Time{}, err
		}
		if t := fromMicros(at); found && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first, nil
}

const selectExpiredIn = `SELECT id FROM entry INDEXED BY entry_expiring
	WHERE store = (SELECT number FROM store WHERE id = ?1) AND label = ?2 AND state = 0 AND expires_at <= ?3
	ORDER BY expires_at LIMIT ?4`

// ExpiredIn implements memory.Sweeper.
func (w *writer) ExpiredIn(ctx context.Context, store string, ceiling acl.Label, now time.Time, limit int) (due []uuid.UUID, err error) {
	for label := acl.Public; label <= min(ceiling, acl.Restricted) && len(due) < limit; label++ {
		ids, err := w.ids(ctx, selectExpiredIn, store, label, micros(now), limit-len(due))
		if err != nil {
			return nil, err
		}
		due = append(due, ids...)
	}
	return due, nil
}

const (
	// The first record of a feed is the oldest.
	selectExcessFeeds = `SELECT h.store, h.label, h.last, h.removed FROM feed_head h
	WHERE h.last > h.removed AND (h.last - h.removed > ?1 OR
		(SELECT f.at FROM feed f WHERE f.store = h.store AND f.label = h.label AND f.position = h.removed + 1) < ?2)
	ORDER BY h.store, h.label LIMIT ?3`
	selectOldestRecords = "SELECT position, at FROM feed WHERE store = ? AND label = ? AND position > ? ORDER BY position LIMIT ?"
	deleteFeed          = "DELETE FROM feed WHERE store = ? AND label = ? AND position <= ?"
	updateRemoved       = "UPDATE feed_head SET removed = ? WHERE store = ? AND label = ?"
)

// TrimFeed implements memory.FeedTrimmer.
func (w *writer) TrimFeed(ctx context.Context, before time.Time, keep int64, limit int) (removed int, err error) {
	type head struct {
		feedKey
		last, removed int64
	}
	var heads []head
	err = w.each(ctx, func(rows *sql.Rows) error {
		var h head
		err := rows.Scan(&h.store, &h.label, &h.last, &h.removed)
		heads = append(heads, h)
		return err
	}, selectExcessFeeds, keep, micros(before), limit)
	if err != nil {
		return 0, err
	}
	for _, h := range heads {
		if removed >= limit {
			break
		}
		end, ended := h.removed, false
		err := w.each(ctx, func(rows *sql.Rows) error {
			var position, at int64
			err := rows.Scan(&position, &at)
			if ended = ended || position > h.last-keep && at >= micros(before); !ended {
				end = position
			}
			return err
		}, selectOldestRecords, h.store, h.label, h.removed, limit-removed)
		if err != nil {
			return 0, err
		}
		if _, err := w.exec(ctx, deleteFeed, h.store, h.label, end); err != nil {
			return 0, err
		}
		if _, err := w.exec(ctx, updateRemoved, end, h.store, h.label); err != nil {
			return 0, err
		}
		removed += int(end - h.removed)
		w.dropped = true
	}
	return removed, nil
}
