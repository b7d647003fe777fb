package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/acl"
	"mneme/indexer"
	"mneme/memory"
	"mneme/vector"
)

// LastChange implements indexer.VectorReader.
func (r *reader) LastChange(ctx context.Context) (last int64, err error) {
	_, err = r.one(ctx, []any{&last}, "SELECT last FROM change_head")
	return last, err
}

// Changes implements indexer.VectorReader. Positions have no gaps, so that all
// changes after a position are known if the next one is.
func (r *reader) Changes(ctx context.Context, after int64, limit int) (changes []indexer.Change, reset bool, err error) {
	last, err := r.LastChange(ctx)
	if err != nil || after == last {
		return nil, false, err
	}
	err = r.each(ctx, func(rows pgx.Rows) error {
		var c indexer.Change
		err := rows.Scan(&c.Position, (*[16]byte)(&c.Entry))
		changes = append(changes, c)
		return err
	}, "SELECT position, entry FROM change WHERE position > $1 ORDER BY position LIMIT $2", after, max(limit, 1))
	if err != nil {
		return nil, false, err
	}
	// A position beyond the last one is from another database, or from this one
	// before it was restored from a backup.
	if after > last || len(changes) == 0 || changes[0].Position != after+1 {
		return nil, true, nil
	}
	return changes, false, nil
}

// recordChange records that an entry's vectors changed.
func (w *writer) recordChange(id uuid.UUID) { w.changes = append(w.changes, id) }

// The row of change_head is locked until the transaction commits, so that
// positions increase in commit order: once a position is visible, so are all
// before it.
const insertChanges = `WITH head AS (UPDATE change_head SET last = last + cardinality($1::uuid[]) RETURNING last)
	INSERT INTO change (position, entry, at) SELECT head.last - cardinality($1::uuid[]) + c.i, c.entry, $2
	FROM head CROSS JOIN unnest($1::uuid[]) WITH ORDINALITY c (entry, i)`

// flushChanges assigns positions to the changes of the transaction.
func (w *writer) flushChanges() {
	if len(w.changes) == 0 {
		return
	}
	ids := make([][16]byte, len(w.changes))
	for i, id := range w.changes {
		ids[i] = id
	}
	w.changes = nil
	w.queueStatement(insertChanges, ids, time.Now())
}

// LATERAL and OFFSET 0 force the planner to one probe per entry: right after an
// import its statistics are stale.
const (
	vectorColumns = `SELECT v.entry, v.chunk, e.store, e.label, v.half FROM `
	joinEntry     = ` CROSS JOIN LATERAL (SELECT store, label FROM entry WHERE id = v.entry OFFSET 0) e `
	selectVectors = vectorColumns + `model m CROSS JOIN unnest($2::uuid[]) i (id)
	CROSS JOIN LATERAL (SELECT * FROM vector x WHERE x.model = m.number AND x.entry = i.id OFFSET 0) v` + joinEntry + `
	WHERE m.fingerprint = $1 ORDER BY v.entry, v.chunk`
	// In the order of the primary key, which keeps chunks together.
	selectAllVectors = vectorColumns + `(SELECT * FROM vector x
		WHERE x.model = (SELECT number FROM model WHERE fingerprint = $1) AND (x.entry, x.chunk) > ($2, $3)
		ORDER BY x.entry, x.chunk LIMIT $4) v` + joinEntry + `ORDER BY v.entry, v.chunk`
)

// scanVector reads a row of vectorColumns. It decodes the vector into half if it
// has room.
func scanVector(rows pgx.Rows, half vector.Half) (record vector.Record, err error) {
	var label int16
	var data pgtype.DriverBytes
	if err := rows.Scan((*[16]byte)(&record.Entry), &record.Chunk, &record.Store, &label, &data); err != nil {
		return record, err
	}
	record.Label = acl.Label(label)
	record.Vector, err = vector.AppendHalf(half[:0], data)
	return record, err
}

func (r *reader) vectors(ctx context.Context, query string, args ...any) ([]vector.Record, error) {
	var records []vector.Record
	err := r.each(ctx, func(rows pgx.Rows) error {
		record, err := scanVector(rows, nil)
		records = append(records, record)
		return err
	}, query, args...)
	return records, err
}

