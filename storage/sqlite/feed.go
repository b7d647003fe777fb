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

// feedRecord is a record of a row that flushFeed will write.
type feedRecord struct {
	sqlcommon.FeedRow
	doc int64
}

// announce collects feed records of an entry, which flushFeed writes.
func (w *writer) announce(doc int64, rows []sqlcommon.FeedRow) {
	for _, r := range rows {
		key := feedKey{r.Store, r.Label}
		w.feed[key] = append(w.feed[key], feedRecord{r, doc})
	}
}

// flushFeed writes the collected feed records.
func (w *writer) flushFeed(ctx context.Context) error {
	for feed, records := range w.feed {
		var last int64
		if _, err := w.one(ctx, []any{&last}, "feed.last", feed.store, feed.label); err != nil {
			return err
		}
		for _, r := range records {
			last++
			if _, err := w.exec(ctx, "feed.insert", feed.store, feed.label, last, r.doc, micros(r.At), r.Namespace, r.Key); err != nil {
				return err
			}
		}
		if _, err := w.exec(ctx, "feed.set_last", feed.store, feed.label, last); err != nil {
			return err
		}
	}
	clear(w.feed)
	return nil
}
