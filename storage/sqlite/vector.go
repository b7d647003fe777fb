package sqlite

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/storage/sqlcommon"
	"mneme/vector"
)

func (w *writer) recordChange(ctx context.Context, id uuid.UUID) error {
	_, err := w.exec(ctx, "change.insert", id[:], micros(time.Now()))
	return err
}

// SaveVectors implements indexer.VectorWriter.
func (w *writer) SaveVectors(ctx context.Context, id uuid.UUID, revision int64, fingerprint string, records []vector.Record) (bool, error) {
	row, found, err := w.storedRow(ctx, id)
	if err != nil || !found || row.Revision != revision || len(records) > 0 && !row.Indexed() {
		return false, err
	}
	model, err := sqlcommon.Model(ctx, w, fingerprint)
	if err != nil {
		return false, err
	}
	removed, err := w.affected(ctx, "vector.delete_of_model", row.doc, model)
	if err != nil {
		return false, err
	}
	for _, record := range records {
		if _, err := w.exec(ctx, "vector.insert",
			row.doc, model, record.Chunk, revision, record.Vector.Bytes(), nullBytes(record.Codes)); err != nil {
			return false, err
		}
	}
	if removed == 0 && len(records) == 0 {
		return true, nil
	}
	return true, w.recordChange(ctx, id)
}

// dropVectors removes all vectors of an entry.
func (w *writer) dropVectors(ctx context.Context, id uuid.UUID, doc int64) error {
	n, err := w.affected(ctx, "vector.delete", doc)
	if err != nil || n == 0 {
		return err
	}
	return w.recordChange(ctx, id)
}

// moveVectors updates the vectors of a replaced row. It drops them if the row is no longer
// searchable. If the row moved to another store or label, by which indexes partition vectors,
// it records a change.
func (w *writer) moveVectors(ctx context.Context, id uuid.UUID, old, next storedRow) error {
	if !next.Indexed() {
		return w.dropVectors(ctx, id, next.doc)
	}
	if old.Store == next.Store && old.Label == next.Label {
		return nil
	}
	found, err := w.one(ctx, []any{new(int)}, "vector.has", next.doc)
	if err != nil || !found {
		return err
	}
	return w.recordChange(ctx, id)
}