// TrimChanges implements indexer.VectorWriter. The age of change records is by
// the clocks of the machines that wrote them.
func (w *writer) TrimChanges(ctx context.Context, before time.Time) error {
	// A prefix, so that the remaining positions have no gaps.
	w.queueStatement(`DELETE FROM change WHERE position < coalesce(
		(SELECT position FROM change WHERE at >= $1 ORDER BY position LIMIT 1), 9223372036854775807)`, before)
	return w.flushBatch(ctx)
}

// Vectors implements indexer.VectorReader.
func (r *reader) Vectors(ctx context.Context, fingerprint string, ids []uuid.UUID) ([]vector.Record, error) {
	r.setRLSAll()
	return r.vectors(ctx, selectVectors, fingerprint, idList(ids))
}

// AllVectors implements indexer.VectorReader. It reads page by page, so that a
// slow yield does not run into a statement timeout.
func (r *reader) AllVectors(ctx context.Context, fingerprint string, yield func(vector.Record) error) error {
	const pageSize = 2048
	r.setRLSAll()
	var last vector.Record
	last.Chunk = -1
	for {
		records, err := r.vectors(ctx, selectAllVectors, fingerprint, [16]byte(last.Entry), last.Chunk, pageSize)
		if err != nil {
			return err
		}
		for _, record := range records {
			if err := yield(record); err != nil {
				return err
			}
		}
		if len(records) < pageSize {
			return nil
		}
		last = records[pageSize-1]
	}
}

// Stores implements indexer.VectorReader.
func (r *reader) Stores(ctx context.Context) (numbers []int64, err error) {
	r.setRLSAll()
	err = r.each(ctx, func(rows pgx.Rows) error {
		var number int64
		err := rows.Scan(&number)
		numbers = append(numbers, number)
		return err
	}, "SELECT number FROM store ORDER BY number")
	return numbers, err
}

