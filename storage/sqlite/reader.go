package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// reader is a memory.ReadTx.
type reader struct {
	sqlcommon.Reads
	session *session
	kept    *sqlcommon.Kept // of the session; nil: it writes
	same    bool            // kept is at the version of this snapshot
	failed  error           // returned by every further call
}

var _ memory.ReadTx = (*reader)(nil)

func newReader(s *session) *reader {
	r := &reader{session: s, kept: &s.kept}
	r.Reads = sqlcommon.NewReads(r, &statements)
	return r
}

// end makes every further call fail. It is called when the transaction's
// function has returned.
func (r *reader) end() { r.failed = sqlcommon.ErrEnded }

// query runs a prepared query. Its rows must be closed before the same query
// runs again.
func (r *reader) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	rows, err := r.session.query(query, args...)
	if err != nil {
		return nil, r.fail(err)
	}
	return rows, nil
}

// each runs a query and calls scan for each row. scan must not run the same
// query.
func (r *reader) each(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := r.query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err returns the error
	return r.drain(ctx, rows, scan)
}

// eachOnce is each for a query whose text is put together: it is not kept as a
// prepared one.
func (r *reader) eachOnce(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	rows, err := r.session.conn.QueryContext(context.Background(), query, args...)
	if err != nil {
		return r.fail(interpret("query", err))
	}
	defer func() { _ = rows.Close() }() // rows.Err returns the error
	return r.drain(ctx, rows, scan)
}

// drain calls scan for each row.
func (r *reader) drain(ctx context.Context, rows *sql.Rows, scan func(*sql.Rows) error) error {
	for n := 1; rows.Next(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := scan(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return r.fail(interpret("read", err))
	}
	return nil
}

// one runs a query that returns at most one row, and reports whether it did.
func (r *reader) one(ctx context.Context, into []any, query string, args ...any) (bool, error) {
	found := false
	err := r.each(ctx, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(into...)
	}, query, args...)
	return found, err
}

// exec runs a statement that writes.
func (r *reader) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	result, err := r.session.exec(query, args...)
	if err != nil {
		return nil, r.fail(err)
	}
	return result, nil
}

// affected runs a statement that writes and returns the number of affected
// rows.
func (r *reader) affected(ctx context.Context, query string, args ...any) (int64, error) {
	result, err := r.exec(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (r *reader) ready(ctx context.Context) error {
	if r.failed != nil {
		return r.failed
	}
	return ctx.Err()
}

// fail records an error that makes every further call fail: SQLite may have
// rolled back, and a further statement would run outside the transaction. A
// violated constraint does not end the transaction.
func (r *reader) fail(err error) error {
	if !errors.Is(err, memory.ErrExists) {
		r.failed = err
	}
	return err
}
