package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/memory"
)

const selectAt = `SELECT ` + withoutText + ` FROM store s CROSS JOIN ` + labels + `
	JOIN entry e ON e.store = s.number AND e.label = l.label
	WHERE s.id = $1 AND e.namespace = $2 AND e.key = $3 AND e.state = 0 AND l.label <= $4`

// At implements memory.EntryReader.
func (r *reader) At(ctx context.Context, path memory.Path, ceiling acl.Label) ([]memory.Entry, error) {
	if !storable(path.Store, path.Namespace, path.Key) {
		return nil, nil
	}
	r.setRLSStore(path.Store)
	return r.entries(ctx, selectAt, path.Store, path.Namespace, path.Key, int16(min(ceiling, acl.Restricted)))
}

const selectByID = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store
	WHERE e.id = ANY($1) AND e.state < 2`

// Get implements memory.EntryReader.
func (r *reader) Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	r.setRLSAll()
	return r.entries(ctx, selectByID, idList(ids))
}

const (
	selectCurrent = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store
	WHERE e.id = $1 AND e.state < 2`
	selectFormer = `SELECT ` + withText + ` FROM history e JOIN store s ON s.number = e.store
	WHERE e.id = $1 AND e.version < $2 ORDER BY e.version DESC LIMIT $3`
)

// History implements memory.EntryReader.
func (r *reader) History(ctx context.Context, id uuid.UUID, before, limit int) ([]memory.Entry, error) {
	r.setRLSAll()
	versions, err := r.entries(ctx, selectCurrent, [16]byte(id))
	if err != nil || len(versions) == 0 || limit <= 0 {
		return nil, err
	}
	if before == 0 {
		before = versions[0].Version + 1
	}
	if before <= versions[0].Version {
		versions = versions[:0]
	}
	former, err := r.entries(ctx, selectFormer, [16]byte(id), before, limit-len(versions))
	return append(versions, former...), err
}

// selectSiblings goes from the rows of the IDs to the rows at their paths, by an
// index at each step. OFFSET 0 prevents another join order, which the planner
// may choose if the table was just filled and its statistics are stale.
const selectSiblings = `SELECT ` + candidateColumns + ` FROM unnest($3::uuid[]) AS named (id)
	CROSS JOIN LATERAL (SELECT f.store, f.namespace, f.key, ` + ceilingInScope + ` AS ceiling FROM entry f
		WHERE f.id = named.id AND f.state < 2 AND ` + withinScope + ` OFFSET 0) p
	CROSS JOIN ` + labels + `
	CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.store = p.store AND f.label = l.label
		AND f.namespace = p.namespace AND f.key = p.key AND f.state = 0 AND f.in_context OFFSET 0) e
	JOIN store s ON s.number = e.store
	WHERE l.label <= p.ceiling`

// Siblings implements memory.CandidateReader.
func (r *reader) Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]memory.Entry, error) {
	stores := scope.Indexed()
	if len(ids) == 0 || len(stores) == 0 {
		return nil, nil
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	var found []memory.Entry
	seen := make(map[uuid.UUID]bool)
	err := r.each(ctx, func(rows pgx.Rows) error {
		e, err := scanEntry(rows)
		// Two of the IDs may have the same path.
		if err == nil && !seen[e.ID] {
			seen[e.ID] = true
			found = append(found, e)
		}
		return err
	}, selectSiblings, numbers, ceilings, idList(ids))
	return found, err
}

const selectUsage = `SELECT coalesce(u.entries, 0) - expired.entries, coalesce(u.bytes, 0) - expired.bytes FROM store s
	LEFT JOIN usage u ON u.store = s.number AND u.label = $2 AND u.writer = $3
	CROSS JOIN LATERAL (SELECT count(*) AS entries, coalesce(sum(length(e.value)), 0)::bigint AS bytes FROM entry e
		WHERE e.store = s.number AND e.label = $2 AND e.state = 0 AND e.expires_at <= $4 AND e.updated_by = $3) expired
	WHERE s.id = $1`

// Usage implements memory.EntryReader.
func (r *reader) Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (memory.Usage, error) {
	var u memory.Usage
	r.setRLSStore(store)
	_, err := r.one(ctx, []any{&u.Entries, &u.Bytes}, selectUsage, store, int16(label), writer, now)
	return u, err
}
