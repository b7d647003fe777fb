// Package sqlitetest opens databases for tests of what stands above the
// storage.
package sqlitetest

import (
	"os"
	"path/filepath"
	"testing"

	"mneme/storage/sqlite"
)

// Open makes a fresh database that is gone with the test. It lies in memory
// where the system has a file system there: tests of rules make hundreds of
// databases, and would wait for nothing but the disk, which the storage's own
// tests are about.
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
