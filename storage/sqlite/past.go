package sqlite

import (
	"context"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// pastRow is a transaction's copy of a row of table past. Several changes of it (a write may add
// a version and erase another) become one statement in flushPast.
type pastRow struct {
	doc     int64
	now     sqlcommon.Past
	changed bool
}

// pastOf returns the counts of a stored row.
func (w *writer) pastOf(id uuid.UUID, row storedRow) *pastRow {
	known := w.past[id]
	if known == nil {
		known = &pastRow{doc: row.doc, now: row.Past}
		w.past[id] = known
	}
	return known
}

// addPast counts one more former version of a row.
func (w *writer) addPast(id uuid.UUID, row storedRow, bytes int64) {
	known := w.pastOf(id, row)
	known.now.Versions, known.now.Bytes, known.changed = known.now.Versions+1, known.now.Bytes+bytes, true
}

// flushPast writes the changed counts.
func (w *writer) flushPast(ctx context.Context) error {
	for _, p := range w.past {
		if p.changed {
			if _, err := w.exec(ctx, "history.put_past", p.doc, p.now.Versions, p.now.Bytes); err != nil {
				return err
			}
		}
	}
	clear(w.past)
	return nil
}

// TrimHistory implements memory.HistoryTrimmer. It reads nothing if the entry was put in
// this transaction and is within the limits.
func (w *writer) TrimHistory(ctx context.Context, id uuid.UUID, keep memory.HistoryLimits) error {
	known := w.past[id]
	if known == nil {
		row, found, err := w.storedRow(ctx, id)
		if err != nil || !found {
			return err
		}
		known = w.pastOf(id, row)
	}
	left, err := known.now.Trim(ctx, w, &sqlDialect, known.doc, keep)
	known.changed = known.changed || left != known.now
	known.now = left
	return err
}

// TrimHistories implements memory.HistoryTrimmer.
func (w *writer) TrimHistories(ctx context.Context, after uuid.UUID, keep memory.HistoryLimits, limit int) ([]uuid.UUID, error) {
	if err := w.flushPast(ctx); err != nil {
		return nil, err
	}
	ids, err := sqlcommon.EntryIDs(ctx, w, "history.excess", after, keep.Former(), keep.Bytes, limit)
	if err != nil {
		return nil, err
	}
	return ids, sqlcommon.TrimEach(ctx, w, ids, keep)
}

// writeAuthors writes the authors of a row's type and description. known reports whether
// authors other than the owner are stored.
func (w *writer) writeAuthors(ctx context.Context, e *memory.Entry, doc int64, known bool) (err error) {
	switch {
	case e.TypeBy != e.Owner || e.DescriptionBy != e.Owner:
		_, err = w.exec(ctx, "entry.put_author", doc, e.TypeBy, e.DescriptionBy)
	case known:
		_, err = w.exec(ctx, "entry.delete_author", doc)
	}
	return err
}

// writeOccurrence writes when a row's event happened. known reports whether that is stored.
func (w *writer) writeOccurrence(ctx context.Context, e *memory.Entry, doc int64, known bool) (err error) {
	switch {
	case !e.OccurredAt.IsZero():
		_, err = w.exec(ctx, "entry.put_occurrence", doc, micros(e.OccurredAt.Time), int64(e.OccurredAt.Precision))
	case known:
		_, err = w.exec(ctx, "entry.delete_occurrence", doc)
	}
	return err
}

// occurrenceValues returns the arguments for the columns of table history that say when an
// entry's event happened.
func occurrenceValues(m memory.Moment) (at, precision any) {
	if m.IsZero() {
		return nil, nil
	}
	return micros(m.Time), int64(m.Precision)
}
