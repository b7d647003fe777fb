package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"mneme/internal/system"
	"mneme/storage/sqlcommon"
)

//go:embed migration/*.sql
var migrationFiles embed.FS

var migrations = sqlcommon.Migrations{Files: migrationFiles, Dialect: goose.DialectSQLite3}

// prepareFile creates the file and its folder if they are missing, and returns the file's
// absolute path. SQLite creates the write-ahead log with the file's mode.
func prepareFile(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := system.MakeFolder(filepath.Dir(path)); err != nil {
		return "", err
	}
	// An existing file is not opened: closing it would release the locks that other connections
	// of this process hold on it (POSIX fcntl).
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	f, err := system.CreatePrivate(path)
	if errors.Is(err, fs.ErrExist) {
		return path, nil
	}
	if err != nil {
		return "", err
	}
	return path, f.Close()
}

// migrate updates the schema. A lock on a file next to the database serializes processes that
// start concurrently.
func migrate(ctx context.Context, path string) (err error) {
	unlock, err := system.LockContext(ctx, path+".lock", func() { sqlcommon.ReportWait(ctx, "is opening the database") })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	db, err := sql.Open("sqlite", dsn(path, writing))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	_, err = migrations.Up(ctx, db, func(op string, err error) error { return fmt.Errorf("%s: %w", op, err) })
	return err
}

// SchemaVersion returns the version of the schema of every open storage.
func (*Storage) SchemaVersion() int64 { return migrations.Newest() }
