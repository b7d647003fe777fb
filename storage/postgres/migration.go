package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migration/*.sql
var migrations embed.FS

// migrate updates the schema. An advisory lock, which ends with its connection,
// serializes processes that start at the same time.
func migrate(ctx context.Context, pool *pgxpool.Pool) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return interpret(ctx, "connect", err)
	}
	defer conn.Release()
	key := lockKey("migration", "")
	if err := acquireLock(ctx, conn.Conn(), key); err != nil {
		return err
	}
	defer func() {
		// Without the caller's context: the lock must be released.
		unlockCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if _, err := conn.Exec(unlockCtx, "SELECT pg_advisory_unlock($1)", key); err != nil {
			_ = conn.Conn().Close(unlockCtx) // releases the lock as well
		}
	}()
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	current, newest, err := provider.GetVersions(ctx)
	if err != nil {
		return interpret(ctx, "read the schema's version", err)
	}
	if err := checkVersion(current); err != nil {
		return err
	}
	if current == newest {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return interpret(ctx, "migrate the schema", err)
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
	return goose.NewProvider(goose.DialectPostgres, db, folder, goose.WithDisableGlobalRegistry(true))
}

// acquireLock polls for a session-level advisory lock. A blocking statement
// would be ended by lock_timeout.
func acquireLock(ctx context.Context, conn *pgx.Conn, key int64) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var acquired bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&acquired); err != nil || acquired {
			return interpret(ctx, "lock the schema", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
