package postgres

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/memory"
)

// Values of the column status. They are internal to the storage.
const (
	statusDone    = 200
	statusCreated = 201
)

const selectIdempotency = `SELECT digest, status, ids, numbers, expires_at FROM replay
	WHERE agent = $1 AND taint = $2 AND call = $3 AND path = $4 AND key = $5`

// IdempotencyRecord implements memory.IdempotencyReader.
func (r *reader) IdempotencyRecord(ctx context.Context, key memory.IdempotencyKey) (*memory.IdempotencyRecord, error) {
	var found *memory.IdempotencyRecord
	err := r.each(ctx, func(rows pgx.Rows) error {
		var record memory.IdempotencyRecord
		var status int
		var ids [][16]byte
		if err := rows.Scan(&record.Digest, &status, &ids, (*[]byte)(&record.Numbers), &record.ExpiresAt); err != nil {
			return err
		}
		for _, id := range ids {
			record.IDs = append(record.IDs, uuid.UUID(id))
		}
		record.Created = status == statusCreated
		record.ExpiresAt = record.ExpiresAt.UTC()
		found = &record
		return nil
	}, selectIdempotency, key.Agent, int16(key.Taint), key.Operation, key.Path, key.Key)
	return found, err
}

// IdempotencyRecord implements memory.IdempotencyReader. A concurrent call with the same
// key waits here until the first one commits.
func (w *writer) IdempotencyRecord(ctx context.Context, key memory.IdempotencyKey) (*memory.IdempotencyRecord, error) {
	name := strings.Join([]string{key.Agent, key.Taint.String(), key.Operation, key.Path, key.Key}, "\x00")
	if err := w.lock(ctx, lockKey("replay", name)); err != nil {
		return nil, err
	}
	return w.reader.IdempotencyRecord(ctx, key)
}

const insertIdempotency = `INSERT INTO replay (agent, taint, call, path, key, digest, status, ids, numbers, expires_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`

// PutIdempotencyRecord implements memory.IdempotencyWriter.
func (w *writer) PutIdempotencyRecord(ctx context.Context, key memory.IdempotencyKey, record memory.IdempotencyRecord) error {
	ids := make([][16]byte, len(record.IDs))
	for i, id := range record.IDs {
		ids[i] = id
	}
	status := statusDone
	if record.Created {
		status = statusCreated
	}
	n, err := w.affected(ctx, insertIdempotency, key.Agent, int16(key.Taint), key.Operation, key.Path, key.Key,
		record.Digest, status, ids, []byte(record.Numbers), record.ExpiresAt)
	if err == nil && n == 0 {
		return memory.ErrExists
	}
	return err
}
