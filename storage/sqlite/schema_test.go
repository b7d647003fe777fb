package sqlite

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSchemasAreReadDuringAndAfterAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	s := openAt(t, path)
	check := func(path string) {
		t.Helper()
		if version, newest, err := ReadSchema(t.Context(), path); err != nil || version != newest || newest < 2 {
			t.Errorf("%d of %d, %v", version, newest, err)
		}
	}
	check(path)
	// A killed process leaves the log, without its index.
	killed := filepath.Join(t.TempDir(), "mneme.db")
	for _, ending := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + ending)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(killed+ending, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check(killed)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check(path)
}

func TestAFileWithoutSchemaHasVersionZero(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if version, newest, err := ReadSchema(t.Context(), path); err != nil || version != 0 || newest < 2 {
		t.Errorf("%d of %d, %v", version, newest, err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("the file was written: %v, %v", info, err)
	}
}
