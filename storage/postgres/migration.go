package postgres

import (
	"context"
	"embed"
	"errors"
	"log/slog"
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

// migrate updates the schema, partitions its tables as partition does, and returns the number
// of partitions. An advisory lock, which ends with its transaction, serializes processes that
// start concurrently.
func migrate(ctx context.Context, pool *pgxpool.Pool, options Options) (has int, err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return 0, interpret(ctx, "connect", err)
	}
	defer conn.Release()
	defer rollBack(ctx, conn)
	tx, err := lockSchema(ctx, conn, options.Log)
	if err != nil {
		return 0, err
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	made, err := migrations.Up(ctx, db, func(op string, err error) error { return interpret(ctx, op, err) })
	if err != nil {
		return 0, err
	}
	if options.KeepPartitions && !made {
		options.Partitions = 0
	}
	if has, err = partition(ctx, tx, options.Partitions); err != nil {
		return has, err
	}
	return has, interpret(ctx, "migrate the schema", tx.Commit(ctx))
}

// SchemaVersion returns the version of the schema of every open storage.
func (*Storage) SchemaVersion() int64 { return migrations.Newest() }

// longWait is the time after which a wait for another process is logged.
const longWait = 3 * time.Second

// lockSchema begins a transaction that holds the lock of migrations. It polls, because
// lock_timeout would end a statement that waits. It takes no session lock, because that would
// stay with a connection that a pooler then gives to others. log may be nil.
func lockSchema(ctx context.Context, conn *pgxpool.Conn, log *slog.Logger) (pgx.Tx, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for tries, began := 0, time.Now(); ; tries++ {
		tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0"})
		if err != nil {
			return nil, interpret(ctx, "lock the schema", err)
		}
		var acquired bool
		if err := tx.QueryRow(ctx, texts.Text("lock.try"), lockKey("migration", "")).Scan(&acquired); err != nil || acquired {
			return tx, interpret(ctx, "lock the schema", err)
		}
		if err := tx.Rollback(ctx); err != nil {
			return nil, interpret(ctx, "lock the schema", err)
		}
		if log != nil && time.Since(began) > longWait {
			log.WarnContext(ctx, "another process is migrating the database: waiting for it")
			log = nil
		}
		if tries == 0 {
			sqlcommon.ReportWait(ctx, "is opening the database")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}
