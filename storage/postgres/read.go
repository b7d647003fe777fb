package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

var selectSiblings = scoped{"entry.siblings_in_one", "entry.siblings"}

// Siblings implements memory.PathReader.
func (r *reader) Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]memory.Entry, error) {
	stores := scope.Indexed()
	if len(ids) == 0 || len(stores) == 0 {
		return nil, nil
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	var found []memory.Entry
	seen := make(map[uuid.UUID]bool)
	scan := sqlcommon.ScanCandidates()
	err := r.Each(ctx, func(row sqlcommon.Row) error {
		e, err := scan(row)
		// Two of the IDs may have the same path, whose entries are then found twice.
		if err == nil && !seen[e.ID] {
			seen[e.ID] = true
			found = append(found, e)
		}
		return err
	}, selectSiblings.in(stores), numbers, ceilings, ids)
	return found, err
}

// Usage implements memory.EntryReader.
func (r *reader) Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (memory.Usage, error) {
	var u memory.Usage
	r.setRLSStore(store)
	query, args := "usage.of", []any{store, int16(label), writer}
	if !now.IsZero() {
		query, args = "usage.live", append(args, now)
	}
	_, err := r.one(ctx, []any{&u.Entries, &u.Bytes}, query, args...)
	return u, err
}
