package indexer

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"mneme/vector"
)

// apply applies one page of changes of vectors to a local index. It returns the number of
// changes.
func (m *models) apply(ctx context.Context, now *serving) (int, error) {
	const page = 1000
	var changes []Change
	var reset bool
	var records []vector.Record
	err := m.storage.View(ctx, func(tx ReadTx) (err error) {
		changes, reset, err = tx.Changes(ctx, now.position, page)
		if err != nil || reset || len(changes) == 0 {
			return err
		}
		records, err = vectorsOf(ctx, tx, now.fingerprint, changed(changes))
		return err
	})
	if err != nil {
		return 0, err
	}
	if reset {
		next, err := m.load(ctx, now.model)
		if err == nil {
			m.current.Store(next)
		}
		return 0, err
	}
	if len(changes) == 0 {
		return 0, nil
	}
	if err := m.replace(ctx, now.index, changed(changes), records); err != nil {
		return 0, err
	}
	now.position = changes[len(changes)-1].Position
	return len(changes), nil
}

// replace replaces the vectors of the entries ids in an index with records. It removes the
// entries that have no records.
func (m *models) replace(ctx context.Context, index vector.Index, ids []uuid.UUID, records []vector.Record) error {
	has := make(map[uuid.UUID]bool, len(ids))
	for _, r := range records {
		has[r.Entry] = true
	}
	removed := slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool { return has[id] })
	if len(removed) > 0 {
		if err := index.Delete(ctx, removed); err != nil {
			return fmt.Errorf("%w: delete: %w", errIndex, err)
		}
	}
	if len(records) > 0 {
		if err := index.Upsert(ctx, records); err != nil {
			return fmt.Errorf("%w: upsert: %w", errIndex, err)
		}
	}
	return nil
}

// remove removes entries from the serving index.
func (m *models) remove(ctx context.Context, ids []uuid.UUID) error {
	if now := m.current.Load(); now != nil {
		if err := now.index.Delete(ctx, ids); err != nil {
			return fmt.Errorf("%w: delete: %w", errIndex, err)
		}
	}
	return nil
}

// changed returns the distinct entries of changes.
func changed(changes []Change) []uuid.UUID {
	ids := make([]uuid.UUID, len(changes))
	for i, change := range changes {
		ids[i] = change.Entry
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
