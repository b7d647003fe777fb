package postgres

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

func (w *writer) flushUsage() {
	if len(w.usage) == 0 {
		return
	}
	var stores, entries, sizes []int64
	var labels []int16
	var writers []string
	for key, u := range w.usage {
		stores, labels, writers = append(stores, key.Store), append(labels, int16(key.Label)), append(writers, key.Writer)
		entries, sizes = append(entries, u.Entries), append(sizes, u.Bytes)
	}
	if len(stores) == 1 {
		w.queueStatement("usage.add", stores[0], labels[0], writers[0], entries[0], sizes[0])
	} else {
		w.queueStatement("usage.add_many", stores, labels, writers, entries, sizes)
	}
	clear(w.usage)
	clear(w.prefetched.usage)
}

// Usage implements memory.EntryReader.
func (w *writer) Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (memory.Usage, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return memory.Usage{}, err
	}
	usage, known := w.prefetched.usage[usageRead{store, writer, label}]
	err := w.ready(ctx)
	if !known || !now.IsZero() {
		usage, err = w.reader.Usage(ctx, store, writer, label, now)
	}
	if row := w.stores[store]; row != nil && err == nil {
		collected := w.usage[sqlcommon.UsageKey{Store: row.number, Label: label, Writer: writer}]
		usage.Entries, usage.Bytes = usage.Entries+collected.Entries, usage.Bytes+collected.Bytes
	}
	return usage, err
}
