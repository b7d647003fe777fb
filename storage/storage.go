// Package storage names what a storage backend implements. Each backend is a
// package of its own below this one.
package storage

import (
	"mneme/indexer"
	"mneme/memory"
)

// Storage is one database with all that mneme keeps in it: the rows, which
// package memory reads and writes, and their queue and vectors, which package
// indexer does. A backend's transaction implements the transactions of both
// packages, so that a written entry, its terms and its queue row commit
// together. Package storagetest has the suite that every backend passes.
type Storage interface {
	memory.Storage
	// ForIndexer returns the same database as package indexer uses it.
	ForIndexer() indexer.Storage
}
