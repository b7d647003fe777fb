package sqlite

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/memory"
)

func (w *writer) flushUsage(ctx context.Context) error {
	for key, u := range w.usage {
		if u != (memory.Usage{}) {
			if _, err := w.exec(ctx, "usage.add", key.Store, key.Label, key.Writer, u.Entries, u.Bytes); err != nil {
				return err
			}
		}
	}
	clear(w.usage)
	return nil
}

// Usage implements memory.EntryReader. Each put of an import calls it, so it flushes only usage
// itself: postings are collected until the commit.
func (w *writer) Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (memory.Usage, error) {
	if err := w.flushUsage(ctx); err != nil {
		return memory.Usage{}, err
	}
	return w.reader.Usage(ctx, store, writer, label, now)
}
