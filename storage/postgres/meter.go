package postgres

import (
	"context"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
)

var (
	_ meter.ReadTx = (*reader)(nil)
	_ meter.Tx     = (*writer)(nil)
)

// ForMeter implements storage.Storage.
func (s *Storage) ForMeter() meter.Storage { return forMeter{s} }

// forMeter is a Storage with the interface of package meter.
type forMeter struct{ storage *Storage }

// View implements meter.Storage.
func (f forMeter) View(ctx context.Context, fn func(meter.ReadTx) error) error {
	return f.storage.view(ctx, func(r *reader) error { return fn(r) })
}

// Update implements meter.Storage.
func (f forMeter) Update(ctx context.Context, fn func(meter.Tx) error) error {
	return f.storage.update(ctx, func(w *writer) error { return fn(w) })
}

// Reading implements meter.Storage. tx is a *reader or a *writer.
func (forMeter) Reading(tx memory.ReadTx) meter.ReadTx { return tx.(meter.ReadTx) }

// Writing implements meter.Storage.
func (forMeter) Writing(tx memory.Tx) meter.Tx { return tx.(*writer) }

// Lock implements meter.Locker.
func (w *writer) Lock(ctx context.Context, names ...string) error {
	keys := make([]int64, len(names))
	for i, name := range names {
		keys[i] = lockKey("meter", name)
	}
	return w.lock(ctx, keys...)
}

// optionalID returns the parameter for a nullable ID: null for uuid.Nil.
func optionalID(id uuid.UUID) any {
	if id == uuid.Nil {
		return nil
	}
	return [16]byte(id)
}

// idOrNil returns the ID of a nullable column, uuid.Nil for null.
func idOrNil(id *[16]byte) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return uuid.UUID(*id)
}
