package sqlcommon

import (
	"context"
	"encoding/json"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/indexer"
	"mneme/memory"
)

// PutReading implements memory.ReadingWriter.
func (w Writes) PutReading(ctx context.Context, c memory.ReadingChange) error {
	language := any(nil)
	if c.Language != nil {
		language = int64(*c.Language)
	}
	if _, err := w.w.Exec(ctx, "reading.put", c.Store, language, c.Asked, c.Multilingual, c.Mixed); err != nil {
		return err
	}
	if !c.QueuedAt.IsZero() {
		if err := w.setUnread(ctx, c); err != nil {
			return err
		}
		left := indexer.Unqueued{Store: c.Store, QueuedAt: c.QueuedAt, Lacking: c.Lacking, From: c.From}
		if err := w.queueStore(ctx, left); err != nil {
			return err
		}
	}
	if c.QueuedAt.IsZero() && !c.Indexed {
		return nil
	}
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return err
	}
	_, err := w.w.Exec(ctx, "reading.set_indexed", c.Store)
	return err
}

// setUnread records the lowest label whose entries a model has yet to embed. If English was
// chosen, that is the English model: all entries, if the multilingual model has embedded any.
// Else it is the multilingual model.
func (w Writes) setUnread(ctx context.Context, c memory.ReadingChange) error {
	known, err := w.reads.StoreFacts(ctx, []string{c.Store})
	if err != nil {
		return err
	}
	now := choice.Of(known[c.Store].Detail)
	from := now.MultilingualFrom()
	if now.Language == choice.LanguageEnglish && now.Multilingual > 0 {
		from = acl.Public
	}
	switch {
	case c.Language != nil: // the choice also replaces the label that was recorded before
	case !c.Asked && c.Mixed == 0:
		return nil
	case now.Unread > 0:
		from = min(from, now.Unread)
	}
	_, err = w.w.Exec(ctx, "reading.set_unread", c.Store, from, c.QueuedAt)
	return err
}

// CountUnread implements memory.ReadingReader.
func (r Reads) CountUnread(ctx context.Context, store string, from, ceiling acl.Label) (n int64, err error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return 0, err
	}
	left, err := r.Meta(ctx, unqueuedName(store))
	if err != nil {
		return 0, err
	}
	if left != nil {
		var of indexer.Unqueued
		if err := json.Unmarshal(left, &of); err != nil {
			return 0, err
		}
		if _, err := One(ctx, r.r, []any{&n}, "reading.count_unqueued", store, max(from, of.From), ceiling, of.After); err != nil {
			return 0, err
		}
	}
	var queued int64
	_, err = One(ctx, r.r, []any{&queued}, "reading.count_unread", store, from, ceiling)
	return n + queued, err
}
