package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"mneme/memory"
)

// reader is a memory.ReadTx.
type reader struct {
	tx     pgx.Tx
	failed error // returned by every further call
	// waiting are writes that were not sent yet. They are sent with the next
	// statement, in one round trip.
	waiting *pgx.Batch
	rls     string // the scope of row-level security (rls.go)
}

var _ memory.ReadTx = (*reader)(nil)

// end makes every further call fail: the function of the transaction returned.
func (r *reader) end() { r.failed = fmt.Errorf("%w: the transaction has ended", memory.ErrUnavailable) }

func (r *reader) ready(ctx context.Context) error {
	if r.failed != nil {
		return r.failed
	}
	return ctx.Err()
}

// fail records an error: PostgreSQL accepts no statement after a failed one, and
// the transaction must not commit.
func (r *reader) fail(ctx context.Context, doing string, err error) error {
	r.failed = interpret(ctx, doing, err)
	return r.failed
}

// later sends a write with the next statement, or at the end. The write must not
// violate a constraint: its error would be returned elsewhere.
func (r *reader) later(query string, args ...any) {
	if r.waiting == nil {
		r.waiting = &pgx.Batch{}
	}
	r.waiting.Queue(query, args...)
}

// maxWaiting bounds the number of waiting writes.
const maxWaiting = 1000

// each runs a query after the waiting writes, and calls scan for each row. scan
// must not run a query.
func (r *reader) each(ctx context.Context, scan func(pgx.Rows) error, query string, args ...any) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	if r.waiting == nil {
		bounded, cancel := context.WithTimeout(ctx, batchWait)
		defer cancel()
		rows, err := r.tx.Query(bounded, query, args...)
		if err != nil {
			return r.fail(ctx, "query", err)
		}
		return r.drain(ctx, rows, scan)
	}
	return r.ask(ctx, []question{{query, args, scan}})
}

// batchWait bounds the wait for the results of one batch: the server or the
// network may hang, where no timeout of the server helps.
const batchWait = 2 * time.Minute

// send runs a batch that begins with writes; rest reads the results of the
// statements after them.
func (r *reader) send(ctx context.Context, batch *pgx.Batch, writes int, rest func(pgx.BatchResults) error) (err error) {
	bounded, cancel := context.WithTimeout(ctx, batchWait)
	defer cancel()
	results := r.tx.SendBatch(bounded, batch)
	defer func() {
		if closed := results.Close(); closed != nil && err == nil {
			err = r.fail(ctx, "write", closed)
		}
	}()
	for range writes {
		if _, err := results.Exec(); err != nil {
			return r.fail(ctx, "write", err)
		}
	}
	return rest(results)
}

// sendWaiting sends the waiting writes.
func (r *reader) sendWaiting(ctx context.Context) error {
	if err := r.ready(ctx); err != nil || r.waiting == nil {
		return err
	}
	batch := r.waiting
	r.waiting = nil
	return r.send(ctx, batch, batch.Len(), func(pgx.BatchResults) error { return nil })
}

// errScan replaces the driver's error for a row that cannot be scanned, which
// could quote the row.
var errScan = errors.New("postgres: a row cannot be read")

// drain calls scan for each row, and returns its errors unchanged.
func (r *reader) drain(ctx context.Context, rows pgx.Rows, scan func(pgx.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			var unfit pgx.ScanArgError
			if errors.As(err, &unfit) {
				return errScan
			}
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return r.fail(ctx, "read", err)
	}
	return nil
}

// one runs a query that returns at most one row, and reports whether it did.
func (r *reader) one(ctx context.Context, into []any, query string, args ...any) (bool, error) {
	found := false
	err := r.each(ctx, func(rows pgx.Rows) error {
		found = true
		return rows.Scan(into...)
	}, query, args...)
	return found, err
}

// affected runs a statement that writes, and returns the number of rows that
// it changed.
func (r *reader) affected(ctx context.Context, query string, args ...any) (int64, error) {
	if err := r.sendWaiting(ctx); err != nil {
		return 0, err
	}
	if err := r.ready(ctx); err != nil {
		return 0, err
	}
	bounded, cancel := context.WithTimeout(ctx, batchWait)
	defer cancel()
	tag, err := r.tx.Exec(bounded, query, args...)
	if err != nil {
		return 0, r.fail(ctx, "write", err)
	}
	return tag.RowsAffected(), nil
}

// exec runs a statement that writes.
func (r *reader) exec(ctx context.Context, query string, args ...any) error {
	_, err := r.affected(ctx, query, args...)
	return err
}

// question is one of several queries that are sent together.
type question struct {
	query string
	args  []any
	scan  func(pgx.Rows) error
}

// ask runs several queries in one round trip, after the waiting writes.
func (r *reader) ask(ctx context.Context, questions []question) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	batch := r.waiting
	if batch == nil {
		batch = &pgx.Batch{}
	}
	r.waiting = nil
	writes := batch.Len()
	for _, q := range questions {
		batch.Queue(q.query, q.args...)
	}
	return r.send(ctx, batch, writes, func(results pgx.BatchResults) error {
		for _, q := range questions {
			rows, err := results.Query()
			if err != nil {
				return r.fail(ctx, "query", err)
			}
			if err := r.drain(ctx, rows, q.scan); err != nil {
				return err
			}
		}
		return nil
	})
}
