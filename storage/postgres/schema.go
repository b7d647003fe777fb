package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ReadSchema reads the schema version of a database without migrating it. The version is 0 if
// the database has no schema; newest is the version that this program knows. The error is
// ErrNewer or ErrOlder if Open could not open the database. Errors never include the DSN.
func ReadSchema(ctx context.Context, dsn string) (version, newest int64, err error) {
	config, _, err := Options{}.connect(ctx, dsn)
	if err != nil {
		return 0, 0, fmt.Errorf("open the database: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return 0, 0, fmt.Errorf("open the database: %w", interpret(ctx, "connect", err))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	newest = migrations.Newest()
	var exists bool
	if err := conn.QueryRow(ctx, texts.Text("schema.exists")).Scan(&exists); err != nil {
		return 0, 0, fmt.Errorf("open the database: %w", interpret(ctx, "read the schema's version", err))
	}
	if !exists {
		return 0, newest, nil
	}
	if err := conn.QueryRow(ctx, texts.Text("schema.version")).Scan(&version); err != nil {
		return 0, 0, fmt.Errorf("open the database: %w", interpret(ctx, "read the schema's version", err))
	}
	return version, newest, migrations.Check(version)
}
