// Package storage defines the interface of a storage backend. Each backend is a
// subpackage.
package storage

import (
	"mneme/indexer"
	"mneme/memory"
	"mneme/meter"
)

// Storage is one database. Package memory reads and writes its rows, package
// indexer their queue and vectors, package meter what searches of them cost. A
// backend's transaction implements the transaction interfaces of all three, so
// that an entry, its postings and its queue row commit together. Package storagetest is the suite that every
// backend must pass.
type Storage interface {
	memory.Storage
	// ForIndexer returns the same database with the interface that package
	// indexer uses. It needs no Close of its own.
	ForIndexer() indexer.Storage
	// ForMeter returns the same database with the interface that package meter
	// uses. It needs no Close of its own.
	ForMeter() meter.Storage
}