// StoreEntries implements indexer.VectorReader.
func (r *reader) StoreEntries(ctx context.Context, store int64) (ids []uuid.UUID, err error) {
	r.setRLSAll()
	err = r.each(ctx, func(rows pgx.Rows) error {
		var id [16]byte
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, "SELECT id FROM entry WHERE store = $1 AND state = 0 AND in_context AND NOT encrypted", store)
	return ids, err
}

const (
	// unembedded selects the entries without vectors of model $1 at time $2.
	unembedded = `e.state = 0 AND e.in_context AND NOT e.encrypted AND (e.expires_at IS NULL OR e.expires_at > $2) AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.model = (SELECT number FROM model WHERE fingerprint = $1)
	AND v.revision = e.revision)`
	selectUnembedded = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store
	WHERE e.id > $3 AND ` + unembedded + ` ORDER BY e.id LIMIT $4`
	countUnembedded = `SELECT count(*) FROM entry e WHERE ` + unembedded
)

// Unembedded implements indexer.RowReader.
func (r *reader) Unembedded(ctx context.Context, fingerprint string, now time.Time, after uuid.UUID, limit int) ([]memory.Entry, error) {
	r.setRLSAll()
	return r.entries(ctx, selectUnembedded, fingerprint, now, [16]byte(after), limit)
}

// CountUnembedded implements indexer.RowReader.
func (r *reader) CountUnembedded(ctx context.Context, fingerprint string, now time.Time) (n int64, err error) {
	r.setRLSAll()
	_, err = r.one(ctx, []any{&n}, countUnembedded, fingerprint, now)
	return n, err
}

// selectRevision locks the row until the commit. It does not lock the store, so
// that workers do not block other writers.
const selectRevision = `SELECT revision, state = 0 AND in_context AND NOT encrypted FROM entry WHERE id = $1 FOR NO KEY UPDATE`

// selectRevisions locks rows in the order of their keys.
const selectRevisions = `SELECT id, revision, state = 0 AND in_context AND NOT encrypted FROM entry WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE`

// lockedRow is what SaveVectors must know of a row.
type lockedRow struct {
	revision   int64
	embeddable bool
}

// LockEntries implements indexer.VectorWriter.
func (w *writer) LockEntries(ctx context.Context, ids []uuid.UUID) error {
	w.setRLSAll()
	return w.each(ctx, func(rows pgx.Rows) error {
		var id uuid.UUID
		var row lockedRow
		err := rows.Scan((*[16]byte)(&id), &row.revision, &row.embeddable)
		w.locked[id] = row
		return err
	}, selectRevisions, idList(ids))
}

// SaveVectors implements indexer.VectorWriter.
func (w *writer) SaveVectors(ctx context.Context, id uuid.UUID, revision int64, fingerprint string, records []vector.Record) (bool, error) {
	w.setRLSAll()
	row, found := w.locked[id]
	err := w.ready(ctx)
	if !found {
		found, err = w.one(ctx, []any{&row.revision, &row.embeddable}, selectRevision, [16]byte(id))
	}
	if err != nil || !found || row.revision != revision || len(records) > 0 && !row.embeddable {
		return false, err
	}
	delete(w.locked, id) // if it is saved again, what is collected is written first
	model, err := w.model(ctx, fingerprint)
	if err != nil {
		return false, err
	}
	if len(records) == 0 {
		removed, err := w.affected(ctx, writeOne[bulkOldVectors], model, [16]byte(id))
		if removed > 0 {
			w.recordChange(id)
		}
		return err == nil, err
	}
	w.bulk.add(bulkOldVectors, model, [16]byte(id))
	for _, record := range records {
		half := record.Vector.Bytes()
		w.bulk.add(bulkVector, model, [16]byte(id), record.Chunk, revision, half, record.Codes)
		w.bulk.bytes += len(half) + len(record.Codes)
	}
	w.recordChange(id)
	if w.bulk.full() {
		err = w.flushBatch(ctx)
	}
	return err == nil, err
}

// model returns the number of a fingerprint and assigns one to a new
// fingerprint.
func (w *writer) model(ctx context.Context, fingerprint string) (int32, error) {
	if number, ok := w.models[fingerprint]; ok {
		return number, nil
	}
	const query = "SELECT number FROM model WHERE fingerprint = $1"
	var number int32
	found, err := w.one(ctx, []any{&number}, query, fingerprint)
	if err == nil && !found {
		if err := w.exec(ctx, "INSERT INTO model (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING", fingerprint); err != nil {
			return 0, err
		}
		_, err = w.one(ctx, []any{&number}, query, fingerprint)
	}
	if err == nil {
		w.models[fingerprint] = number
	}
	return number, err
}

// dropVectors removes all vectors of an entry.
func (w *writer) dropVectors(ctx context.Context, id uuid.UUID) error {
	n, err := w.affected(ctx, "DELETE FROM vector WHERE model IN (SELECT number FROM model) AND entry = $1", [16]byte(id))
	if err == nil && n > 0 {
		w.recordChange(id)
	}
	return err
}

// moveVectors updates the vectors of a replaced row. It drops them if the row is
// no longer searchable. If the row moved to another store or label, by which
// indexes partition vectors, it records a change.
func (w *writer) moveVectors(ctx context.Context, id uuid.UUID, old, next *storedRow) error {
	if next.state != sqlcommon.Live || !next.searchable {
		return w.dropVectors(ctx, id)
	}
	if old.store == next.store && old.label == next.label {
		return nil
	}
	found, err := w.one(ctx, []any{new(int)}, "SELECT 1 FROM vector WHERE model IN (SELECT number FROM model) AND entry = $1 LIMIT 1", [16]byte(id))
	if err == nil && found {
		w.recordChange(id)
	}
	return err
}

// DropVectors implements indexer.VectorWriter.
func (w *writer) DropVectors(ctx context.Context, keep []string) error {
	if keep == nil {
		keep = []string{}
	}
	w.queueStatement("DELETE FROM vector WHERE model IN (SELECT number FROM model WHERE fingerprint <> ALL($1::text[]))", keep)
	w.queueStatement("DELETE FROM model WHERE fingerprint <> ALL($1::text[])", keep)
	clear(w.models)
	return w.flushBatch(ctx)
}
