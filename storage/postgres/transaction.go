package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// beginView begins a reading transaction. The transaction begins as a writing one, which a
// standby refuses: its data may lack the latest commits, such as the revocation of a grant.
const beginView = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ WRITE; SET TRANSACTION READ ONLY; " + setAll

// beginUpdate begins a writing transaction.
var beginUpdate = []string{"BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE", setAll}

// withinUpdate runs fn in a writing transaction, which is rolled back unless fn commits it.
// BEGIN is sent together with the first statement of fn, in one round trip. If the connection
// was dead, withinUpdate runs fn once more, with another connection.
func (s *Storage) withinUpdate(ctx context.Context, fn func(*writeTx) error) error {
	began := time.Now()
	for again := true; ; again = false {
		dead, err := s.tryWithinUpdate(ctx, fn)
		if !dead || !again || ctx.Err() != nil || time.Since(began) > beginTimeout {
			return err
		}
	}
}

// tryWithinUpdate is withinUpdate with one connection. dead reports that the connection broke
// before the transaction had begun.
func (s *Storage) tryWithinUpdate(ctx context.Context, fn func(*writeTx) error) (dead bool, err error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	defer rollBack(ctx, conn)
	w := newWriteTx(conn.Conn())
	w.begin(s.settings)
	err = fn(w)
	closed := s.leaveDead(ctx, conn, err)
	return err != nil && !w.begun && closed, err
}

// leaveDead reports whether a connection is closed after an error, and closes a connection to a
// standby. Other idle connections may be dead too, for example after a restart of the server:
// the next one acquired is new. A connection that was closed because ctx ended says nothing
// about the others.
func (s *Storage) leaveDead(ctx context.Context, conn *pgxpool.Conn, err error) (closed bool) {
	var f *failure
	if errors.As(err, &f) && f.standby {
		_ = conn.Conn().Close(context.WithoutCancel(ctx))
	}
	if closed = conn.Conn().IsClosed(); closed && ctx.Err() == nil {
		s.pool.Reset()
	}
	return closed
}

// begin queues the statements that begin the transaction.
func (d *driver) begin(settings []string) {
	d.pendingBatch = &pgx.Batch{}
	for _, statement := range slices.Concat(beginUpdate, settings) {
		d.pendingBatch.Queue(statement)
	}
	d.begun = false
}

// commit writes the collected rows and commits, in one round trip unless they are many.
func (w *writer) commit(ctx context.Context) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	// If the connection is dead, withinUpdate runs the transaction again, but must not after a
	// COMMIT that may have succeeded. So if the transaction has not begun, its statements are
	// first sent without COMMIT.
	if !w.begun || w.pendingBatch != nil && w.pendingBatch.Len() > maxCommitted {
		if err := w.flushBatch(ctx); err != nil {
			return err
		}
	}
	// If the context ended during COMMIT, the caller would not know whether it succeeded.
	commitCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	w.queueStatement("COMMIT")
	return w.flushBatch(commitCtx)
}

// maxCommitted is the maximum number of statements sent in one batch with COMMIT.
const maxCommitted = 16

// commitTimeout bounds the wait for a COMMIT or ROLLBACK.
const commitTimeout = 20 * time.Second

// within runs fn in a reading transaction.
func (s *Storage) within(ctx context.Context, fn func(pgx.Tx) error) error {
	conn, tx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	defer rollBack(ctx, conn)
	return fn(tx)
}

// rollBack ends a transaction that has not committed. If it fails, it closes the connection.
func rollBack(ctx context.Context, conn *pgxpool.Conn) {
	if conn.Conn().IsClosed() || conn.Conn().PgConn().TxStatus() == idle {
		return
	}
	rollbackCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	if _, err := conn.Exec(rollbackCtx, "ROLLBACK"); err != nil {
		_ = conn.Conn().Close(rollbackCtx)
	}
}

// idle is the status of a connection without a transaction.
const idle = 'I'

// beginTimeout bounds the wait for a free connection and BEGIN.
const beginTimeout = 20 * time.Second

// begin starts a reading transaction. It retries once with another connection, since an idle
// one may be dead.
func (s *Storage) begin(ctx context.Context) (*pgxpool.Conn, pgx.Tx, error) {
	bounded, cancel := context.WithTimeout(ctx, beginTimeout)
	defer cancel()
	conn, tx, err := s.tryBegin(bounded)
	if err != nil && bounded.Err() == nil {
		conn, tx, err = s.tryBegin(bounded)
	}
	return conn, tx, interpret(ctx, "begin", err)
}

// viewQuery returns the options with the statements that begin a reading transaction.
func (s *Storage) viewQuery() pgx.TxOptions {
	return pgx.TxOptions{BeginQuery: strings.Join(append([]string{beginView}, s.settings...), "; ")}
}

func (s *Storage) tryBegin(ctx context.Context) (*pgxpool.Conn, pgx.Tx, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	tx, err := conn.BeginTx(ctx, s.viewQuery())
	if err != nil {
		s.leaveDead(ctx, conn, interpret(ctx, "begin", err))
		conn.Release()
		return nil, nil, err
	}
	return conn, tx, nil
}

// acquire waits for a free connection.
func (s *Storage) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	bounded, cancel := context.WithTimeout(ctx, beginTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(bounded)
	if err != nil && bounded.Err() == nil {
		conn, err = s.pool.Acquire(bounded)
	}
	return conn, interpret(ctx, "begin", err)
}
