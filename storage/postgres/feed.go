package postgres

import (
	"time"

	"github.com/google/uuid"

	"mneme/storage/sqlcommon"
)

// feedRecords are the columns of records to be written by flushFeed.
type feedRecords struct {
	stores           []int64
	labels           []int16
	entries          [][16]byte
	times            []time.Time
	namespaces, keys []*string // null unless the entry left the path
}

// maxFeed bounds the records of a statement.
const maxFeed = 10_000

// announce collects records of a row.
func (w *writer) announce(id uuid.UUID, rows []sqlcommon.FeedRow) {
	f := &w.feed
	for _, r := range rows {
		f.stores, f.labels = append(f.stores, r.Store), append(f.labels, int16(r.Label))
		f.entries, f.times = append(f.entries, id), append(f.times, r.At)
		f.namespaces, f.keys = append(f.namespaces, r.Namespace), append(f.keys, r.Key)
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
	// insertOneFeed is insertFeed for one record.
	insertOneFeed = `WITH head AS (INSERT INTO feed_head (store, label, last, removed) VALUES ($1, $2, 1, 0)
		ON CONFLICT (store, label) DO UPDATE SET last = feed_head.last + 1 RETURNING last)
	INSERT INTO feed (store, label, position, entry, at, namespace, key)
	SELECT $1::bigint, $2::smallint, head.last, $3::uuid, $4::timestamptz, $5::text, $6::text FROM head`
	forgetPath = "UPDATE feed SET namespace = NULL, key = NULL WHERE entry = $1 AND key IS NOT NULL"
)

// flushFeed writes the records.
func (w *writer) flushFeed() {
	f := w.feed
	w.feed = feedRecords{}
	switch len(f.stores) {
	case 0:
	case 1:
		w.setRLSAll()
		w.queueStatement(insertOneFeed, f.stores[0], f.labels[0], f.entries[0], f.times[0], f.namespaces[0], f.keys[0])
	default:
		w.setRLSAll()
		w.queueStatement(insertFeed, f.stores, f.labels, f.entries, f.times, f.namespaces, f.keys)
	}
}
