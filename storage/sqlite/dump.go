package sqlite

import (
	"context"
	"fmt"
	"time"

	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// Load implements memory.Loader.
func (w *writeTx) Load(ctx context.Context, record memory.DumpRecord, doc lexical.Document) error {
	return sqlcommon.Load(ctx, w, w.Writes, record, doc)
}

// LoadEntry implements sqlcommon.Loading.
func (w *writer) LoadEntry(ctx context.Context, e *memory.Entry, doc lexical.Document) error {
	_, found, err := w.storedRow(ctx, e.ID)
	if err != nil {
		return err
	}
	if found {
		return memory.ErrExists
	}
	return w.put(ctx, e, doc, storedRow{}, false, time.Now())
}

// LoadVersion implements sqlcommon.Loading.
func (w *writer) LoadVersion(ctx context.Context, v *memory.Entry) error {
	row, found, err := w.storedRow(ctx, v.ID)
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("version %d of entry %s precedes its entry", v.Version, v.ID)
	case v.Version == row.Version:
		return memory.ErrExists
	}
	store, err := w.storeNumber(ctx, v.Store)
	if err != nil {
		return err
	}
	at, precision := occurrenceValues(v.OccurredAt)
	args := []any{row.doc, store, v.Label, sqlcommon.UnlessOwner(v, v.TypeBy), sqlcommon.UnlessOwner(v, v.DescriptionBy), at, precision}
	if _, err := w.Exec(ctx, "entry.insert_version", append(args, sqlcommon.EntryValues(v)...)...); err != nil {
		return err
	}
	w.addPast(v.ID, row, int64(len(v.Value)+len(v.Source)))
	return nil
}
