// Package postgrestest gives tests PostgreSQL's databases and servers. It
// knows nothing of storage/postgres, so that tests inside that package can
// use it too.
package postgrestest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable names the server that tests use: a URL of a user that may create
// databases and roles.
const Variable = "MNEME_POSTGRES_DSN"

// DSN is the server of Variable. Without one the test is skipped, but fails
// where CI is set.
func DSN(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv(Variable)
	if dsn == "" {
		const missing = Variable + " names no PostgreSQL server"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return dsn
}

var databases atomic.Int64

// Database makes an empty database on the server of Variable, which goes with
// the test, and returns its DSN.
func Database(t testing.TB) string {
	t.Helper()
	return DatabaseAt(t, DSN(t))
}

// DatabaseAt does the same on the server of a DSN, which must be a URL. The
// role is one that row-level security binds, as a service's should be.
func DatabaseAt(t testing.TB, dsn string) string {
	t.Helper()
	server, err := url.Parse(dsn)
	if err != nil {
		t.Fatal("the server's DSN is not a URL") // the error quotes it
	}
	name := fmt.Sprintf("mneme_test_%d_%d_%d", os.Getpid(), time.Now().UnixMilli(), databases.Add(1))
	Administer(t, dsn, "CREATE ROLE "+name+" LOGIN PASSWORD '"+name+"'", "CREATE DATABASE "+name+" OWNER "+name)
	t.Cleanup(func() { Administer(t, dsn, "DROP DATABASE "+name+" WITH (FORCE)", "DROP ROLE "+name) })
	server.Path, server.User = "/"+name, url.UserPassword(name, name)
	return server.String()
}

// Administer runs commands on a server, one after the other.
func Administer(t testing.TB, dsn string, commands ...string) {
	t.Helper()
	ctx := context.Background() // a test's own has ended at its cleanup
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal("the server cannot be reached") // the error quotes the DSN
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, command := range commands {
		if _, err := conn.Exec(ctx, command); err != nil {
			t.Fatal(err)
		}
	}
}
