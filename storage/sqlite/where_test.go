package sqlite

import (
	"path/filepath"
	"testing"

	"mneme/storage"
	"mneme/storage/storagetest"
)

func FuzzWhere(f *testing.F) {
	storagetest.FuzzWhere(f, func(t testing.TB) storage.Storage { return openAt(t, filepath.Join(t.TempDir(), "mneme.db")) })
}

func FuzzMatch(f *testing.F) {
	storagetest.FuzzMatch(f, func(t testing.TB) storage.Storage { return openAt(t, filepath.Join(t.TempDir(), "mneme.db")) })
}
