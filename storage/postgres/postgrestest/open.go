// Package postgrestest provides PostgreSQL databases and servers for tests. It
// does not import storage/postgres, so that the tests in that package can use it.
package postgrestest

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable is the environment variable with the DSN of the server that tests
// use: a URL with a user that may create databases and roles.
const Variable = "MNEME_POSTGRES_DSN"

// given is Variable's value at the start: some tests clear inherited variables.
var given = os.Getenv(Variable)

// DSN returns the value of Variable. If it is not set, the test is skipped, or
// fails if CI is set.
func DSN(t testing.TB) string {
	t.Helper()
	dsn := cmp.Or(os.Getenv(Variable), given) // read again, so that go test's cache depends on it
	if dsn == "" {
		const missing = Variable + " is not set: it is the DSN of a PostgreSQL server"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return dsn
}

// databases counts the databases of this process, to name them.
var databases atomic.Int64

// Database creates an empty database on the server of Variable and returns its
// DSN. The database is dropped when the test ends.
func Database(t testing.TB) string {
	t.Helper()
	return DatabaseAt(t, DSN(t))
}

// DatabaseAt is like Database on the server of a DSN, which must be a URL. A new role owns the
// database, so that row-level security applies to it as in production.
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

// Administer runs SQL commands on a server, in order.
func Administer(t testing.TB, dsn string, commands ...string) {
	t.Helper()
	ctx := context.Background() // t.Context has ended when cleanup runs
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
