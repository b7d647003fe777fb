package sqlite

import (
	"context"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// IdempotencyRecord implements memory.IdempotencyReader.
func (r *reader) IdempotencyRecord(ctx context.Context, key memory.IdempotencyKey) (*memory.IdempotencyRecord, error) {
	return sqlcommon.IdempotencyRecord(ctx, r, key)
}

// insertReplayEntries lists the entries that an idempotency record names, so that a
// purge finds it.
const insertReplayEntries = `INSERT OR IGNORE INTO replay_entry (entry, replay) SELECT unhex(j.value), r.number
	FROM replay r CROSS JOIN json_each(?6) j WHERE r.agent = ?1 AND r.taint = ?2 AND r.call = ?3 AND r.path = ?4 AND r.key = ?5`

// PutIdempotencyRecord implements memory.IdempotencyWriter.
func (w *writer) PutIdempotencyRecord(ctx context.Context, key memory.IdempotencyKey, record memory.IdempotencyRecord) error {
	if err := sqlcommon.PutIdempotencyRecord(ctx, w, key, record); err != nil || len(record.IDs) == 0 {
		return err
	}
	_, err := w.Exec(ctx, insertReplayEntries, key.Agent, key.Taint, key.Operation, key.Path, key.Key, record.IDs)
	return err
}
