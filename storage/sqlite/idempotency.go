package sqlite

import (
	"context"

	"mneme/memory"
)

// PutOutcome implements memory.IdempotencyWriter. It also lists the entries that the outcome of
// a call names, so that a purge finds the outcome.
func (w *writeTx) PutOutcome(ctx context.Context, key memory.IdempotencyKey, outcome memory.IdempotencyRecord) error {
	if err := w.Writes.PutOutcome(ctx, key, outcome); err != nil {
		return err
	}
	lists := make([][]any, len(outcome.IDs))
	for i, id := range outcome.IDs {
		lists[i] = []any{id, key.Agent, key.Taint, key.Operation, key.Path, key.Key}
	}
	_, err := w.ExecEach(ctx, "replay.add_entry", lists)
	return err
}
