package postgres

import (
	"context"
	"fmt"
	"time"

	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// Load implements memory.Loader. It takes the database lock, so that no other
// writing transaction runs until the commit.
func (w *writer) Load(ctx context.Context, record memory.DumpRecord, doc lexical.Document) error {
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

const insertVersion = `INSERT INTO history (id, store, label, in_context, encrypted, revision, version, created_at, updated_at,
	expires_at, deleted_at, owner, updated_by, deleted_by, namespace, key, type, description, tags, source, value,
	type_by, description_by, occurred_at, occurred_date, occurred_precision)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) ON CONFLICT DO NOTHING`

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
	if err := sqlcommon.Insert(ctx, w, insertVersion, append([]any{v.ID, store.number, v.Label}, entryValues(v)...)...); err != nil {
		return err
	}
	w.addPast(v.ID, row.Store, row.Past, int64(len(v.Value)+len(v.Source)))
	return nil
}
