package sqlcommon

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

// ReadTx is a storage's reading transaction.
type ReadTx interface {
	memory.ReadTx
	Reader
}

// Tx is a storage's writing transaction.
type Tx interface {
	memory.Tx
	Writer
	meter.Locker
	// FlushIndex writes the postings and counts that the transaction has collected.
	FlushIndex(ctx context.Context) error
}

// Meter is a storage with the interface of package meter.
type Meter struct {
	view   func(ctx context.Context, fn func(ReadTx) error) error
	update func(ctx context.Context, fn func(Tx) error) error
}

// NewMeter returns a Meter that runs its transactions by view and update, functions of a
// storage.
func NewMeter(view func(ctx context.Context, fn func(ReadTx) error) error, update func(ctx context.Context, fn func(Tx) error) error) *Meter {
	return &Meter{view, update}
}

var _ meter.Storage = (*Meter)(nil)

// meterReadTx is a meter.ReadTx.
type meterReadTx struct {
	ReadTx
	MeterReader
}

// meterTx is a meter.Tx.
type meterTx struct {
	Tx
	MeterWriter
}

// CountInStore implements meter.SaleReader. It first writes the counts that the transaction has
// collected, so that the result includes its entries.
func (tx meterTx) CountInStore(ctx context.Context, store string, ceiling acl.Label, at time.Time) (int64, error) {
	if err := tx.InStore(ctx, store); err != nil {
		return 0, err
	}
	if err := tx.FlushIndex(ctx); err != nil {
		return 0, err
	}
	return tx.MeterWriter.CountInStore(ctx, store, ceiling, at)
}

func reading(tx ReadTx) meter.ReadTx { return meterReadTx{tx, NewMeterReader(tx)} }

func writing(tx Tx) meter.Tx { return meterTx{tx, NewMeterWriter(tx)} }

// View implements meter.Storage.
func (m *Meter) View(ctx context.Context, fn func(meter.ReadTx) error) error {
	return m.view(ctx, func(tx ReadTx) error { return fn(reading(tx)) })
}

// Update implements meter.Storage.
func (m *Meter) Update(ctx context.Context, fn func(meter.Tx) error) error {
	return m.update(ctx, func(tx Tx) error { return fn(writing(tx)) })
}

// Reading implements meter.Storage.
func (m *Meter) Reading(tx memory.ReadTx) meter.ReadTx {
	switch tx := tx.(type) {
	case meter.ReadTx: // of Meter.View or Meter.Update
		return tx
	case Tx:
		return writing(tx)
	default:
		return reading(tx.(ReadTx))
	}
}

// Writing implements meter.Storage.
func (m *Meter) Writing(tx memory.Tx) meter.Tx {
	if tx, ok := tx.(meter.Tx); ok { // of Meter.Update
		return tx
	}
	return writing(tx.(Tx))
}
