package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"
)

// A storage continues with the same file, but not with another state or another file.
func TestContinuesNoticesAnotherState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	change := func(statement string, args ...any) {
		t.Helper()
		err := s.update(t.Context(), func(w *writeTx) error {
			_, err := w.exec(t.Context(), statement, args...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	add := func() {
		t.Helper()
		id := uuid.New()
		change("INSERT INTO change (entry, at) VALUES (?, ?)", id[:], time.Now().UnixMicro())
	}
	goesOn := func() {
		t.Helper()
		if err := s.Continues(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	goesOn()
	for range 3 {
		add()
		goesOn()
	}
	change("DELETE FROM change") // as if trimmed
	goesOn()
	add()
	goesOn()
	// An earlier state, with as many changes made since.
	change("DELETE FROM change WHERE position = 4")
	change("UPDATE sqlite_sequence SET seq = 3 WHERE name = 'change'")
	add()
	if err := s.Continues(t.Context()); !errors.Is(err, ErrReplaced) {
		t.Errorf("another state: %v", err)
	}
	if err := s.update(t.Context(), func(*writeTx) error { return nil }); !errors.Is(err, ErrReplaced) {
		t.Errorf("a write after that: %v", err)
	}
}

func TestAFileThatIsMovedIsNoticed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be moved there")
	}
	path := filepath.Join(t.TempDir(), "mneme.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.update(t.Context(), func(*writeTx) error { return os.Rename(path, path+".former") })
	if !errors.Is(err, ErrReplaced) {
		t.Errorf("the file is moved before the commit: %v", err)
	}
	if err := s.view(t.Context(), func(*readTx) error { return nil }); !errors.Is(err, ErrReplaced) {
		t.Errorf("a read after that: %v", err)
	}
}
