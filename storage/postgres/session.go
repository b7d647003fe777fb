package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// reader is a memory.ReadTx.
type reader struct {
	sqlcommon.Reads
	tx     connection
	begun  bool  // BEGIN has succeeded
	failed error // returned by every further call
	// pendingBatch holds the queued statements, nil if there are none. They are
	// sent with the next query, in one round trip.
	pendingBatch *pgx.Batch
	bulk         bulk   // rows to be inserted before the next statement
	rls          string // the scope of row-level security (rls.go)
	words        string // the condition of row-level security on table word
}

var _ memory.ReadTx = (*reader)(nil)

// connection runs statements in a transaction.
type connection interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
	TypeMap() *pgtype.Map
	PgConn() *pgconn.PgConn
}

// transaction is a connection of a pgx.Tx.
type transaction struct{ pgx.Tx }

// TypeMap implements connection.
func (t transaction) TypeMap() *pgtype.Map { return t.Conn().TypeMap() }

// PgConn implements connection.
func (t transaction) PgConn() *pgconn.PgConn { return t.Conn().PgConn() }

func newReader(tx connection) *reader {
	r := &reader{tx: tx, begun: true, rls: allRows}
	r.Reads = sqlcommon.NewReads(r, &statements)
	return r
}

// end makes every further call fail. It is called when the transaction's
// function has returned.
func (r *reader) end() { r.failed = sqlcommon.ErrEnded }

func (r *reader) ready(ctx context.Context) error {
	if r.failed != nil {
		return r.failed
	}
	return ctx.Err()
}

// fail records an error: PostgreSQL accepts no statement after a failed one, and
// the transaction must not commit.
func (r *reader) fail(ctx context.Context, op string, err error) error {
	r.failed = interpret(ctx, op, err)
	return r.failed
}

// A query is the name of a statement (files.go), or a text.

// queueStatement queues a statement that returns no rows, to be sent with the
// next query or by flushBatch. It must not violate a constraint: a later call
// would return its error.
func (r *reader) queueStatement(query string, args ...any) {
	r.queueBulk()
	if r.pendingBatch == nil {
		r.pendingBatch = &pgx.Batch{}
	}
	r.pendingBatch.Queue(texts.Text(query), args...)
}

// maxPending bounds the number of queued statements.
const maxPending = 1000

// each runs a query after the queued statements, and calls scan for each row.
// scan must not run a query.
func (r *reader) each(ctx context.Context, scan func(pgx.Rows) error, query string, args ...any) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	r.queueBulk()
	if r.pendingBatch == nil {
		bounded, cancel := context.WithTimeout(ctx, batchTimeout)
		defer cancel()
		rows, err := r.tx.Query(bounded, texts.Text(query), args...)
		if err != nil {
			return r.fail(ctx, "query", err)
		}
		return r.drain(ctx, rows, scan)
	}
	return r.queryBatch(ctx, []batchQuery{{query, args, scan}})
}

// fetched is how many rows eachFetched fetches at a time.
const fetched = 500

// eachFetched is each for a query whose rows are wide and may not all be needed:
// it fetches some at a time, and no further ones after an error of scan. cursor is
// the name of a cursor, of queries with the same columns alone: pgx keeps the
// columns of a FETCH.
func (r *reader) eachFetched(ctx context.Context, cursor string, scan func(pgx.Rows) error, query string, args ...any) error {
	if err := r.flushBatch(ctx); err != nil { // pgx prepares a batch as a whole
		return err
	}
	if err := r.exec(ctx, "DECLARE "+cursor+" NO SCROLL CURSOR FOR "+texts.Text(query), args...); err != nil {
		return err
	}
	var scanned error
	for rows := fetched; rows == fetched && scanned == nil; {
		rows = 0
		err := r.each(ctx, func(row pgx.Rows) error {
			rows++
			if scanned == nil {
				scanned = scan(row)
			}
			return nil
		}, "FETCH "+strconv.Itoa(fetched)+" FROM "+cursor)
		if err != nil {
			return err
		}
	}
	if err := r.exec(ctx, "CLOSE "+cursor); err != nil {
		return err
	}
	return scanned
}

// batchTimeout bounds the wait for the results of a batch. The server's own
// timeouts do not help if the server or the network hangs.
const batchTimeout = 2 * time.Minute

// send sends a batch whose first statements return no rows. readRest reads the
// results of the others.
func (r *reader) send(ctx context.Context, batch *pgx.Batch, statements int, readRest func(pgx.BatchResults) error) (err error) {
	bounded, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	results := r.tx.SendBatch(bounded, batch)
	defer func() {
		if closed := results.Close(); closed != nil && err == nil {
			err = r.fail(ctx, "write", closed)
		}
	}()
	for range statements {
		if _, err := results.Exec(); err != nil {
			return r.fail(ctx, "write", err)
		}
		r.begun = true
	}
	return readRest(results)
}

// flushBatch sends the queued statements.
func (r *reader) flushBatch(ctx context.Context) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	r.queueBulk()
	if r.pendingBatch == nil {
		return nil
	}
	batch := r.pendingBatch
	r.pendingBatch = nil
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
			var scanErr pgx.ScanArgError
			if errors.As(err, &scanErr) {
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

// affected runs a statement that writes and returns the number of affected
// rows.
func (r *reader) affected(ctx context.Context, query string, args ...any) (int64, error) {
	if err := r.flushBatch(ctx); err != nil {
		return 0, err
	}
	if err := r.ready(ctx); err != nil {
		return 0, err
	}
	bounded, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	tag, err := r.tx.Exec(bounded, texts.Text(query), args...)
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

// batchQuery is one of several queries that are sent together.
type batchQuery struct {
	query string
	args  []any
	scan  func(pgx.Rows) error
}

// queryBatch runs several queries in one round trip, after the queued
// statements.
func (r *reader) queryBatch(ctx context.Context, queries []batchQuery) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	r.queueBulk()
	batch := r.pendingBatch
	if batch == nil {
		batch = &pgx.Batch{}
	}
	r.pendingBatch = nil
	statements := batch.Len()
	for _, q := range queries {
		batch.Queue(texts.Text(q.query), q.args...)
	}
	return r.send(ctx, batch, statements, func(results pgx.BatchResults) error {
		for _, q := range queries {
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
