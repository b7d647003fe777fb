package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
)

// ReadSchema reads the schema version of the file at path, which it opens read-only and does
// not migrate. The version is 0 if the file has no schema; newest is the version that this
// program knows. The error is ErrNewer or ErrOlder if Open could not open the file.
func ReadSchema(ctx context.Context, path string) (version, newest int64, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return 0, 0, err
	}
	db, err := sql.Open("sqlite", dsn(path, reading)+"&mode=ro")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	newest = migrations.Newest()
	var exists bool
	if err := db.QueryRowContext(ctx, texts.Text("schema.exists")).Scan(&exists); err != nil {
		return 0, 0, fmt.Errorf("open the database: %w", advise(ctx, path, err))
	}
	if !exists {
		return 0, newest, nil
	}
	if err := db.QueryRowContext(ctx, texts.Text("schema.version")).Scan(&version); err != nil {
		return 0, 0, fmt.Errorf("open the database: %w", advise(ctx, path, err))
	}
	return version, newest, migrations.Check(version)
}
