package postgres

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mneme/memory"
	"mneme/storage/storagetest"
)

// dsnVariable names the server that the tests use: a URL of a user that may
// create databases and roles. Each test has a database of its own.
const dsnVariable = "MNEME_POSTGRES_DSN"

var databases atomic.Int64

// serverDSN is the server of dsnVariable. Without one a test is skipped, but
// fails where CI is set.
func serverDSN(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv(dsnVariable)
	if dsn == "" {
		const missing = dsnVariable + " names no PostgreSQL server"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return dsn
}

// newDatabase makes an empty database that goes with the test, and returns
// its DSN.
func newDatabase(t testing.TB) string {
	t.Helper()
	dsn := serverDSN(t)
	server, err := url.Parse(dsn)
	if err != nil {
		t.Fatalf("%s is not a URL", dsnVariable)
	}
	name := fmt.Sprintf("mneme_test_%d_%d_%d", os.Getpid(), time.Now().UnixMilli(), databases.Add(1))
	// A role that row-level security binds, as a service's should be.
	administer(t, dsn, "CREATE ROLE "+name+" LOGIN PASSWORD '"+name+"'", "CREATE DATABASE "+name+" OWNER "+name)
	t.Cleanup(func() { administer(t, dsn, "DROP DATABASE "+name+" WITH (FORCE)", "DROP ROLE "+name) })
	server.Path, server.User = "/"+name, url.UserPassword(name, name)
	return server.String()
}

func administer(t testing.TB, dsn string, commands ...string) {
	t.Helper()
	ctx := context.Background() // a test's own has ended at its cleanup
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatalf("connect to the server of %s: %v", dsnVariable, err)
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, command := range commands {
		if _, err := conn.Exec(ctx, command); err != nil {
			t.Fatal(err)
		}
	}
}

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
// for hundreds of empty ones, and making a database takes a third of a second.
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
	serverDSN(t) // before the suite's own tests, which cannot skip this one
	var mu sync.Mutex
	var free []string
	storagetest.Run(t, func(inner testing.TB) memory.Storage {
		mu.Lock()
		defer mu.Unlock()
		if len(free) == 0 {
			free = append(free, newDatabase(t))
		}
		dsn := free[len(free)-1]
		free = free[:len(free)-1]
		s := openAt(inner, dsn)
		empty := "BEGIN; " + seeAll + "; UPDATE change_head SET last = 0"
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
