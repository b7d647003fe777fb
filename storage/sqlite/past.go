package sqlite

import (
	"context"
	"database/sql"

	"github.com/google/uuid"

	"mneme/memory"
)

// past counts an entry's former versions.
type past struct {
	versions int64
	bytes    int64 // of their values and sources
}

// pastRow is what a transaction knows of a row of table past. It is written by
// flushPast: a write may add a version and erase one.
type pastRow struct {
	doc     int64
	now     past
	changed bool
}

const (
	upsertPast = `INSERT INTO past (doc, versions, bytes) VALUES (?, ?, ?)
	ON CONFLICT DO UPDATE SET versions = excluded.versions, bytes = excluded.bytes`
	selectOldest = `SELECT version, coalesce(length(value), 0) + coalesce(length(source), 0) FROM history
	WHERE doc = ? ORDER BY version LIMIT ?`
	deleteOldest = "DELETE FROM history WHERE doc = ? AND version <= ?"
	selectExcess = `SELECT e.id FROM past p CROSS JOIN entry e ON e.doc = p.doc
	WHERE p.doc > coalesce((SELECT doc FROM entry WHERE id = ?), 0) AND p.versions > 1 AND (p.versions > ? OR p.bytes > ?)
	ORDER BY p.doc LIMIT ?`
)

// pastOf returns the counts of a stored row.
func (w *writer) pastOf(id uuid.UUID, row storedRow) *pastRow {
	known := w.past[id]
	if known == nil {
		known = &pastRow{doc: row.doc, now: row.past}
		w.past[id] = known
	}
	return known
}

// addPast counts one more former version of a row.
func (w *writer) addPast(id uuid.UUID, row storedRow, bytes int64) {
	known := w.pastOf(id, row)
	known.now.versions, known.now.bytes, known.changed = known.now.versions+1, known.now.bytes+bytes, true
}

// flushPast writes the counts.
func (w *writer) flushPast(ctx context.Context) error {
	for _, p := range w.past {
		if p.changed {
			if _, err := w.exec(ctx, upsertPast, p.doc, p.now.versions, p.now.bytes); err != nil {
				return err
			}
		}
	}
	clear(w.past)
	return nil
}

// TrimHistory implements memory.HistoryTrimmer. It reads sizes, and only of the
// versions that it erases and of one chunk more. It reads nothing if the entry
// was put in this transaction and is within the limits.
func (w *writer) TrimHistory(ctx context.Context, id uuid.UUID, keep memory.HistoryLimits) error {
	known := w.past[id]
	if known == nil {
		row, found, err := w.storedRow(ctx, id)
		if err != nil || !found {
			return err
		}
		known = w.pastOf(id, row)
	}
	for known.now.exceeds(keep) {
		const chunk = 8
		var last int64
		left := known.now
		err := w.each(ctx, func(rows *sql.Rows) error {
			var version, bytes int64
			err := rows.Scan(&version, &bytes)
			if err == nil && left.exceeds(keep) {
				last, left.versions, left.bytes = version, left.versions-1, left.bytes-bytes
			}
			return err
		}, selectOldest, known.doc, min(chunk, max(2, left.versions-keep.Former())))
		if err != nil {
			return err
		}
		if last == 0 { // the count was wrong
			left = past{}
		} else if _, err := w.exec(ctx, deleteOldest, known.doc, last); err != nil {
			return err
		}
		known.now, known.changed, w.dropped = left, true, true
	}
	return nil
}

// exceeds reports whether versions have to go. The newest former one stays.
func (p past) exceeds(keep memory.HistoryLimits) bool {
	return p.versions > 1 && (p.versions > keep.Former() || p.bytes > keep.Bytes)
}

// ExcessHistory implements memory.HistoryTrimmer.
func (w *writer) ExcessHistory(ctx context.Context, keep memory.HistoryLimits, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	if err := w.flushPast(ctx); err != nil {
		return nil, err
	}
	return w.ids(ctx, selectExcess, after[:], keep.Former(), keep.Bytes, limit)
}

const (
	insertAuthor = "INSERT OR REPLACE INTO author (doc, type_by, description_by) VALUES (?, ?, ?)"
	deleteAuthor = "DELETE FROM author WHERE doc = ?"
)

// writeAuthors writes the authors of a row's type and description. known says
// that the row has others than its owner so far.
func (w *writer) writeAuthors(ctx context.Context, e *memory.Entry, doc int64, known bool) (err error) {
	switch {
	case e.TypeBy != e.Owner || e.DescriptionBy != e.Owner:
		_, err = w.exec(ctx, insertAuthor, doc, e.TypeBy, e.DescriptionBy)
	case known:
		_, err = w.exec(ctx, deleteAuthor, doc)
	}
	return err
}

const (
	insertOccurrence = "INSERT OR REPLACE INTO occurrence (doc, at, date) VALUES (?, ?, ?)"
	deleteOccurrence = "DELETE FROM occurrence WHERE doc = ?"
)

// writeOccurrence writes when what a row describes happened. known says that the
// row has it so far.
func (w *writer) writeOccurrence(ctx context.Context, e *memory.Entry, doc int64, known bool) (err error) {
	switch {
	case !e.OccurredAt.IsZero():
		_, err = w.exec(ctx, insertOccurrence, doc, micros(e.OccurredAt.Time), int64(e.OccurredAt.Precision))
	case known:
		_, err = w.exec(ctx, deleteOccurrence, doc)
	}
	return err
}

// occurrenceValues returns the columns of history.
func occurrenceValues(m memory.Moment) (at, precision any) {
	if m.IsZero() {
		return nil, nil
	}
	return micros(m.Time), int64(m.Precision)
}

// unlessOwner returns the column of an author in history.
func unlessOwner(e *memory.Entry, author string) any {
	if author == e.Owner {
		return nil
	}
	return author
}
