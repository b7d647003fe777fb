package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/memory"
)

// feedRecords are the columns of records to be written by flushFeed.
type feedRecords struct {
	stores           []int64
	labels           []int16
	entries          [][16]byte
	times            []time.Time
	namespaces, keys []*string // null unless the entry left the path
}

func (f *feedRecords) add(id uuid.UUID, row *storedRow, at time.Time, namespace, key *string) {
	f.stores, f.labels = append(f.stores, row.store), append(f.labels, int16(row.label))
	f.entries, f.times = append(f.entries, id), append(f.times, at)
	f.namespaces, f.keys = append(f.namespaces, namespace), append(f.keys, key)
}

// announce adds records to the feed: of the path that a row has now, and of the
// one that it had if that was another. old is nil for a new entry.
func (w *writer) announce(e *memory.Entry, old, next *storedRow, at time.Time) {
	if old != nil && old.inContext &&
		(old.store != next.store || old.label != next.label || old.namespace != e.Namespace || old.key != e.Key) {
		w.feed.add(e.ID, old, at, &old.namespace, &old.key)
	}
	if e.InContext {
		w.feed.add(e.ID, next, at, nil, nil)
	}
}

// announceEnd adds a record of a row that ends: it was swept or purged.
func (w *writer) announceEnd(id uuid.UUID, row *storedRow, at time.Time) {
	if row.state == sqlcommon.Live && row.inContext {
		w.feed.add(id, row, at, nil, nil)
	}
}

// The transaction holds the locks of the stores, so that positions increase in
// commit order: once a position is visible, so are all before it.
const (
	insertFeed = `WITH r AS (SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[])
		WITH ORDINALITY r (store, label, entry, at, namespace, key, i)),
	head AS (INSERT INTO feed_head (store, label, last, removed) SELECT store, label, count(*), 0 FROM r GROUP BY store, label ORDER BY store, label
		ON CONFLICT (store, label) DO UPDATE SET last = feed_head.last + excluded.last RETURNING store, label, last)
	INSERT INTO feed (store, label, position, entry, at, namespace, key)
	SELECT r.store, r.label, head.last - count(*) OVER feed + row_number() OVER (feed ORDER BY r.i), r.entry, r.at, r.namespace, r.key
	FROM r JOIN head ON head.store = r.store AND head.label = r.label WINDOW feed AS (PARTITION BY r.store, r.label)`
	forgetPath = "UPDATE feed SET namespace = NULL, key = NULL WHERE entry = $1 AND key IS NOT NULL"
)

// flushFeed writes the records.
func (w *writer) flushFeed() {
	if f := w.feed; len(f.stores) > 0 {
		w.setRLSAll()
		w.queueStatement(insertFeed, f.stores, f.labels, f.entries, f.times, f.namespaces, f.keys)
		w.feed = feedRecords{}
	}
}

const (
	selectHeads = `SELECT s.id, h.label, h.last, h.removed FROM store s JOIN feed_head h ON h.store = s.number WHERE s.id = ANY($1)`
	selectFeed  = `SELECT f.label, f.position, f.at, coalesce(f.namespace, e.namespace, ''), coalesce(f.key, e.key, '')
	FROM store s CROSS JOIN unnest($2::smallint[], $3::bigint[]) after (label, position)
	CROSS JOIN LATERAL (SELECT * FROM feed f WHERE f.store = s.number AND f.label = after.label AND f.position > after.position
		ORDER BY f.position LIMIT $4) f
	LEFT JOIN entry e ON e.id = f.entry AND e.store = f.store AND e.label = f.label
	WHERE s.id = $1 ORDER BY f.label, f.position`
)

