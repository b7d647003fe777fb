package sqlcommon

import (
	"context"
	"encoding/json"

	"mneme/acl"
	"mneme/indexer"
	"mneme/memory"
)

// putReading writes what a fact says of how a store is read.
func (w Writes) putReading(ctx context.Context, f memory.ReadingFact) error {
	language := any(nil)
	if f.Language != nil {
		language = int64(*f.Language)
	}
	if _, err := w.w.Exec(ctx, "reading.put", f.Store, language, f.Asked, f.Multilingual, f.Mixed); err != nil {
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
	_, err := w.w.Exec(ctx, "reading.set_indexed", f.Store)
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
	_, err = w.w.Exec(ctx, "reading.set_unread", f.Store, from, f.QueuedAt)
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
		if _, err := One(ctx, r.r, []any{&n}, "reading.count_unqueued", c.Store, max(c.From, of.From), c.Ceiling, of.After); err != nil {
			return 0, err
		}
	}
	var queued int64
	_, err = One(ctx, r.r, []any{&queued}, "reading.count_unread", c.Store, c.From, c.Ceiling)
	return n + queued, err
}
