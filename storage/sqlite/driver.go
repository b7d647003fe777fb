package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// driver runs the statements of one transaction.
type driver struct {
	session *session
	kept    *sqlcommon.Kept // of the session; nil: a writing transaction
	same    bool            // kept was already compared with the version of this snapshot
	purged  bool            // the transaction has erased entries
	dropped bool            // it has erased other text: former versions, terms of expired entries, old records
	failed  error           // returned by every further call
}

var _ sqlcommon.Writer = (*driver)(nil)

// end makes every further call fail. It is called when the transaction's
// function has returned.
func (d *driver) end() { d.failed = sqlcommon.ErrEnded }

// query runs a prepared query. Its rows must be closed before the same query runs again.
func (d *driver) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	rows, err := d.session.query(query, args...)
	if err != nil {
		return nil, d.fail(err)
	}
	return rows, nil
}

// each runs a query and calls scan for each row. scan must not run the same
// query.
func (d *driver) each(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := d.query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err returns the error
	return d.drain(ctx, rows, scan)
}

// eachOnce is each for a composed query, which is not cached as a prepared statement.
func (d *driver) eachOnce(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	if err := d.ready(ctx); err != nil {
		return err
	}
	rows, err := d.session.conn.QueryContext(context.Background(), query, args...)
	if err != nil {
		return d.fail(interpret("query", err))
	}
	defer func() { _ = rows.Close() }() // rows.Err returns the error
	return d.drain(ctx, rows, scan)
}

// drain calls scan for each row.
func (d *driver) drain(ctx context.Context, rows *sql.Rows, scan func(*sql.Rows) error) error {
	for n := 1; rows.Next(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := scan(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return d.fail(interpret("read", err))
	}
	return nil
}

// one runs a query that returns at most one row, and reports whether it did.
func (d *driver) one(ctx context.Context, into []any, query string, args ...any) (bool, error) {
	found := false
	err := d.each(ctx, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(into...)
	}, query, args...)
	return found, err
}

// exec runs a statement that writes.
func (d *driver) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	result, err := d.session.exec(query, args...)
	if err != nil {
		return nil, d.fail(err)
	}
	return result, nil
}

// affected runs a statement that writes and returns the number of affected
// rows.
func (d *driver) affected(ctx context.Context, query string, args ...any) (int64, error) {
	result, err := d.exec(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (d *driver) ready(ctx context.Context) error {
	if d.failed != nil {
		return d.failed
	}
	return ctx.Err()
}

// fail records an error that makes every further call fail: SQLite may have rolled back, and a
// further statement would run outside the transaction. A violated constraint does not end the
// transaction.
func (d *driver) fail(err error) error {
	if !errors.Is(err, memory.ErrExists) {
		d.failed = err
	}
	return err
}
