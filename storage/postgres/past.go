package postgres

import (
	"context"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// pastRow has the counts of an entry's former versions, as in table past.
type pastRow struct {
	store int64
	sqlcommon.Past
}

// addPast adds a former version of some bytes to the counts of an entry. before has the counts
// without it.
func (w *writer) addPast(id uuid.UUID, store int64, before sqlcommon.Past, bytes int64) {
	w.past[id] = pastRow{store, sqlcommon.Past{Versions: before.Versions + 1, Bytes: before.Bytes + bytes}}
	w.queueStatement("history.add_past", [16]byte(id), store, 1, bytes)
}

// TrimHistory implements memory.HistoryTrimmer. It reads nothing if the entry was put in this
// transaction and is within the limits.
func (w *writer) TrimHistory(ctx context.Context, id uuid.UUID, keep memory.HistoryLimits) error {
	before, put := w.past[id]
	if !put {
		if err := w.lockEntries(ctx, []uuid.UUID{id}); err != nil {
			return err
		}
		if _, err := w.one(ctx, []any{&before.store, &before.Versions, &before.Bytes}, "history.past", [16]byte(id)); err != nil {
			return err
		}
	}
	w.setRLSAll()
	left, err := before.Trim(ctx, w, &sqlDialect, id, keep)
	if err == nil && left != before.Past {
		w.past[id] = pastRow{before.store, left}
		w.queueStatement("history.add_past", [16]byte(id), before.store, left.Versions-before.Versions, left.Bytes-before.Bytes)
	}
	return err
}

// TrimHistories implements memory.HistoryTrimmer.
func (w *writer) TrimHistories(ctx context.Context, after uuid.UUID, keep memory.HistoryLimits, limit int) ([]uuid.UUID, error) {
	ids, err := sqlcommon.EntryIDs(ctx, w, "history.excess", after, keep.Former(), keep.Bytes, limit)
	if err != nil {
		return nil, err
	}
	return ids, sqlcommon.TrimEach(ctx, w, ids, keep)
}
