package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/memory"
)

// past counts an entry's former versions.
type past struct {
	versions int64
	bytes    int64 // of their values and sources
}

const (
	addToPast = `INSERT INTO past (entry, versions, bytes) VALUES ($1, $2, $3)
	ON CONFLICT (entry) DO UPDATE SET versions = past.versions + excluded.versions, bytes = past.bytes + excluded.bytes`
	selectPast   = "SELECT versions, bytes FROM past WHERE entry = $1"
	selectOldest = `SELECT version, coalesce(length(value), 0) + coalesce(length(source), 0) FROM history
	WHERE id = $1 ORDER BY version LIMIT $2`
	deleteOldest = "DELETE FROM history WHERE id = $1 AND version <= $2"
	selectExcess = `SELECT entry FROM past WHERE entry > $1 AND versions > 1 AND (versions > $2 OR bytes > $3)
	ORDER BY entry LIMIT $4`
)

// addPast counts one more former version of an entry that has had so many.
func (w *writer) addPast(id uuid.UUID, before past, bytes int64) {
	w.past[id] = past{before.versions + 1, before.bytes + bytes}
	w.queueStatement(addToPast, [16]byte(id), 1, bytes)
}

// TrimHistory implements memory.HistoryTrimmer. It reads sizes, and only of the
// versions that it erases and of one chunk more. It reads nothing if the entry
// was put in this transaction and is within the limits.
func (w *writer) TrimHistory(ctx context.Context, id uuid.UUID, keep memory.HistoryLimits) error {
	before, put := w.past[id]
	if !put {
		if err := w.lockEntries(ctx, []uuid.UUID{id}); err != nil {
			return err
		}
		if _, err := w.one(ctx, []any{&before.versions, &before.bytes}, selectPast, [16]byte(id)); err != nil {
			return err
		}
	}
	left := before
	for left.exceeds(keep) {
		const chunk = 16
		var last int64
		w.setRLSAll()
		err := w.each(ctx, func(rows pgx.Rows) error {
			var version, bytes int64
			err := rows.Scan(&version, &bytes)
			if err == nil && left.exceeds(keep) {
				last, left.versions, left.bytes = version, left.versions-1, left.bytes-bytes
			}
			return err
		}, selectOldest, [16]byte(id), chunk)
		if err != nil {
			return err
		}
		if last == 0 { // the count was wrong
			left = past{}
			break
		}
		w.queueStatement(deleteOldest, [16]byte(id), last)
	}
	if left != before {
		w.past[id] = left
		w.queueStatement(addToPast, [16]byte(id), left.versions-before.versions, left.bytes-before.bytes)
	}
	return nil
}

// exceeds reports whether versions have to go. The newest former one stays.
func (p past) exceeds(keep memory.HistoryLimits) bool {
	return p.versions > 1 && (p.versions > keep.Former() || p.bytes > keep.Bytes)
}

// ExcessHistory implements memory.HistoryTrimmer.
func (w *writer) ExcessHistory(ctx context.Context, keep memory.HistoryLimits, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	return w.ids(ctx, selectExcess, [16]byte(after), keep.Former(), keep.Bytes, limit)
}
