package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"mneme/indexer"
	"mneme/memory"
	"mneme/vector"
)

// lastChange selects the latest position ever assigned. Its row may be deleted.
const lastChange = "SELECT seq FROM sqlite_sequence WHERE name = 'change'"

// LastChange implements indexer.VectorReader.
func (r *reader) LastChange(ctx context.Context) (last int64, err error) {
	_, err = r.one(ctx, []any{&last}, lastChange)
	return last, err
}

// Changes implements indexer.VectorReader. Positions have no gaps, so that all
// changes after a position are known if the next one is.
func (r *reader) Changes(ctx context.Context, after int64, limit int) (changes []indexer.Change, reset bool, err error) {
	last, err := r.LastChange(ctx)
	if err != nil || after == last {
		return nil, false, err
	}
	err = r.each(ctx, func(rows *sql.Rows) error {
		var c indexer.Change
		err := rows.Scan(&c.Position, (*idColumn)(&c.Entry))
		changes = append(changes, c)
		return err
	}, "SELECT position, entry FROM change WHERE position > ? ORDER BY position LIMIT ?", after, max(limit, 1))
	if err != nil {
		return nil, false, err
	}
	// A position beyond the last one is from another database.
	if after > last || len(changes) == 0 || changes[0].Position != after+1 {
		return nil, true, nil
	}
	return changes, false, nil
}

func (w *writer) recordChange(ctx context.Context, id uuid.UUID) error {
	_, err := w.exec(ctx, "INSERT INTO change (entry, at) VALUES (?, ?)", id[:], micros(time.Now()))
	return err
}

// TrimChanges implements indexer.VectorWriter. The age of change records is by
// this machine's clock.
func (w *writer) TrimChanges(ctx context.Context, before time.Time) error {
	// A prefix, so that the remaining positions have no gaps.
	_, err := w.exec(ctx, `DELETE FROM change WHERE position < coalesce(
		(SELECT position FROM change WHERE at >= ? ORDER BY position LIMIT 1), 9223372036854775807)`, micros(before))
	return err
}

const (
	vectorColumns = `SELECT e.id, v.chunk, e.store, e.label, v.half FROM `
	selectVectors = vectorColumns + `json_each(?1) j CROSS JOIN entry e ON e.id = unhex(j.value)
	CROSS JOIN vector v ON v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = ?2)
	ORDER BY e.doc, v.chunk`
	// In insertion order, which keeps an entry's chunks together: one pass over
	// the table.
	selectAllVectors = vectorColumns + `vector v NOT INDEXED CROSS JOIN entry e ON e.doc = v.doc
	WHERE v.model = (SELECT number FROM model WHERE fingerprint = ?) ORDER BY v.number`
)

// scanVector reads a row of vectorColumns. It decodes the vector into half if it
// has room.
func scanVector(rows *sql.Rows, half vector.Half) (record vector.Record, err error) {
	var data sql.RawBytes
	if err := rows.Scan((*idColumn)(&record.Entry), &record.Chunk, &record.Store, &record.Label, &data); err != nil {
		return record, err
	}
	record.Vector, err = vector.AppendHalf(half[:0], data)
	return record, err
}

// Vectors implements indexer.VectorReader.
func (r *reader) Vectors(ctx context.Context, fingerprint string, ids []uuid.UUID) ([]vector.Record, error) {
	var records []vector.Record
	err := r.each(ctx, func(rows *sql.Rows) error {
		record, err := scanVector(rows, nil)
		records = append(records, record)
		return err
	}, selectVectors, idList(ids), fingerprint)
	return records, err
}

// AllVectors implements indexer.VectorReader.
func (r *reader) AllVectors(ctx context.Context, fingerprint string, yield func(vector.Record) error) error {
	return r.each(ctx, func(rows *sql.Rows) error {
		record, err := scanVector(rows, nil)
		if err != nil {
			return err
		}
		return yield(record)
	}, selectAllVectors, fingerprint)
}

const (
	selectStores       = "SELECT number FROM store ORDER BY number"
	selectStoreEntries = "SELECT id FROM entry WHERE store = ? AND state = 0 AND in_context AND NOT encrypted"
)

// Stores implements indexer.VectorReader.
func (r *reader) Stores(ctx context.Context) (numbers []int64, err error) {
	err = r.each(ctx, func(rows *sql.Rows) error {
		var number int64
		err := rows.Scan(&number)
		numbers = append(numbers, number)
		return err
	}, selectStores)
	return numbers, err
}

// StoreEntries implements indexer.VectorReader.
func (r *reader) StoreEntries(ctx context.Context, store int64) (ids []uuid.UUID, err error) {
	err = r.each(ctx, func(rows *sql.Rows) error {
		var id uuid.UUID
		err := rows.Scan((*idColumn)(&id))
		ids = append(ids, id)
		return err
	}, selectStoreEntries, store)
	return ids, err
}

