package sqlcommon

import (
	"context"

	"mneme/memory"
)

// Values of the column status. They are internal to the storages.
const (
	statusDone    = 200
	statusCreated = 201
)

var (
	replays      = NewTable("replay", "agent, taint, call, path, key", "agent, taint, call, path, key, digest, status, ids, numbers, expires_at")
	insertReplay = replays.Insert()
)

const selectReplay = `SELECT digest, status, ids, numbers, expires_at FROM replay
	WHERE agent = $1 AND taint = $2 AND call = $3 AND path = $4 AND key = $5`

// IdempotencyRecord reads the outcome of a call; nil if there is none.
func IdempotencyRecord(ctx context.Context, r Reader, key memory.IdempotencyKey) (*memory.IdempotencyRecord, error) {
	return First(ctx, r, func(row Row) (record memory.IdempotencyRecord, err error) {
		status := 0
		err = row.Scan(&record.Digest, &status, (*IDs)(&record.IDs), (*[]byte)(&record.Numbers), &record.ExpiresAt)
		record.Created = status == statusCreated
		return record, err
	}, selectReplay, replayKey(key)...)
}

// PutIdempotencyRecord keeps the outcome of a call; memory.ErrExists if its key has
// one.
func PutIdempotencyRecord(ctx context.Context, w Writer, key memory.IdempotencyKey, record memory.IdempotencyRecord) error {
	status := statusDone
	if record.Created {
		status = statusCreated
	}
	return Insert(ctx, w, insertReplay, append(replayKey(key), record.Digest, status, IDs(record.IDs), []byte(record.Numbers), record.ExpiresAt)...)
}

func replayKey(key memory.IdempotencyKey) []any {
	return []any{key.Agent, key.Taint, key.Operation, key.Path, key.Key}
}
