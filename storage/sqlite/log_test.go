package sqlite

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

// Some time after the last commit, the database file contains it even without the log.
func TestTheLogIsMovedAfterTheLastCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	s := openAt(t, path)
	defer func() { _ = s.Close() }()
	e := newEntry("k", "words")
	if err := putEntry(t.Context(), s, e, "words"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); !hasWithoutLog(t, path, e.ID); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the entry is only in the log")
		}
	}
}

// hasWithoutLog reports whether a copy of the file alone has an entry. A copy that was made while
// the log was moved may be unreadable.
func hasWithoutLog(t *testing.T, path string, id uuid.UUID) bool {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	without := filepath.Join(t.TempDir(), "mneme.db")
	if err := os.WriteFile(without, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), without)
	if err != nil {
		return false
	}
	defer func() { _ = s.Close() }()
	var found []memory.Entry
	err = s.View(t.Context(), func(tx memory.ReadTx) (err error) {
		found, err = tx.Get(t.Context(), []uuid.UUID{id})
		return err
	})
	return err == nil && len(found) == 1
}
