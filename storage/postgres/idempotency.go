package postgres

import (
	"context"
	"strings"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// IdempotencyRecord implements memory.IdempotencyReader.
func (r *reader) IdempotencyRecord(ctx context.Context, key memory.IdempotencyKey) (*memory.IdempotencyRecord, error) {
	return sqlcommon.IdempotencyRecord(ctx, r, key)
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

// PutIdempotencyRecord implements memory.IdempotencyWriter.
func (w *writer) PutIdempotencyRecord(ctx context.Context, key memory.IdempotencyKey, record memory.IdempotencyRecord) error {
	return sqlcommon.PutIdempotencyRecord(ctx, w, key, record)
}
