package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// entries runs a query that returns entry columns, and drops duplicate rows.
func (r *reader) entries(ctx context.Context, query string, args ...any) ([]memory.Entry, error) {
	var found []memory.Entry
	seen := make(map[int64]bool)
	err := r.each(ctx, func(rows *sql.Rows) error {
		doc, e, err := scanEntry(rows)
		if err == nil && !seen[doc] {
			seen[doc] = true
			found = append(found, e)
		}
		return err
	}, query, args...)
	return found, err
}

const selectAt = `SELECT ` + withoutText + ` FROM store s JOIN entry e ON e.store = s.number` + joinFields + `
	WHERE s.id = ? AND e.label IN ` + labels + ` AND e.namespace = ? AND e.key = ? AND e.state = 0 AND e.label <= ?`

// At implements memory.EntryReader.
func (r *reader) At(ctx context.Context, path memory.Path, ceiling acl.Label) ([]memory.Entry, error) {
	return r.entries(ctx, selectAt, path.Store, path.Namespace, path.Key, ceiling)
}

const selectByID = `SELECT ` + withText + ` FROM json_each(?) j
	CROSS JOIN entry e ON e.id = unhex(j.value) JOIN store s ON s.number = e.store` + joinFields + `WHERE e.state < 2`

// Prefetch implements memory.Prefetcher. It does nothing: a read costs no round trip.
func (*writer) Prefetch(context.Context, string, []memory.Path, acl.Label, string, time.Time) error {
	return nil
}

// Get implements memory.EntryReader.
func (r *reader) Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return r.entries(ctx, selectByID, idList(ids))
}

const (
	selectCurrent = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store` + joinFields + `
	WHERE e.id = ? AND e.state < 2`
	// The columns of history have the names of entry's columns.
	selectFormer = `SELECT ` + formerColumns + ` FROM
	(SELECT doc AS mine FROM entry WHERE id = ?1 AND state < 2) CROSS JOIN
	(SELECT h.*, ?1 AS id FROM history h) e ON e.doc = mine JOIN store s ON s.number = e.store
	WHERE e.version < ?2 ORDER BY e.version DESC LIMIT ?3`
)

// History implements memory.EntryReader.
func (r *reader) History(ctx context.Context, id uuid.UUID, before, limit int) ([]memory.Entry, error) {
	versions, err := r.entries(ctx, selectCurrent, id[:])
	if err != nil || len(versions) == 0 || limit <= 0 {
		return nil, err
	}
	if before == 0 {
		before = versions[0].Version + 1
	}
	if before <= versions[0].Version {
		versions = versions[:0]
	}
	// r.entries would drop all but one: versions share their entry's docID.
	err = r.each(ctx, func(rows *sql.Rows) error {
		_, e, err := scanEntry(rows)
		versions = append(versions, e)
		return err
	}, selectFormer, id[:], before, limit-len(versions))
	return versions, err
}

const (
	selectUsage   = `SELECT u.entries, u.bytes FROM store s JOIN usage u ON u.store = s.number AND u.label = ?2 AND u.writer = ?3 WHERE s.id = ?1`
	selectExpired = `SELECT count(*), coalesce(sum(length(e.value)), 0) FROM store s
	CROSS JOIN entry e INDEXED BY entry_expiring ON e.store = s.number AND e.label = ?2
	WHERE s.id = ?1 AND e.state = 0 AND e.expires_at <= ?4 AND e.updated_by = ?3`
)

// Usage implements memory.EntryReader.
func (r *reader) Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (memory.Usage, error) {
	var all, expired memory.Usage
	if _, err := r.one(ctx, []any{&all.Entries, &all.Bytes}, selectUsage, store, label, writer); err != nil {
		return memory.Usage{}, err
	}
	if _, err := r.one(ctx, []any{&expired.Entries, &expired.Bytes}, selectExpired, store, label, writer, micros(now)); err != nil {
		return memory.Usage{}, err
	}
	return memory.Usage{Entries: all.Entries - expired.Entries, Bytes: all.Bytes - expired.Bytes}, nil
}
