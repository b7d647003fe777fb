package sqlite

import (
	"path/filepath"
	"testing"

	"mneme/memory"
	"mneme/storage/storagetest"
)

func open(t testing.TB) memory.Storage {
	return openAt(t, filepath.Join(t.TempDir(), "data", "mneme.db"))
}

func openAt(t testing.TB, path string) *Storage {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return s
}

func TestStorage(t *testing.T) { storagetest.Run(t, open) }
