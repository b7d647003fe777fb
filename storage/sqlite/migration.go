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
	"slices"
	"syscall"

	"github.com/pressly/goose/v3"
)

//go:embed migration/*.sql
var migrations embed.FS

// prepareFile creates the file and its folder if they are missing, and
// returns the file's absolute path. SQLite creates the write-ahead log with the
// file's mode.
func prepareFile(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	// An existing file is not opened: closing it would release the locks that
	// other connections of this process hold on it (POSIX fcntl).
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return path, nil
	}
	if err != nil {
		return "", err
	}
	return path, f.Close()
}

// migrate updates the schema. A lock on a file beside the database serializes
// processes that start at the same time.
func migrate(ctx context.Context, path string) (err error) {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // releases the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path, writing))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	current, _, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := checkVersion(current); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// SchemaVersion returns the version of the schema, which every open storage has.
func (*Storage) SchemaVersion() int64 { return newestVersion() }

// newestVersion returns the version of the last migration.
func newestVersion() int64 { return slices.Max(versions()) }

// versions returns the versions of the migrations.
func versions() (all []int64) {
	names, _ := fs.Glob(migrations, "migration/*.sql") // the pattern is good
	for _, name := range names {
		if version, err := goose.NumericComponent(name); err == nil {
			all = append(all, version)
		}
	}
	return all
}

// checkVersion returns an error if the schema's version is neither 0, which stands for
// none, nor one that the migrations lead on from.
func checkVersion(version int64) error {
	switch oldest, newest := slices.Min(versions()), newestVersion(); {
	case version > newest:
		return fmt.Errorf("%w: its schema version is %d, the latest known is %d", ErrNewer, version, newest)
	case version > 0 && version < oldest:
		return fmt.Errorf("%w: its schema version is %d, the oldest known is %d; export its entries by the version of mneme that wrote it, and import them into an empty database",
			ErrOlder, version, oldest)
	}
	return nil
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	folder, err := fs.Sub(migrations, "migration")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, folder, goose.WithDisableGlobalRegistry(true))
}