const (
	// unembedded selects the entries without vectors of model ?1 at time ?2.
	unembedded = `e.state = 0 AND e.in_context AND NOT e.encrypted AND (e.expires_at IS NULL OR e.expires_at > ?2) AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = ?1)
	AND v.revision = e.revision)`
	selectUnembedded = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store` + joinFields + `
	WHERE e.id > ?3 AND ` + unembedded + ` ORDER BY e.id LIMIT ?4`
	countUnembedded = `SELECT count(*) FROM entry e WHERE ` + unembedded
)

// Unembedded implements indexer.RowReader.
func (r *reader) Unembedded(ctx context.Context, fingerprint string, now time.Time, after uuid.UUID, limit int) ([]memory.Entry, error) {
	return r.entries(ctx, selectUnembedded, fingerprint, micros(now), after[:], limit)
}

// CountUnembedded implements indexer.RowReader.
func (r *reader) CountUnembedded(ctx context.Context, fingerprint string, now time.Time) (n int64, err error) {
	_, err = r.one(ctx, []any{&n}, countUnembedded, fingerprint, micros(now))
	return n, err
}

// LockEntries implements indexer.VectorWriter. It does nothing: one writer runs at a
// time.
func (*writer) LockEntries(context.Context, []uuid.UUID) error { return nil }

// SaveVectors implements indexer.VectorWriter.
func (w *writer) SaveVectors(ctx context.Context, id uuid.UUID, revision int64, fingerprint string, records []vector.Record) (bool, error) {
	row, found, err := w.storedRow(ctx, id)
	if err != nil || !found || row.revision != revision {
		return false, err
	}
	if len(records) > 0 && (row.state != live || !row.searchable) {
		return false, nil
	}
	model, err := w.model(ctx, fingerprint)
	if err != nil {
		return false, err
	}
	removed, err := w.affected(ctx, "DELETE FROM vector WHERE doc = ? AND model = ?", row.doc, model)
	if err != nil {
		return false, err
	}
	for _, record := range records {
		if _, err := w.exec(ctx, "INSERT INTO vector (doc, model, chunk, revision, half, codes) VALUES (?, ?, ?, ?, ?, ?)",
			row.doc, model, record.Chunk, revision, record.Vector.Bytes(), nullBytes(record.Codes)); err != nil {
			return false, err
		}
	}
	if removed == 0 && len(records) == 0 {
		return true, nil
	}
	return true, w.recordChange(ctx, id)
}

// model returns the number of a fingerprint and assigns one to a new
// fingerprint.
func (w *writer) model(ctx context.Context, fingerprint string) (int64, error) {
	var number int64
	found, err := w.one(ctx, []any{&number}, "SELECT number FROM model WHERE fingerprint = ?", fingerprint)
	if err != nil || found {
		return number, err
	}
	result, err := w.exec(ctx, "INSERT INTO model (fingerprint) VALUES (?)", fingerprint)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// dropVectors removes all vectors of an entry.
func (w *writer) dropVectors(ctx context.Context, id uuid.UUID, doc int64) error {
	n, err := w.affected(ctx, "DELETE FROM vector WHERE doc = ?", doc)
	if err != nil || n == 0 {
		return err
	}
	return w.recordChange(ctx, id)
}

// moveVectors updates the vectors of a replaced row. It drops them if the row is
// no longer searchable. If the row moved to another store or label, by which
// indexes partition vectors, it records a change.
func (w *writer) moveVectors(ctx context.Context, id uuid.UUID, old, next storedRow) error {
	if next.state != live || !next.searchable {
		return w.dropVectors(ctx, id, next.doc)
	}
	if old.store == next.store && old.label == next.label {
		return nil
	}
	found, err := w.one(ctx, []any{new(int)}, "SELECT 1 FROM vector WHERE doc = ? LIMIT 1", next.doc)
	if err != nil || !found {
		return err
	}
	return w.recordChange(ctx, id)
}

// DropVectors implements indexer.VectorWriter.
func (w *writer) DropVectors(ctx context.Context, keep []string) error {
	list, err := textList(keep)
	if err != nil {
		return err
	}
	for _, query := range [...]string{
		"DELETE FROM vector WHERE model NOT IN (SELECT number FROM model WHERE fingerprint IN (SELECT value FROM json_each(?)))",
		"DELETE FROM model WHERE fingerprint NOT IN (SELECT value FROM json_each(?))",
	} {
		if _, err := w.exec(ctx, query, list); err != nil {
			return err
		}
	}
	return nil
}
