package postgres

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

const (
	insertUsage   = `INSERT INTO usage (store, label, writer, entries, bytes) `
	addUsage      = ` ON CONFLICT (store, label, writer) DO UPDATE SET entries = usage.entries + excluded.entries, bytes = usage.bytes + excluded.bytes`
	addToUsage    = insertUsage + `SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::bigint[], $5::bigint[])` + addUsage
	addToOneUsage = insertUsage + `VALUES ($1, $2, $3, $4, $5)` + addUsage
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
		w.queueStatement(addToOneUsage, stores[0], labels[0], writers[0], entries[0], sizes[0])
	} else {
		w.queueStatement(addToUsage, stores, labels, writers, entries, sizes)
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
