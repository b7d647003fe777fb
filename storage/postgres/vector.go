package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/storage/sqlcommon"
	"mneme/vector"
)

// recordChange records that an entry's vectors changed.
func (w *writer) recordChange(id uuid.UUID) { w.changes = append(w.changes, id) }

// flushChanges queues the insertion of the collected changes, which assigns their positions.
func (w *writer) flushChanges() {
	if len(w.changes) == 0 {
		return
	}
	ids := make([][16]byte, len(w.changes))
	for i, id := range w.changes {
		ids[i] = id
	}
	w.changes = nil
	w.queueStatement("change.insert", ids, time.Now())
}

// lockedRow is what SaveVectors must know about an entry's row that PrepareVectors has locked.
type lockedRow struct {
	store      int64
	revision   int64
	embeddable bool
	saved      []int64 // the models whose vectors the transaction has written
}

// PrepareVectors implements indexer.VectorWriter. It locks the settings and then the rows of
// the entries. The locks on the settings are shared, since workers save concurrently.
func (w *writer) PrepareVectors(ctx context.Context, entries []uuid.UUID, settings []string) error {
	keys := []int64{databaseLock}
	for _, name := range settings {
		keys = append(keys, lockKey("meta", name))
	}
	w.queueStatement("lock.share_many", keys)
	w.setRLSAll()
	return w.queryBatch(ctx, []batchQuery{w.metasQuery(settings), {"vector.lock_many", []any{idList(entries)}, func(rows pgx.Rows) error {
		var id uuid.UUID
		var row lockedRow
		err := rows.Scan((*[16]byte)(&id), &row.store, &row.revision, &row.embeddable)
		w.locked[id] = row
		return err
	}}})
}

// SaveVectors implements indexer.VectorWriter.
func (w *writer) SaveVectors(ctx context.Context, id uuid.UUID, revision int64, fingerprint string, records []vector.Record) (bool, error) {
	w.setRLSAll()
	row, found := w.locked[id]
	err := w.ready(ctx)
	if !found {
		found, err = w.one(ctx, []any{&row.store, &row.revision, &row.embeddable}, "vector.lock", [16]byte(id))
	}
	if err != nil || !found || row.revision != revision || len(records) > 0 && !row.embeddable {
		return false, err
	}
	model, err := w.model(ctx, fingerprint)
	if err != nil {
		return false, err
	}
	again, changed := slices.Contains(row.saved, model), len(row.saved) > 0
	row.saved = append(row.saved, model)
	w.locked[id] = row
	if again { // two rows of one statement must not have the same key
		if err := w.flushBatch(ctx); err != nil {
			return false, err
		}
	}
	if len(records) == 0 && changed {
		w.bulk.add(bulkOldVectors, model, [16]byte(id), row.store)
		w.recordChange(id) // also if nothing is removed
		return true, nil
	}
	if len(records) == 0 {
		removed, err := w.affected(ctx, "vector.delete_of_model", model, [16]byte(id), row.store)
		if removed > 0 {
			w.recordChange(id)
		}
		return err == nil, err
	}
	w.bulk.add(bulkOldVectors, model, [16]byte(id), row.store)
	for _, record := range records {
		half := record.Vector.Bytes()
		w.bulk.add(bulkVector, model, row.store, [16]byte(id), record.Chunk, revision, half, record.Codes)
		w.bulk.bytes += len(half) + len(record.Codes)
	}
	w.recordChange(id)
	if w.bulk.full() {
		err = w.flushBatch(ctx)
	}
	return err == nil, err
}

// model is sqlcommon.Model, and caches its result.
func (w *writer) model(ctx context.Context, fingerprint string) (int64, error) {
	if number, ok := w.models[fingerprint]; ok {
		return number, nil
	}
	number, err := sqlcommon.Model(ctx, w, fingerprint)
	if err == nil {
		w.models[fingerprint] = number
	}
	return number, err
}

// dropVectors removes all vectors of an entry of a store.
func (w *writer) dropVectors(ctx context.Context, id uuid.UUID, store int64) error {
	n, err := w.affected(ctx, "vector.delete", [16]byte(id), store)
	if err == nil && n > 0 {
		w.recordChange(id)
	}
	return err
}

// moveVectors updates the vectors of a replaced row. It drops them if the row is no longer
// searchable. If the row moved to another store or label, by which indexes partition vectors,
// it records a change.
func (w *writer) moveVectors(ctx context.Context, id uuid.UUID, old, next *storedRow) error {
	if !next.Indexed() {
		return w.dropVectors(ctx, id, old.Store)
	}
	var found bool
	var err error
	switch {
	case old.Store != next.Store:
		var n int64
		n, err = w.affected(ctx, "vector.move", [16]byte(id), old.Store, next.Store)
		found = n > 0
	case old.Label != next.Label:
		found, err = w.one(ctx, []any{new(int)}, "vector.has", [16]byte(id), old.Store)
	}
	if err == nil && found {
		w.recordChange(id)
	}
	return err
}

// DropVectors implements indexer.VectorWriter.
func (w *writeTx) DropVectors(ctx context.Context, keep []string) error {
	clear(w.models)
	return w.Writes.DropVectors(ctx, keep)
}