// heads yields the rows of table feed_head of stores.
func (r *reader) heads(ctx context.Context, stores []string, yield func(store string, label acl.Label, last, removed int64)) error {
	return r.each(ctx, func(rows pgx.Rows) error {
		var store string
		var label int16
		var last, removed int64
		err := rows.Scan(&store, &label, &last, &removed)
		if err == nil {
			yield(store, acl.Label(label), last, removed)
		}
		return err
	}, selectHeads, stores)
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
	var labels []int16
	var after []int64
	for label := acl.Public; label <= min(q.Ceiling, acl.Restricted); label++ {
		if *feed.Last.Of(label) > *q.After.Of(label) {
			labels, after = append(labels, int16(label)), append(after, *q.After.Of(label))
		}
	}
	if len(labels) == 0 {
		return feed, nil
	}
	r.setRLSStore(q.Store)
	err = r.each(ctx, func(rows pgx.Rows) error {
		var record memory.FeedRecord
		var label int16
		err := rows.Scan(&label, &record.Position, &record.At, &record.Namespace, &record.Key)
		record.Label, record.At = acl.Label(label), record.At.UTC()
		feed.Records = append(feed.Records, record)
		return err
	}, selectFeed, q.Store, labels, after, q.Limit)
	return feed, err
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

const selectAtPaths = `SELECT ` + withoutText + ` FROM store s
	CROSS JOIN unnest($2::text[], $3::text[]) p (namespace, key) CROSS JOIN ` + labels + `
	CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.store = s.number AND f.label = l.label
		AND f.namespace = p.namespace AND f.key = p.key AND f.state = 0 AND f.in_context OFFSET 0) e
	WHERE s.id = $1 AND l.label <= $4`

// AtPaths implements memory.FeedReader.
func (r *reader) AtPaths(ctx context.Context, store string, paths []memory.Path, ceiling acl.Label) ([]memory.Entry, error) {
	var namespaces, keys []string
	for _, p := range paths {
		namespaces, keys = append(namespaces, p.Namespace), append(keys, p.Key)
	}
	r.setRLSStore(store)
	return r.entries(ctx, selectAtPaths, store, namespaces, keys, int16(min(ceiling, acl.Restricted)))
}

const selectNextExpiry = `SELECT min(e.expires_at) FROM store s CROSS JOIN ` + labels + `
	CROSS JOIN LATERAL (SELECT expires_at FROM entry f WHERE f.store = s.number AND f.label = l.label AND f.state = 0
		AND f.expires_at IS NOT NULL ORDER BY f.expires_at LIMIT 1) e
	WHERE s.id = $1 AND l.label <= $2`

// NextExpiry implements memory.FeedReader.
func (r *reader) NextExpiry(ctx context.Context, store string, ceiling acl.Label) (time.Time, error) {
	var first *time.Time
	r.setRLSStore(store)
	_, err := r.one(ctx, []any{&first}, selectNextExpiry, store, int16(min(ceiling, acl.Restricted)))
	return timeOrZero(first), err
}

const selectExpiredIn = `SELECT e.id FROM store s CROSS JOIN ` + labels + `
	CROSS JOIN LATERAL (SELECT id, expires_at FROM entry f WHERE f.store = s.number AND f.label = l.label AND f.state = 0
		AND f.expires_at <= $3 ORDER BY f.expires_at LIMIT $4) e
	WHERE s.id = $1 AND l.label <= $2 ORDER BY l.label, e.expires_at LIMIT $4`

// ExpiredIn implements memory.Sweeper.
func (w *writer) ExpiredIn(ctx context.Context, store string, ceiling acl.Label, now time.Time, limit int) ([]uuid.UUID, error) {
	w.setRLSAll()
	return w.ids(ctx, selectExpiredIn, store, int16(min(ceiling, acl.Restricted)), now, limit)
}

const (
	// The first record of a feed is the oldest.
	selectExcessFeeds = `SELECT h.store, h.label, h.last, h.removed FROM feed_head h
	WHERE h.last > h.removed AND (h.last - h.removed > $1 OR
		(SELECT f.at FROM feed f WHERE f.store = h.store AND f.label = h.label AND f.position = h.removed + 1) < $2)
	ORDER BY h.store, h.label LIMIT $3 FOR UPDATE`
	selectOldestRecords = "SELECT position, at FROM feed WHERE store = $1 AND label = $2 AND position > $3 ORDER BY position LIMIT $4"
	deleteFeed          = "DELETE FROM feed WHERE store = $1 AND label = $2 AND position <= $3"
	updateRemoved       = "UPDATE feed_head SET removed = $1 WHERE store = $2 AND label = $3"
)

// TrimFeed implements memory.FeedTrimmer. It locks the heads of feeds, in the order
// in which writers do.
func (w *writer) TrimFeed(ctx context.Context, before time.Time, keep int64, limit int) (removed int, err error) {
	type head struct {
		store, last, removed int64
		label                int16
	}
	var heads []head
	w.setRLSAll()
	err = w.each(ctx, func(rows pgx.Rows) error {
		var h head
		err := rows.Scan(&h.store, &h.label, &h.last, &h.removed)
		heads = append(heads, h)
		return err
	}, selectExcessFeeds, keep, before, limit)
	if err != nil {
		return 0, err
	}
	for _, h := range heads {
		if removed >= limit {
			break
		}
		end, ended := h.removed, false
		err := w.each(ctx, func(rows pgx.Rows) error {
			var position int64
			var at time.Time
			err := rows.Scan(&position, &at)
			if ended = ended || position > h.last-keep && !at.Before(before); !ended {
				end = position
			}
			return err
		}, selectOldestRecords, h.store, h.label, h.removed, limit-removed)
		if err != nil {
			return 0, err
		}
		w.queueStatement(deleteFeed, h.store, h.label, end)
		w.queueStatement(updateRemoved, end, h.store, h.label)
		removed += int(end - h.removed)
	}
	return removed, w.flushBatch(ctx)
}
