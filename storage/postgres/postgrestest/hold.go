package postgrestest

import (
	"context"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Hold runs a SQL command on the database of a DSN, as the user in the DSN of Variable, and
// leaves its transaction open until the test ends, so that others wait for the locks that it has
// taken.
func Hold(t testing.TB, dsn, command string) {
	t.Helper()
	server, err := url.Parse(DSN(t))
	database, invalid := url.Parse(dsn)
	if err != nil || invalid != nil {
		t.Fatal("a DSN is not a URL") // the error quotes it
	}
	server.Path = database.Path
	ctx := context.Background() // t.Context has ended when cleanup runs
	conn, err := pgx.Connect(ctx, server.String())
	if err != nil {
		t.Fatal("the server cannot be reached") // the error quotes the DSN
	}
	t.Cleanup(func() { _ = conn.Close(ctx) })
	for _, command := range []string{"BEGIN", command} {
		if _, err := conn.Exec(ctx, command); err != nil {
			t.Fatal(err)
		}
	}
}
