package sqlite

import (
	"context"
	"fmt"

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

// Lock implements meter.Locker: nobody else writes during the transaction.
func (w *writer) Lock(ctx context.Context, _ ...string) error { return w.ready(ctx) }

// optionalID returns the parameter for a nullable ID: null for uuid.Nil.
func optionalID(id uuid.UUID) any {
	if id == uuid.Nil {
		return nil
	}
	return id[:]
}

// joinIDs returns IDs as one blob, 16 bytes each.
func joinIDs(ids []uuid.UUID) []byte {
	b := make([]byte, 0, 16*len(ids))
	for _, id := range ids {
		b = append(b, id[:]...)
	}
	return b
}

// splitIDs is the inverse of joinIDs.
func splitIDs(b []byte) ([]uuid.UUID, error) {
	if len(b)%16 != 0 {
		return nil, fmt.Errorf("sqlite: a list of IDs has %d bytes", len(b))
	}
	var ids []uuid.UUID
	for ; len(b) > 0; b = b[16:] {
		ids = append(ids, uuid.UUID(b[:16]))
	}
	return ids, nil
}
