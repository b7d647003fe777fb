package postgres

import (
	"time"

	"github.com/google/uuid"

	"mneme/storage/sqlcommon"
)

// feedRecords are the columns of records that flushFeed will write.
type feedRecords struct {
	stores           []int64
	labels           []int16
	entries          [][16]byte
	times            []time.Time
	namespaces, keys []*string // null unless the record is about a path that the entry has left
}

// maxFeed bounds the records of one statement.
const maxFeed = 10_000

// announce collects feed records of an entry, which flushFeed writes.
func (w *writer) announce(id uuid.UUID, rows []sqlcommon.FeedRow) {
	f := &w.feed
	for _, r := range rows {
		f.stores, f.labels = append(f.stores, r.Store), append(f.labels, int16(r.Label))
		f.entries, f.times = append(f.entries, id), append(f.times, r.At)
		f.namespaces, f.keys = append(f.namespaces, r.Namespace), append(f.keys, r.Key)
	}
}

// flushFeed writes the collected feed records.
func (w *writer) flushFeed() {
	f := w.feed
	w.feed = feedRecords{}
	switch len(f.stores) {
	case 0:
	case 1:
		w.setRLSAll()
		w.queueStatement("feed.insert", f.stores[0], f.labels[0], f.entries[0], f.times[0], f.namespaces[0], f.keys[0])
	default:
		w.setRLSAll()
		w.queueStatement("feed.insert_many", f.stores, f.labels, f.entries, f.times, f.namespaces, f.keys)
	}
}
