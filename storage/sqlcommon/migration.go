package sqlcommon

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"

	"mneme/memory"
)

// ErrNewer means that a newer version of mneme wrote the schema.
var ErrNewer = errors.New("the database was written by a newer version of mneme")

// ErrOlder means that a version of mneme that is too old to be updated wrote the schema.
var ErrOlder = errors.New("the database was written by a version of mneme that is too old to be updated")

// Migrations are the versions of a storage's schema.
type Migrations struct {
	Files   fs.FS // with the folder migration
	Dialect goose.Dialect
}

// Newest returns the version of the last migration.
func (m Migrations) Newest() int64 { return slices.Max(m.versions()) }

// versions returns the versions of the migrations.
func (m Migrations) versions() (all []int64) {
	names, _ := fs.Glob(m.Files, "migration/*.sql") // the pattern is valid
	for _, name := range names {
		if version, err := goose.NumericComponent(name); err == nil {
			all = append(all, version)
		}
	}
	return all
}

// Check returns an error unless the schema's version is 0, that of an empty database, or the
// version of a migration.
func (m Migrations) Check(version int64) error {
	switch oldest, newest := slices.Min(m.versions()), m.Newest(); {
	case version > newest:
		return fmt.Errorf("%w: its schema version is %d, the latest known is %d", ErrNewer, version, newest)
	case version > 0 && version < oldest:
		return fmt.Errorf("%w: its schema version is %d, the oldest known is %d; export its entries by the version of mneme that wrote it, and import them into an empty database",
			ErrOlder, version, oldest)
	}
	return nil
}

// Up updates the schema of a database. made reports whether there was none before. wrap adds to
// an error of the database what failed.
func (m Migrations) Up(ctx context.Context, db *sql.DB, wrap func(op string, err error) error) (made bool, err error) {
	folder, err := fs.Sub(m.Files, "migration")
	if err != nil {
		return false, err
	}
	provider, err := goose.NewProvider(m.Dialect, db, folder, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return false, err
	}
	current, newest, err := provider.GetVersions(ctx)
	if err != nil {
		return false, wrap("read the schema's version", err)
	}
	if err := m.Check(current); err != nil || current == newest {
		return false, err
	}
	if current > 0 {
		memory.ReportProgress(ctx, fmt.Sprintf("updating its schema from version %d to %d", current, newest))
	}
	if _, err := provider.Up(ctx); err != nil {
		return false, wrap("migrate the schema", err)
	}
	return current == 0, nil
}
