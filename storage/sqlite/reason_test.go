package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/memory"
)

func TestErrorsOfTheFileSayWhatToDo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "it is not a database") || !strings.Contains(err.Error(), "restore a backup") {
		t.Errorf("not a database: %v", err)
	}
	folder := filepath.Join(t.TempDir(), "mneme.db")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "mneme must be able to write to the data folder") {
		t.Errorf("a folder: %v", err)
	}
}

// The error of a statement, not only that of Open, says what to do.
func TestAFullDatabaseSaysSo(t *testing.T) {
	db, err := sql.Open("sqlite", dsn(filepath.Join(t.TempDir(), "full.db"), writing))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	run := func(query string) error {
		_, err := db.ExecContext(context.Background(), query)
		return err
	}
	if err := errors.Join(run("CREATE TABLE t (x)"), run("PRAGMA max_page_count = 2")); err != nil {
		t.Fatal(err)
	}
	err = interpret("write", run("INSERT INTO t VALUES (zeroblob(100000))"))
	if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "the disk is full: make room") {
		t.Error(err)
	}
	if err := run("PRAGMA query_only = on"); err != nil {
		t.Fatal(err)
	}
	err = interpret("write", run("INSERT INTO t VALUES (1)"))
	if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "the database is read-only: mneme must") {
		t.Error(err)
	}
}
