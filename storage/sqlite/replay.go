package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"

	"mneme/memory"
)

const selectReplay = `SELECT digest, status, ids, numbers, expires_at FROM replay
	WHERE agent = ? AND taint = ? AND call = ? AND path = ? AND key = ?`

// Replay implements memory.ReadTx.
func (r *reader) Replay(ctx context.Context, key memory.ReplayKey) (*memory.ReplayRecord, error) {
	var found *memory.ReplayRecord
	err := r.each(ctx, func(rows *sql.Rows) error {
		var record memory.ReplayRecord
		var ids []byte
		var expires int64
		if err := rows.Scan(&record.Digest, &record.Status, &ids, (*[]byte)(&record.Numbers), &expires); err != nil {
			return err
		}
		for ; len(ids) >= 16; ids = ids[16:] {
			record.IDs = append(record.IDs, uuid.UUID(ids[:16]))
		}
		if len(ids) > 0 {
			return fmt.Errorf("sqlite: a replay record has %d bytes beyond its ids", len(ids))
		}
		record.ExpiresAt = instant(expires)
		found = &record
		return nil
	}, selectReplay, key.Agent, key.Taint, key.Call, key.Path, key.Key)
	return found, err
}

const (
	insertReplay = `INSERT INTO replay (agent, taint, call, path, key, digest, status, ids, numbers, expires_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertReplayEntry = `INSERT OR IGNORE INTO replay_entry (entry, replay) VALUES (?, ?)`
)

// RecordReplay implements memory.Tx.
func (w *writer) RecordReplay(ctx context.Context, key memory.ReplayKey, record memory.ReplayRecord) error {
	ids := make([]byte, 0, 16*len(record.IDs))
	for _, id := range record.IDs {
		ids = append(ids, id[:]...)
	}
	result, err := w.exec(ctx, insertReplay, key.Agent, key.Taint, key.Call, key.Path, key.Key,
		record.Digest, record.Status, ids, maybeBytes(record.Numbers), micros(record.ExpiresAt))
	if err != nil {
		return err
	}
	number, err := result.LastInsertId()
	if err != nil {
		return err
	}
	for _, id := range record.IDs {
		if _, err := w.exec(ctx, insertReplayEntry, id[:], number); err != nil {
			return err
		}
	}
	return nil
}
