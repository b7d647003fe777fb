package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// pageSize is SQLite's default.
const pageSize = 4096

// damagedFile writes a database and overwrites the headers of pages from first on.
func damagedFile(t *testing.T, first int64) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "mneme.db")
	s := openAt(t, path)
	long := strings.Repeat("needle in a heap of hay ", 100)
	for i := range 200 {
		if err := putEntry(t.Context(), s, newEntry(fmt.Sprint("note/", i), long), long); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for at := first * pageSize; at < info.Size(); at += pageSize {
		if _, err := file.WriteAt([]byte{0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa}, at); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestADamagedFileIsRefusedWithAdvice(t *testing.T) {
	_, err := Open(t.Context(), damagedFile(t, 0))
	if !errors.Is(err, ErrDamaged) || !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("error is %v", err)
	}
}

// The pages of the schema are intact; the pages of the newest entries are damaged. Opening the
// file does not read them.
func TestDamageThatIsFoundStopsEveryTransaction(t *testing.T) {
	for name, find := range map[string]func(s *Storage) error{
		"by the check": func(s *Storage) error { return s.Check(t.Context()) },
		"by a read": func(s *Storage) error {
			return s.View(t.Context(), func(tx memory.ReadTx) error {
				_, err := tx.IdempotencyRecord(t.Context(), memory.IdempotencyKey{})
				for i := 0; err == nil && i < 200; i++ {
					var at []memory.Entry
					if at, err = tx.At(t.Context(), newEntry(fmt.Sprint("note/", i), "").Path.At(acl.Restricted)); err == nil && len(at) > 0 {
						_, err = tx.Get(t.Context(), []uuid.UUID{at[0].ID})
					}
				}
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := damagedFile(t, 90)
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatalf("the damage is meant to be found later: %v", err)
			}
			defer func() { _ = s.Close() }()
			if err := find(s); !errors.Is(err, ErrDamaged) {
				t.Fatalf("error is %v", err)
			}
			if err := s.View(t.Context(), func(memory.ReadTx) error { return nil }); !errors.Is(err, ErrDamaged) {
				t.Errorf("a read afterwards: %v", err)
			}
			if err := putEntry(t.Context(), s, newEntry("late", "needle"), "needle"); !errors.Is(err, ErrDamaged) {
				t.Errorf("a write afterwards: %v", err)
			}
		})
	}
}

func TestACheckOfASoundFileFindsNothing(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	if err := putEntry(t.Context(), s, newEntry("note", "needle"), "needle"); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if n := countHits(t, s, "needle"); n != 1 {
		t.Errorf("%d hits after the check", n)
	}
}

// Each connection caches the segments of the FTS5 index, and FTS5's own check compares the index
// with that cache: it may be older than the index.
func TestWritesSinceACheckAreNotDamage(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	for round := range 3 {
		for i := range 20 {
			must(t, putEntry(t.Context(), s, newEntry(fmt.Sprint(round, "/", i), "needle"), "needle"))
		}
		must(t, s.Check(t.Context()))
	}
}
