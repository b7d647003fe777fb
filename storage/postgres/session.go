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
	failed error // every further call's answer
	// waiting are writes that were not sent yet. They go with the next
	// statement, in one round trip.
	waiting *pgx.Batch
	sees    string // what row-level security lets statements see (wall.go)
}

var _ memory.ReadTx = (*reader)(nil)

// end makes a transaction that was kept beyond its function useless.
func (r *reader) end() { r.failed = fmt.Errorf("%w: the transaction has ended", memory.ErrUnavailable) }

func (r *reader) ready(ctx context.Context) error {
	if r.failed != nil {
		return r.failed
	}
	return ctx.Err()
}

// fail notes an error: PostgreSQL takes no further statement after one, so
// that nothing may be written once any failed.
func (r *reader) fail(ctx context.Context, doing string, err error) error {
	r.failed = interpret(ctx, doing, err)
	return r.failed
}

// later writes with the next statement, or at the end. What it writes must
// not clash with anything: the error would come up elsewhere.
func (r *reader) later(query string, args ...any) {
	if r.waiting == nil {
		r.waiting = &pgx.Batch{}
	}
	r.waiting.Queue(query, args...)
}

// manyWaiting bounds what waits.
const manyWaiting = 1000

// each runs a query, with what waits before it, and scan on each of its rows.
// scan must run no query.
func (r *reader) each(ctx context.Context, scan func(pgx.Rows) error, query string, args ...any) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	if r.waiting == nil {
		bounded, cancel := context.WithTimeout(ctx, answerWait)
		defer cancel()
		rows, err := r.tx.Query(bounded, query, args...)
		if err != nil {
			return r.fail(ctx, "query", err)
		}
		return r.drain(ctx, rows, scan)
	}
	return r.ask(ctx, []question{{query, args, scan}})
}

// answerWait bounds the wait for the answer to one batch: past it, the server
// or the way to it hangs, where no timeout of the server's own would help.
const answerWait = 2 * time.Minute

// send runs a batch that begins with writes; rest takes the results of what
// comes after them.
func (r *reader) send(ctx context.Context, batch *pgx.Batch, writes int, rest func(pgx.BatchResults) error) (err error) {
	bounded, cancel := context.WithTimeout(ctx, answerWait)
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

// sendWaiting writes what waits.
func (r *reader) sendWaiting(ctx context.Context) error {
	if err := r.ready(ctx); err != nil || r.waiting == nil {
		return err
	}
	batch := r.waiting
	r.waiting = nil
	return r.send(ctx, batch, batch.Len(), func(pgx.BatchResults) error { return nil })
}

// errScan is a row that does not fit what reads it. The driver's message
// could quote it.
var errScan = errors.New("postgres: a row cannot be read")

// drain runs scan on each row. An error of scan is the caller's own.
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

// one runs a query of at most one row and tells whether there was one.
func (r *reader) one(ctx context.Context, into []any, query string, args ...any) (bool, error) {
	found := false
	err := r.each(ctx, func(rows pgx.Rows) error {
		found = true
		return rows.Scan(into...)
	}, query, args...)
	return found, err
}

// affected runs a writing statement and counts the rows it changed.
func (r *reader) affected(ctx context.Context, query string, args ...any) (int64, error) {
	if err := r.sendWaiting(ctx); err != nil {
		return 0, err
	}
	if err := r.ready(ctx); err != nil {
		return 0, err
	}
	bounded, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	tag, err := r.tx.Exec(bounded, query, args...)
	if err != nil {
		return 0, r.fail(ctx, "write", err)
	}
	return tag.RowsAffected(), nil
}

// exec runs a writing statement.
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

// ask runs several queries in one round trip, with what waits before them.
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
