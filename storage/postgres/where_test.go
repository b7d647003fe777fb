package postgres

import (
	"testing"

	"mneme/storage"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/storagetest"
)

func FuzzWhere(f *testing.F) {
	storagetest.FuzzWhere(f, func(t testing.TB) storage.Storage { return openAt(t, postgrestest.Database(t)) })
}

func FuzzMatch(f *testing.F) {
	storagetest.FuzzMatch(f, func(t testing.TB) storage.Storage { return openAt(t, postgrestest.Database(t)) })
}
