package sqlite

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// PrepareWrite implements memory.EntryWriter. It does nothing: a read costs no round trip,
// and one writer runs at a time.
func (*writer) PrepareWrite(context.Context, memory.WritePlan) error { return nil }

// PrepareVectors implements indexer.VectorWriter. It does nothing, like PrepareWrite.
func (*writer) PrepareVectors(context.Context, []uuid.UUID, []string) error { return nil }

const (
	selectUsage   = `SELECT u.entries, u.bytes FROM store s JOIN usage u ON u.store = s.number AND u.label = ?2 AND u.writer = ?3 WHERE s.id = ?1`
	selectExpired = `SELECT count(*), coalesce(sum(length(e.value)), 0) FROM store s
	CROSS JOIN entry e INDEXED BY entry_expiring ON e.store = s.number AND e.label = ?2
	WHERE s.id = ?1 AND e.state = 0 AND e.expires_at <= ?4 AND e.updated_by = ?3`
)

// Usage implements memory.EntryReader.
func (r *reader) Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (memory.Usage, error) {
	var all, expired memory.Usage
	if _, err := r.one(ctx, []any{&all.Entries, &all.Bytes}, selectUsage, store, label, writer); err != nil || now.IsZero() {
		return all, err
	}
	if _, err := r.one(ctx, []any{&expired.Entries, &expired.Bytes}, selectExpired, store, label, writer, micros(now)); err != nil {
		return memory.Usage{}, err
	}
	return memory.Usage{Entries: all.Entries - expired.Entries, Bytes: all.Bytes - expired.Bytes}, nil
}
