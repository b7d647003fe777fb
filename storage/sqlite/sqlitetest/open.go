// Package sqlitetest opens SQLite databases for tests of the packages that use a
// storage.
package sqlitetest

import (
	"os"
	"path/filepath"
	"testing"

	"mneme/storage/sqlite"
)

// Open creates a database that is removed when the test ends. It is in a
// memory-backed file system (/dev/shm) if there is one: tests create hundreds of
// databases, and only the storage's own tests are about the disk.
func Open(t testing.TB) *sqlite.Storage {
	t.Helper()
	storage, err := sqlite.Open(t.Context(), filepath.Join(folder(t), "mneme.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := storage.Close(); err != nil {
			t.Error(err)
		}
	})
	return storage
}

func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "mneme-test-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
