package compose_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"mneme/storage/postgres"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlite"
)

// A new database has the tables, indexes and policies of one that the previous version
// wrote and this one opened.
func TestNewDatabasesHaveTheSchemaOfOpenedOnes(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		fresh, opened := filepath.Join(t.TempDir(), "mneme.db"), filepath.Join(t.TempDir(), "mneme.db")
		if err := os.WriteFile(opened, unpack(t, previousSQLite), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{fresh, opened} {
			s, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		sameSchema(t, "sqlite", fresh, opened,
			`SELECT m.name, c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk FROM sqlite_schema m, pragma_table_xinfo(m.name) c WHERE m.type = 'table'`,
			`SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index'`)
	})
	t.Run("postgres", func(t *testing.T) {
		fresh, opened := postgrestest.Database(t), postgrestest.Database(t)
		loadPrevious(t, opened)
		for _, dsn := range []string{fresh, opened} {
			s, err := postgres.Open(t.Context(), dsn, postgres.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		sameSchema(t, "pgx", fresh, opened,
			`SELECT table_name, ordinal_position, column_name, data_type, collation_name, is_nullable, column_default FROM information_schema.columns WHERE table_schema = 'public'`,
			`SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'`,
			`SELECT tablename, policyname, permissive, cmd, qual FROM pg_policies`,
			`SELECT relname, relrowsecurity, relforcerowsecurity, reloptions::text FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
			`SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace`)
	})
}

// sameSchema checks that two databases answer each query alike.
func sameSchema(t *testing.T, driver, a, b string, queries ...string) {
	t.Helper()
	for _, query := range queries {
		in, of := rowsOf(t, driver, a, query), rowsOf(t, driver, b, query)
		if len(in) == 0 || !slices.Equal(in, of) {
			t.Errorf("%s\nnew:\n%s\nopened:\n%s", query, strings.Join(in, "\n"), strings.Join(of, "\n"))
		}
	}
}

// rowsOf returns the rows of a query as text, in order, without those about migrations.
func rowsOf(t *testing.T, driver, dsn, query string) (lines []string) {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	for err == nil && rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		err = rows.Scan(values...)
		var line strings.Builder
		for _, v := range values {
			fmt.Fprintf(&line, "%q ", v.(*sql.NullString).String)
		}
		if !strings.Contains(line.String(), "goose") && !strings.Contains(line.String(), "sqlite_sequence") {
			lines = append(lines, line.String())
		}
	}
	if err := errors.Join(err, rows.Err()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}
