package sqlite

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
	"mneme/storage/sqlcommon"
)

// meterReader is a meter.ReadTx.
type meterReader struct {
	*reader
	sqlcommon.MeterReader
}

// meterWriter is a meter.Tx.
type meterWriter struct {
	*writer
	sqlcommon.MeterWriter
}

func (r *reader) forMeter() meter.ReadTx { return meterReader{r, sqlcommon.NewMeterReader(r)} }

func (w *writer) forMeter() meter.Tx { return meterWriter{w, sqlcommon.NewMeterWriter(w)} }

// ForMeter implements storage.Storage.
func (s *Storage) ForMeter() meter.Storage { return forMeter{s} }

// forMeter is a Storage with the interface of package meter.
type forMeter struct{ storage *Storage }

// View implements meter.Storage.
func (f forMeter) View(ctx context.Context, fn func(meter.ReadTx) error) error {
	return f.storage.view(ctx, func(r *reader) error { return fn(r.forMeter()) })
}

// Update implements meter.Storage.
func (f forMeter) Update(ctx context.Context, fn func(meter.Tx) error) error {
	return f.storage.update(ctx, func(w *writer) error { return fn(w.forMeter()) })
}

// Reading implements meter.Storage. tx is a transaction of this package.
func (forMeter) Reading(tx memory.ReadTx) meter.ReadTx {
	switch tx := tx.(type) {
	case *reader:
		return tx.forMeter()
	case *writer:
		return tx.forMeter()
	default:
		return tx.(meter.ReadTx)
	}
}

// Writing implements meter.Storage. tx is a transaction of this package.
func (forMeter) Writing(tx memory.Tx) meter.Tx {
	if w, ok := tx.(*writer); ok {
		return w.forMeter()
	}
	return tx.(meter.Tx)
}

// Lock implements meter.Locker: nobody else writes during the transaction.
func (w *writer) Lock(ctx context.Context, _ ...string) error { return w.ready(ctx) }

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
