package sqlcommon

import (
	"context"

	"mneme/memory"
)

// Values of column status: whether the call created the entry. Nothing but the storages uses
// them.
const (
	statusDone    = 200
	statusCreated = 201
)

// IdempotencyRecord implements memory.IdempotencyReader.
func (r Reads) IdempotencyRecord(ctx context.Context, key memory.IdempotencyKey) (*memory.IdempotencyRecord, error) {
	return First(ctx, r.r, func(row Row) (record memory.IdempotencyRecord, err error) {
		var status int64
		var ids IDs
		err = row.Scan(&record.Digest, &status, &ids, (*[]byte)(&record.Numbers), &record.ExpiresAt)
		record.IDs, record.Created = ids, status == statusCreated
		return record, err
	}, "replay.outcome", outcomeKey(key)...)
}

func outcomeKey(key memory.IdempotencyKey) []any {
	return []any{key.Agent, key.Taint, key.Operation, key.Path, key.Key}
}

// PutOutcome implements memory.IdempotencyWriter.
func (w Writes) PutOutcome(ctx context.Context, key memory.IdempotencyKey, record memory.IdempotencyRecord) error {
	status := int64(statusDone)
	if record.Created {
		status = statusCreated
	}
	return Insert(ctx, w.w, "replay.insert", append(outcomeKey(key),
		record.Digest, status, IDs(record.IDs), []byte(record.Numbers), record.ExpiresAt)...)
}
