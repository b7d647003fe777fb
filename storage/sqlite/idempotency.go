package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"

	"mneme/memory"
)

// Values of the column status. They are internal to the storage.
const (
	statusDone    = 200
	statusCreated = 201
)

const selectIdempotency = `SELECT digest, status, ids, numbers, expires_at FROM replay
	WHERE agent = ? AND taint = ? AND call = ? AND path = ? AND key = ?`

// IdempotencyRecord implements memory.IdempotencyReader.
func (r *reader) IdempotencyRecord(ctx context.Context, key memory.IdempotencyKey) (*memory.IdempotencyRecord, error) {
	var found *memory.IdempotencyRecord
	err := r.each(ctx, func(rows *sql.Rows) error {
		var record memory.IdempotencyRecord
		var status int
		var ids []byte
		var expires int64
		if err := rows.Scan(&record.Digest, &status, &ids, (*[]byte)(&record.Numbers), &expires); err != nil {
			return err
		}
		for ; len(ids) >= 16; ids = ids[16:] {
			record.IDs = append(record.IDs, uuid.UUID(ids[:16]))
		}
		if len(ids) > 0 {
			return fmt.Errorf("sqlite: an idempotency record has %d extra bytes after its IDs", len(ids))
		}
		record.Created = status == statusCreated
		record.ExpiresAt = fromMicros(expires)
		found = &record
		return nil
	}, selectIdempotency, key.Agent, key.Taint, key.Operation, key.Path, key.Key)
	return found, err
}

const (
	insertIdempotency = `INSERT INTO replay (agent, taint, call, path, key, digest, status, ids, numbers, expires_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertIdempotencyEntry = `INSERT OR IGNORE INTO replay_entry (entry, replay) VALUES (?, ?)`
)

// PutIdempotencyRecord implements memory.IdempotencyWriter.
func (w *writer) PutIdempotencyRecord(ctx context.Context, key memory.IdempotencyKey, record memory.IdempotencyRecord) error {
	ids := make([]byte, 0, 16*len(record.IDs))
	for _, id := range record.IDs {
		ids = append(ids, id[:]...)
	}
	status := statusDone
	if record.Created {
		status = statusCreated
	}
	result, err := w.exec(ctx, insertIdempotency, key.Agent, key.Taint, key.Operation, key.Path, key.Key,
		record.Digest, status, ids, nullBytes(record.Numbers), micros(record.ExpiresAt))
	if err != nil {
		return err
	}
	number, err := result.LastInsertId()
	if err != nil {
		return err
	}
	for _, id := range record.IDs {
		if _, err := w.exec(ctx, insertIdempotencyEntry, id[:], number); err != nil {
			return err
		}
	}
	return nil
}
