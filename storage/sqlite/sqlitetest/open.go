// Package sqlitetest opens SQLite databases for tests of the packages that use a
// storage.
package sqlitetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mneme/storage/sqlite"
)

// Open creates a database that is removed when the test ends. It is in a memory-backed file
// system (/dev/shm) if there is one: tests create hundreds of databases, and only the storage's
// own tests depend on the disk.
func Open(t testing.TB) *sqlite.Storage {
	t.Helper()
	empty, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder(t), "mneme.db")
	if err := os.WriteFile(path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	storage, err := sqlite.Open(t.Context(), path)
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

// migrated returns the file of an empty database. Copying it saves each test the migrations,
// which take longer than many tests.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "mneme-test-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a leftover fails no test
	path := filepath.Join(dir, "mneme.db")
	storage, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := storage.Close(); err != nil { // moves the write-ahead log into the file
		return nil, err
	}
	return os.ReadFile(path)
})

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
