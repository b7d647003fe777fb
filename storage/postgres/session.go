package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/storage/sqlcommon"
)

// driver runs the statements of one transaction. A writing transaction locks the stores to
// which it is confined (lock.go).
type driver struct {
	tx     connection
	begun  bool  // BEGIN has succeeded
	failed error // returned by every further call
	// pendingBatch holds the queued statements, nil if there are none. They are sent with the
	// next query, in one round trip.
	pendingBatch *pgx.Batch
	bulk         bulk           // rows to insert before the next statement
	rls          string         // the row-level security scope (rls.go)
	words        string         // the row-level security condition on table word
	heldLocks    map[int64]bool // by key; nil: a reading transaction
	exclusive    bool           // holds the database lock exclusively
}

var _ sqlcommon.Writer = (*driver)(nil)

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

// end makes every further call fail. It is called when the transaction's function has returned.
func (d *driver) end() { d.failed = sqlcommon.ErrEnded }

func (d *driver) ready(ctx context.Context) error {
	if d.failed != nil {
		return d.failed
	}
	return ctx.Err()
}

// fail records an error: PostgreSQL accepts no statement after a failed one, and the
// transaction must not commit.
func (d *driver) fail(ctx context.Context, op string, err error) error {
	d.failed = interpret(ctx, op, err)
	return d.failed
}

// Below, a query is the name of a statement (files.go), or SQL itself.

// queueStatement queues a statement that returns no rows, to be sent with the next query or by
// flushBatch. It must not violate a constraint: a later call would return the error.
func (d *driver) queueStatement(query string, args ...any) {
	d.queueBulk()
	if d.pendingBatch == nil {
		d.pendingBatch = &pgx.Batch{}
	}
	d.pendingBatch.Queue(texts.Text(query), args...)
}

// maxPending bounds the number of queued statements.
const maxPending = 1000

// each runs a query after the queued statements, and calls scan for each row.
// scan must not run a query.
func (d *driver) each(ctx context.Context, scan func(pgx.Rows) error, query string, args ...any) error {
	if err := d.ready(ctx); err != nil {
		return err
	}
	d.queueBulk()
	if d.pendingBatch == nil {
		bounded, cancel := context.WithTimeout(ctx, batchTimeout)
		defer cancel()
		rows, err := d.tx.Query(bounded, texts.Text(query), args...)
		if err != nil {
			return d.fail(ctx, "query", err)
		}
		return d.drain(ctx, rows, scan)
	}
	return d.queryBatch(ctx, []batchQuery{{query, args, scan}})
}

// fetched is the number of rows that eachFetched fetches at a time.
const fetched = 500

// eachFetched is each for a query whose rows are wide and may not all be needed: it fetches
// rows in portions, and stops after an error of scan. cursor is the name of a cursor. Queries
// with the same cursor must have the same columns: pgx caches the columns of a FETCH.
func (d *driver) eachFetched(ctx context.Context, cursor string, scan func(pgx.Rows) error, query string, args ...any) error {
	if err := d.flushBatch(ctx); err != nil { // pgx prepares all statements of a batch
		return err
	}
	if err := d.exec(ctx, "DECLARE "+cursor+" NO SCROLL CURSOR FOR "+texts.Text(query), args...); err != nil {
		return err
	}
	var scanned error
	for rows := fetched; rows == fetched && scanned == nil; {
		rows = 0
		err := d.each(ctx, func(row pgx.Rows) error {
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
	if err := d.exec(ctx, "CLOSE "+cursor); err != nil {
		return err
	}
	return scanned
}

// batchTimeout bounds the wait for the results of a batch. The server's own
// timeouts do not help if the server or the network hangs.
const batchTimeout = 2 * time.Minute

// send sends a batch, and reads the results of its first statements, which return no rows.
// statements is their number. readRest reads the results of the others.
func (d *driver) send(ctx context.Context, batch *pgx.Batch, statements int, readRest func(pgx.BatchResults) error) (err error) {
	bounded, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	results := d.tx.SendBatch(bounded, batch)
	defer func() {
		if closed := results.Close(); closed != nil && err == nil {
			err = d.fail(ctx, "write", closed)
		}
	}()
	for range statements {
		if _, err := results.Exec(); err != nil {
			return d.fail(ctx, "write", err)
		}
		d.begun = true
	}
	return readRest(results)
}

// flushBatch sends the queued statements.
func (d *driver) flushBatch(ctx context.Context) error {
	if err := d.ready(ctx); err != nil {
		return err
	}
	d.queueBulk()
	if d.pendingBatch == nil {
		return nil
	}
	batch := d.pendingBatch
	d.pendingBatch = nil
	return d.send(ctx, batch, batch.Len(), func(pgx.BatchResults) error { return nil })
}

// errScan replaces the driver's error for a row that cannot be scanned, which could quote the
// row.
var errScan = errors.New("postgres: a row cannot be read")

// drain calls scan for each row. It returns errors of scan unchanged, except that errScan
// replaces those of the driver.
func (d *driver) drain(ctx context.Context, rows pgx.Rows, scan func(pgx.Rows) error) error {
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
		return d.fail(ctx, "read", err)
	}
	return nil
}

// one runs a query that returns at most one row, and reports whether it did.
func (d *driver) one(ctx context.Context, into []any, query string, args ...any) (bool, error) {
	found := false
	err := d.each(ctx, func(rows pgx.Rows) error {
		found = true
		return rows.Scan(into...)
	}, query, args...)
	return found, err
}

// affected runs a statement that writes and returns the number of affected
// rows.
func (d *driver) affected(ctx context.Context, query string, args ...any) (int64, error) {
	if err := d.flushBatch(ctx); err != nil {
		return 0, err
	}
	if err := d.ready(ctx); err != nil {
		return 0, err
	}
	bounded, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	tag, err := d.tx.Exec(bounded, texts.Text(query), args...)
	if err != nil {
		return 0, d.fail(ctx, "write", err)
	}
	return tag.RowsAffected(), nil
}

// exec runs a statement that writes.
func (d *driver) exec(ctx context.Context, query string, args ...any) error {
	_, err := d.affected(ctx, query, args...)
	return err
}

// batchQuery is one of several queries that are sent in one batch.
type batchQuery struct {
	query string
	args  []any
	scan  func(pgx.Rows) error
}

// queryBatch runs several queries in one round trip, after the queued
// statements.
func (d *driver) queryBatch(ctx context.Context, queries []batchQuery) error {
	if err := d.ready(ctx); err != nil {
		return err
	}
	d.queueBulk()
	batch := d.pendingBatch
	if batch == nil {
		batch = &pgx.Batch{}
	}
	d.pendingBatch = nil
	statements := batch.Len()
	for _, q := range queries {
		batch.Queue(texts.Text(q.query), q.args...)
	}
	return d.send(ctx, batch, statements, func(results pgx.BatchResults) error {
		for _, q := range queries {
			rows, err := results.Query()
			if err != nil {
				return d.fail(ctx, "query", err)
			}
			if err := d.drain(ctx, rows, q.scan); err != nil {
				return err
			}
		}
		return nil
	})
}
