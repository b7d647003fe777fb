package sqlite

import (
	"context"

	"mneme/memory"
)

// PutFact implements memory.FactWriter. It lists the entries that the outcome of a call
// names, by which a purge finds it.
func (w *writer) PutFact(ctx context.Context, fact memory.Fact) error {
	if err := w.Writes.PutFact(ctx, fact); err != nil {
		return err
	}
	outcome, ok := fact.(memory.OutcomeFact)
	if !ok {
		return nil
	}
	lists := make([][]any, len(outcome.IDs))
	for i, id := range outcome.IDs {
		key := outcome.Key
		lists[i] = []any{id, key.Agent, key.Taint, key.Operation, key.Path, key.Key}
	}
	_, err := w.ExecEach(ctx, "replay.add_entry", lists)
	return err
}
