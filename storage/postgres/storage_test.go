package postgres

import (
	"sync"
	"testing"

	"mneme/storage"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/storagetest"
)

func openAt(t testing.TB, dsn string) *Storage {
	t.Helper()
	s, err := Open(t.Context(), dsn, Options{})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// emptied is a storage of which the database is used again: the suite asks
// for hundreds of empty ones, and making a database takes a fifth of a second.
type emptied struct {
	*Storage
	giveBack func()
}

// Close implements memory.Storage.
func (e emptied) Close() error {
	if e.closed.Load() {
		return nil
	}
	err := e.Storage.Close()
	e.giveBack()
	return err
}

func TestStorage(t *testing.T) {
	postgrestest.DSN(t) // before the suite's own tests, which cannot skip this one
	var mu sync.Mutex
	var free []string
	storagetest.Run(t, func(inner testing.TB) storage.Storage {
		mu.Lock()
		defer mu.Unlock()
		if len(free) == 0 {
			free = append(free, postgrestest.Database(t))
		}
		dsn := free[len(free)-1]
		free = free[:len(free)-1]
		s := openAt(inner, dsn)
		empty := "BEGIN; " + setAll + "; UPDATE change_head SET last = 0"
		for _, table := range append(tables, "store", "change") {
			empty += "; DELETE FROM " + table
		}
		if _, err := s.pool.Exec(inner.Context(), empty+"; COMMIT"); err != nil {
			inner.Fatal(err)
		}
		return emptied{s, func() {
			mu.Lock()
			defer mu.Unlock()
			free = append(free, dsn)
		}}
	})
}
