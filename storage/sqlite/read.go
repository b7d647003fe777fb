package sqlite

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// PrepareWrite implements memory.EntryWriter. It does nothing: a read costs no round trip, and
// only one writer runs at a time.
func (*writer) PrepareWrite(context.Context, memory.WritePlan) error { return nil }

// PrepareVectors implements indexer.VectorWriter. It does nothing, like PrepareWrite.
func (*writer) PrepareVectors(context.Context, []uuid.UUID, []string) error { return nil }

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
