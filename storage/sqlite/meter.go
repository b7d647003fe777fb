package sqlite

import (
	"context"

	"mneme/meter"
	"mneme/storage/sqlcommon"
)

// ForMeter implements storage.Storage.
func (s *Storage) ForMeter() meter.Storage {
	return sqlcommon.NewMeter(
		func(ctx context.Context, fn func(sqlcommon.ReadTx) error) error {
			return s.view(ctx, func(r *readTx) error { return fn(r) })
		},
		func(ctx context.Context, fn func(sqlcommon.Tx) error) error {
			return s.update(ctx, func(w *writeTx) error { return fn(w) })
		})
}

// Lock implements meter.Locker. No other transaction writes during this one.
func (w *writer) Lock(ctx context.Context, _ ...string) error { return w.ready(ctx) }
