package postgres

import (
	"testing"

	"mneme/storage"
	"mneme/storage/storagetest"
)

// The statements are the same on both layouts; their plans differ.
func FuzzWhere(f *testing.F) {
	storagetest.FuzzWhere(f, func(t testing.TB) storage.Storage { return openAt(t, partitionedDatabase(t)) })
}

func FuzzMatch(f *testing.F) {
	storagetest.FuzzMatch(f, func(t testing.TB) storage.Storage { return openAt(t, partitionedDatabase(t)) })
}
