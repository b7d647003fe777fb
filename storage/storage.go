// Package storage defines the interface of a storage backend. Each backend is a subpackage.
package storage

import (
	"mneme/indexer"
	"mneme/memory"
	"mneme/meter"
)

// Storage is one database. Package memory reads and writes its rows, package indexer their
// queue and vectors, and package meter the costs of searches. A backend's transaction
// implements the transaction interfaces of all three, so that an entry, its postings and its
// queue row are committed in one transaction. Package storagetest is the conformance suite for
// every backend.
type Storage interface {
	memory.Storage
	// ForIndexer returns the same database with the interface for package indexer. It needs no
	// separate Close.
	ForIndexer() indexer.Storage
	// ForMeter returns the same database with the interface for package meter. It needs no
	// separate Close.
	ForMeter() meter.Storage
}
