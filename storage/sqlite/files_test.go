package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"mneme/storage/sqltext"
)

func TestEachStatementIsPrepared(t *testing.T) {
	withSession(t, func(c *session) {
		for name, statement := range texts.Statements {
			n := len(sqltext.Parameters(statement.Text))
			// EXPLAIN binds the parameters, and the driver does not prepare the statement
			// earlier.
			if err := query(t.Context(), c.conn, "EXPLAIN "+statement.Text, make([]any, n)); err != nil {
				t.Errorf("%s: %s: %v", statement.File, name, err)
			}
			if n > 0 && query(t.Context(), c.conn, "EXPLAIN "+statement.Text, make([]any, n-1)) == nil {
				t.Errorf("%s: %s has fewer than %d parameters", statement.File, name, n)
			}
		}
	})
}

// SQLite itself numbers parameters such as $2 in the order in which they appear. The driver
// binds them by the number in their names.
func TestParametersAreNumberedByName(t *testing.T) {
	withSession(t, func(c *session) {
		var second, first, again int
		err := c.conn.QueryRowContext(t.Context(), "SELECT $2, $1, $2", 1, 2).Scan(&second, &first, &again)
		if must(t, err); first != 1 || second != 2 || again != 2 {
			t.Errorf("$1 is %d, $2 is %d and %d", first, second, again)
		}
	})
}

// withSession runs fn with a reading session of an empty database.
func withSession(t *testing.T, fn func(c *session)) {
	t.Helper()
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	must(t, s.readers.with(t.Context(), func(c *session) error {
		fn(c)
		return nil
	}))
}

// query runs a query and ignores its rows.
func query(ctx context.Context, conn *sql.Conn, text string, args []any) error {
	rows, err := conn.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
	}
	return rows.Err()
}
