package sqlite

import (
	"mneme/indexer"
	"mneme/storage"
	"mneme/storage/sqlcommon"
)

var _ storage.Storage = (*Storage)(nil)

// ForIndexer implements storage.Storage.
func (s *Storage) ForIndexer() indexer.Storage { return sqlcommon.ForIndexer(s.view, s.update) }
