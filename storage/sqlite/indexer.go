package sqlite

import (
	"context"

	"mneme/indexer"
	"mneme/storage"
)

var (
	_ storage.Storage = (*Storage)(nil)
	_ indexer.ReadTx  = (*reader)(nil)
	_ indexer.Tx      = (*writer)(nil)
)

// ForIndexer implements storage.Storage.
func (s *Storage) ForIndexer() indexer.Storage { return forIndexer{s} }

// forIndexer is a Storage with the interface of package indexer.
type forIndexer struct{ storage *Storage }

// View implements indexer.Storage.
func (f forIndexer) View(ctx context.Context, fn func(indexer.ReadTx) error) error {
	return f.storage.view(ctx, func(r *reader) error { return fn(r) })
}

// Update implements indexer.Storage.
func (f forIndexer) Update(ctx context.Context, fn func(indexer.Tx) error) error {
	return f.storage.update(ctx, func(w *writer) error { return fn(w) })
}
