package postgres

import (
	"context"
	"fmt"
	"time"

	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// Load implements memory.Loader. It takes the database lock, so that no other writing
// transaction runs until the commit.
func (w *writeTx) Load(ctx context.Context, record memory.DumpRecord, doc lexical.Document) error {
	if err := w.lockAll(ctx); err != nil {
		return err
	}
	return sqlcommon.Load(ctx, w, w.Writes, record, doc)
}

// LoadEntry implements sqlcommon.Loading.
func (w *writer) LoadEntry(ctx context.Context, e *memory.Entry, doc lexical.Document) error {
	store, err := w.store(ctx, e.Store)
	if err != nil {
		return err
	}
	old, clash, err := w.anyRow(ctx, e.ID, store.number, *e)
	if err != nil {
		return err
	}
	if old != nil || clash && e.DeletedAt.IsZero() {
		return memory.ErrExists
	}
	return w.put(ctx, e, doc, store, nil, time.Now())
}

// LoadVersion implements sqlcommon.Loading.
func (w *writer) LoadVersion(ctx context.Context, v *memory.Entry) error {
	row, _, err := w.anyRow(ctx, v.ID, 0, memory.Entry{})
	switch {
	case err != nil:
		return err
	case row == nil:
		return fmt.Errorf("version %d of entry %s precedes its entry", v.Version, v.ID)
	case v.Version == row.Version:
		return memory.ErrExists
	}
	store, err := w.store(ctx, v.Store)
	if err != nil {
		return err
	}
	w.setRLSAll()
	if err := sqlcommon.Insert(ctx, w, "entry.insert_version", append([]any{v.ID, store.number, v.Label}, entryValues(v)...)...); err != nil {
		return err
	}
	w.addPast(v.ID, row.Store, row.Past, int64(len(v.Value)+len(v.Source)))
	return nil
}
