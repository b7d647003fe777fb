package sqlite

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// At implements memory.PathReader.
func (r *reader) At(ctx context.Context, query memory.PathQuery) ([]memory.Entry, error) {
	return sqlcommon.At(ctx, query, r.AtPaths, r.siblings)
}

// Prepare implements memory.Preparer. It does nothing: a read costs no round trip, and
// one writer runs at a time.
func (*writer) Prepare(context.Context, memory.Plan) error { return nil }

// Usage implements memory.EntryReader.
func (r *reader) Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (memory.Usage, error) {
	var all, expired memory.Usage
	if _, err := r.one(ctx, []any{&all.Entries, &all.Bytes}, "usage.of", store, label, writer); err != nil || now.IsZero() {
		return all, err
	}
	if _, err := r.one(ctx, []any{&expired.Entries, &expired.Bytes}, "usage.expired", store, label, writer, micros(now)); err != nil {
		return memory.Usage{}, err
	}
	return memory.Usage{Entries: all.Entries - expired.Entries, Bytes: all.Bytes - expired.Bytes}, nil
}
