package postgres

import (
	"context"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

const (
	addToPast = `INSERT INTO past (entry, store, versions, bytes) VALUES ($1, $2, $3, $4)
	ON CONFLICT ON CONSTRAINT past_pkey DO UPDATE SET versions = past.versions + excluded.versions, bytes = past.bytes + excluded.bytes`
	rehomePast   = "UPDATE past SET store = $3 WHERE entry = $1 AND store = $2"
	selectPast   = "SELECT store, versions, bytes FROM past WHERE entry = $1"
	selectExcess = `SELECT entry FROM past WHERE entry > $1 AND versions > 1 AND (versions > $2 OR bytes > $3)
	ORDER BY entry LIMIT $4`
)

// pastRow is a row of table past.
type pastRow struct {
	store int64
	sqlcommon.Past
}

// addPast counts one more former version of an entry that has had so many.
func (w *writer) addPast(id uuid.UUID, store int64, before sqlcommon.Past, bytes int64) {
	w.past[id] = pastRow{store, sqlcommon.Past{Versions: before.Versions + 1, Bytes: before.Bytes + bytes}}
	w.queueStatement(addToPast, [16]byte(id), store, 1, bytes)
}

// TrimHistory implements memory.HistoryTrimmer. It reads nothing if the entry was put in
// this transaction and is within the limits.
func (w *writer) TrimHistory(ctx context.Context, id uuid.UUID, keep memory.HistoryLimits) error {
	before, put := w.past[id]
	if !put {
		if err := w.lockEntries(ctx, []uuid.UUID{id}); err != nil {
			return err
		}
		if _, err := w.one(ctx, []any{&before.store, &before.Versions, &before.Bytes}, selectPast, [16]byte(id)); err != nil {
			return err
		}
	}
	w.setRLSAll()
	left, err := before.Trim(ctx, w, &statements, id, keep)
	if err == nil && left != before.Past {
		w.past[id] = pastRow{before.store, left}
		w.queueStatement(addToPast, [16]byte(id), before.store, left.Versions-before.Versions, left.Bytes-before.Bytes)
	}
	return err
}

// TrimHistories implements memory.HistoryTrimmer.
func (w *writer) TrimHistories(ctx context.Context, after uuid.UUID, keep memory.HistoryLimits, limit int) ([]uuid.UUID, error) {
	ids, err := sqlcommon.EntryIDs(ctx, w, selectExcess, after, keep.Former(), keep.Bytes, limit)
	if err != nil {
		return nil, err
	}
	return ids, sqlcommon.TrimEach(ctx, w, ids, keep)
}
