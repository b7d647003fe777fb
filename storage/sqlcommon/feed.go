package sqlcommon

import (
	"context"
	"slices"
	"time"

	"mneme/acl"
	"mneme/memory"
)

// Feed implements memory.FeedReader.
func (r Reads) Feed(ctx context.Context, queries ...memory.FeedQuery) ([]memory.Feed, error) {
	feeds := make([]memory.Feed, len(queries))
	if len(queries) == 0 {
		return feeds, nil
	}
	stores := make([]string, len(queries))
	asked := make(map[string][]int, len(queries)) // by store, the indexes of its queries
	for i, q := range queries {
		stores[i] = q.Store
		asked[q.Store] = append(asked[q.Store], i)
	}
	slices.Sort(stores) // so that KeptList recognizes the same stores in another order
	ends, err := KeptList(ctx, r.r, scanFeedEnds, "feed.heads", stores)
	for _, e := range ends {
		for _, i := range asked[e.store] {
			if e.label <= queries[i].Ceiling {
				*feeds[i].Last.Of(e.label), *feeds[i].Removed.Of(e.label) = e.last, e.removed
			}
		}
	}
	for i, q := range queries {
		if err == nil && q.Limit > 0 {
			err = r.readFeed(ctx, q, &feeds[i])
		}
	}
	return feeds, err
}

// feedEnds has the positions of the last record of a feed, and of the last one that was removed.
type feedEnds struct {
	store         string
	label         acl.Label
	last, removed int64
}

func scanFeedEnds(row Row) (e feedEnds, err error) {
	err = row.Scan(&e.store, &e.label, &e.last, &e.removed)
	return e, err
}

// readFeed reads the records after the positions of a query, at each label that has any.
func (r Reads) readFeed(ctx context.Context, q memory.FeedQuery, feed *memory.Feed) error {
	var pages []Query
	for label := acl.Public; label <= min(q.Ceiling, acl.Restricted); label++ {
		if *feed.Last.Of(label) <= *q.After.Of(label) {
			continue
		}
		pages = append(pages, Query{"feed.page", []any{q.Store, label, *q.After.Of(label), q.Limit}, func(row Row) error {
			record := memory.FeedRecord{Label: label}
			err := row.Scan(&record.Position, &record.At, &record.Namespace, &record.Key)
			feed.Records = append(feed.Records, record)
			return err
		}})
	}
	if len(pages) == 0 {
		return nil
	}
	if err := r.r.InStore(ctx, q.Store); err != nil {
		return err
	}
	return r.r.EachOf(ctx, pages...)
}

// feedHead is a row of table feed_head.
type feedHead struct {
	store         int64
	label         acl.Label
	last, removed int64
}

// TrimFeed implements memory.FeedTrimmer. It locks the rows of feed_head in the same order as
// writers do, so that they do not deadlock.
func (w Writes) TrimFeed(ctx context.Context, before time.Time, keep int64, limit int) (more bool, err error) {
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return false, err
	}
	heads, err := List(ctx, w.w, func(row Row) (h feedHead, err error) {
		err = row.Scan(&h.store, &h.label, &h.last, &h.removed)
		return h, err
	}, "feed.excess", keep, before, limit)
	left := int64(limit)
	for _, h := range heads {
		if err != nil || left <= 0 {
			break
		}
		var end int64
		end, err = w.trimFeedOf(ctx, h, before, keep, left)
		left -= end - h.removed
	}
	return left < int64(limit), err
}

// trimFeedOf removes the old records of one feed, at most limit, and returns the position of
// the last one.
func (w Writes) trimFeedOf(ctx context.Context, h feedHead, before time.Time, keep, limit int64) (end int64, err error) {
	end, ended := h.removed, false
	err = w.w.Each(ctx, func(row Row) error {
		var position int64
		var at time.Time
		err := row.Scan(&position, &at)
		if ended = ended || position > h.last-keep && !at.Before(before); !ended {
			end = position
		}
		return err
	}, "feed.oldest", h.store, h.label, h.removed, limit)
	if err != nil {
		return end, err
	}
	w.w.Erased()
	if err := w.w.Queue(ctx, "feed.remove", h.store, h.label, end); err != nil {
		return end, err
	}
	return end, w.w.Queue(ctx, "feed.set_removed", end, h.store, h.label)
}

// TrimChanges implements indexer.VectorWriter. It removes the records from the first one to the
// last old one that no recent one precedes, so that the positions of the others have no gaps.
// Old is a record with a time before the given one; the writer's clock has set its time. A
// record with a time in the future is neither old nor recent: it is removed if an old one
// follows it.
func (w Writes) TrimChanges(ctx context.Context, before, now time.Time, limit int) (more bool, err error) {
	var last, end int64
	for ended := false; end == 0 && !ended; {
		left := limit
		err := w.w.Each(ctx, func(row Row) error {
			var at time.Time
			err := row.Scan(&last, &at)
			left--
			old := at.Before(before)
			ended = ended || !old && !at.After(now)
			if old && !ended {
				end = last
			}
			return err
		}, "change.oldest", last, limit)
		if err != nil {
			return false, err
		}
		ended = ended || left > 0
	}
	if end == 0 {
		return false, nil
	}
	_, err = w.w.Exec(ctx, "change.remove", end)
	return true, err
}
