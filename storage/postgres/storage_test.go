package postgres

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mneme/storage"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/storagetest"
)

func openAt(t testing.TB, dsn string) *Storage {
	t.Helper()
	s, err := Open(t.Context(), dsn, Options{StatementTimeout: 5 * time.Minute})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// reused is a storage whose database is emptied and used again after Close: the suite needs
// hundreds of empty databases, and creating one takes 0.2 s.
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

// onEachLayout runs a test on plain and on partitioned databases.
func onEachLayout(t *testing.T, test func(t *testing.T, database func(testing.TB) string)) {
	postgrestest.DSN(t) // skip here: a subtest could not skip this test
	t.Run("plain", func(t *testing.T) { test(t, postgrestest.Database) })
	t.Run("partitioned", func(t *testing.T) {
		if testing.Short() {
			t.Skip("-short looks for races, of which both layouts have the same")
		}
		test(t, partitionedDatabase)
	})
}

// partitionedDatabase creates an empty database with four partitions.
func partitionedDatabase(t testing.TB) string {
	t.Helper()
	dsn := postgrestest.Database(t)
	s, err := Open(t.Context(), dsn, Options{Partitions: 4})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dsn
}

func TestTheDSNLimitsTheConnections(t *testing.T) {
	const dsn = "postgres://mneme:hush@db.example.com/mneme"
	pgxDefault := max(4, runtime.NumCPU())
	for _, c := range []struct {
		query   string
		options Options
		want    int
	}{
		{"", Options{}, max(24, 6*runtime.GOMAXPROCS(0))},
		{"", Options{MaxConns: 7}, 7},
		{"?pool_max_conns=2", Options{}, 2},
		{fmt.Sprint("?pool_max_conns=", pgxDefault), Options{}, pgxDefault},
		{"?pool_max_conns=2", Options{MaxConns: 7}, 7},
	} {
		config, err := c.options.parse(dsn + c.query)
		must(t, err)
		if got := int(config.MaxConns); got != c.want {
			t.Errorf("%s, %+v: %d connections, want %d", c.query, c.options, got, c.want)
		}
	}
	for _, impossible := range []string{"1", "0", "-1", "many"} {
		_, err := Open(t.Context(), dsn+"?pool_max_conns="+impossible, Options{})
		if err == nil || !strings.Contains(err.Error(), "pool_max_conns") || strings.Contains(err.Error(), "hush") {
			t.Errorf("pool_max_conns=%s: error %v", impossible, err)
		}
	}
}

func TestStorage(t *testing.T) {
	onEachLayout(t, runSuite)
}

func runSuite(t *testing.T, database func(testing.TB) string) {
	var mu sync.Mutex
	var free []string
	take := func() string {
		mu.Lock()
		defer mu.Unlock()
		if len(free) == 0 {
			return database(t)
		}
		dsn := free[len(free)-1]
		free = free[:len(free)-1]
		return dsn
	}
	storagetest.Run(t, func(inner testing.TB) storage.Storage {
		dsn := take()
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
