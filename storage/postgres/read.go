package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// selectSiblings goes from the rows of the IDs to the rows at their paths, by an
// index at each step. OFFSET 0 prevents another join order, which the planner
// may choose if the table was just filled and its statistics are stale.
var selectSiblings = byScope(`SELECT ` + texts.Fill("{entry.candidate}") + ` FROM unnest($3::uuid[]) AS named (id)
	CROSS JOIN LATERAL (SELECT f.store, f.namespace, f.key, ` + ceilingInScope + ` AS ceiling FROM entry f
		WHERE f.id = named.id AND f.state < 2 AND ` + withinScope + ` OFFSET 0) p
	CROSS JOIN ` + labels + `
	CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.store = p.store AND f.label = l.label
		AND f.namespace = p.namespace AND f.key = p.key AND f.state = 0 AND f.in_context OFFSET 0) e
	JOIN store s ON s.number = e.store
	WHERE l.label <= p.ceiling`)

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
	err := r.Each(ctx, func(row sqlcommon.Row) error {
		e, err := sqlcommon.ScanEntry(row)
		// Two of the IDs may have the same path.
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
