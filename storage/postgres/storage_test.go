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

// reused is a storage whose database is emptied and used again after Close: the
// suite needs hundreds of empty databases, and creating one takes 0.2 s.
type reused struct {
	*Storage
	release func()
}

// Close implements memory.Storage.
func (r reused) Close() error {
	if r.gate.Enter() != nil { // it is closed
		return nil
	}
	r.gate.Leave()
	err := r.Storage.Close()
	r.release()
	return err
}

func TestStorage(t *testing.T) {
	postgrestest.DSN(t) // skip here: a subtest could not skip this test
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
		for _, table := range append(tables, "store", "change", "feed", "feed_head") {
			empty += "; DELETE FROM " + table
		}
		if _, err := s.pool.Exec(inner.Context(), empty+"; COMMIT"); err != nil {
			inner.Fatal(err)
		}
		return reused{s, func() {
			mu.Lock()
			defer mu.Unlock()
			free = append(free, dsn)
		}}
	})
}
