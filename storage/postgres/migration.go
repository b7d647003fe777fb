package postgres

import (
	"context"
	"embed"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"mneme/storage/sqlcommon"
)

//go:embed migration/*.sql
var migrationFiles embed.FS

var migrations = sqlcommon.Migrations{Files: migrationFiles, Dialect: goose.DialectPostgres}

// migrate updates the schema, and partitions its tables as partition does, whose number
// it returns. An advisory lock, which ends with its connection,
// serializes processes that start at the same time.
func migrate(ctx context.Context, pool *pgxpool.Pool, options Options) (has int, err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return 0, interpret(ctx, "connect", err)
	}
	defer conn.Release()
	key := lockKey("migration", "")
	if err := acquireLock(ctx, conn.Conn(), key); err != nil {
		return 0, err
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
	made, err := migrations.Up(ctx, db, func(op string, err error) error { return interpret(ctx, op, err) })
	if err != nil {
		return 0, err
	}
	if options.KeepPartitions && !made {
		options.Partitions = 0
	}
	return partition(ctx, conn.Conn(), options.Partitions)
}

// SchemaVersion returns the version of the schema, which every open storage has.
func (*Storage) SchemaVersion() int64 { return migrations.Newest() }

// acquireLock polls for a session-level advisory lock. A blocking statement
// would be ended by lock_timeout.
func acquireLock(ctx context.Context, conn *pgx.Conn, key int64) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for tries := 0; ; tries++ {
		var acquired bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&acquired); err != nil || acquired {
			return interpret(ctx, "lock the schema", err)
		}
		if tries == 0 {
			sqlcommon.ReportWait(ctx, "is opening the database")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
