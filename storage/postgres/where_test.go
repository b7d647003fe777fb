package postgres

import (
	"testing"

	"mneme/storage"
	"mneme/storage/storagetest"
)

// Partitioned and plain databases run the same statements by different plans: the fuzz tests use
// a partitioned one.
func FuzzWhere(f *testing.F) {
	storagetest.FuzzWhere(f, func(t testing.TB) storage.Storage { return openAt(t, partitionedDatabase(t)) })
}

func FuzzMatch(f *testing.F) {
	storagetest.FuzzMatch(f, func(t testing.TB) storage.Storage { return openAt(t, partitionedDatabase(t)) })
}
