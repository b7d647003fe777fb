package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"time"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// session is one connection with its prepared statements. It is not safe for concurrent use.
//
// Statements run without the caller's context: the driver would start a goroutine for each.
// Instead, the context is checked before each statement and between rows. No single step takes
// long.
type session struct {
	path       string // of the database
	patience   time.Duration
	conn       *sql.Conn
	statements map[string]*sql.Stmt
	kept       sqlcommon.Kept // unless the session writes
	open       bool           // a transaction is open
	broken     bool           // the connection is in an unknown state, or is for one use
}

// statement returns the prepared statement for a query, which is a statement's name or a text.
func (s *session) statement(query string) (*sql.Stmt, error) {
	if st, ok := s.statements[query]; ok {
		return st, nil
	}
	st, err := s.conn.PrepareContext(context.Background(), texts.Text(query))
	if err != nil {
		return nil, interpret("prepare", err)
	}
	s.statements[query] = st
	return st, nil
}

// query runs a statement that returns rows.
func (s *session) query(query string, args ...any) (*sql.Rows, error) {
	st, err := s.statement(query)
	if err != nil {
		return nil, err
	}
	rows, err := st.Query(args...)
	if err != nil {
		return nil, interpret("query", err)
	}
	return rows, nil
}

// exec runs a statement that returns no rows.
func (s *session) exec(query string, args ...any) (sql.Result, error) {
	st, err := s.statement(query)
	if err != nil {
		return nil, err
	}
	result, err := st.Exec(args...)
	if err != nil {
		return nil, interpret("write", err)
	}
	return result, nil
}

// control runs a BEGIN or COMMIT command.
func (s *session) control(ctx context.Context, command string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := s.exec(command); err != nil {
		return err
	}
	s.open = command != "COMMIT"
	return nil
}

// controlWithRetry calls control until no other process holds the lock.
func (s *session) controlWithRetry(ctx context.Context, command string) error {
	return s.retry(ctx, func() error { return s.control(ctx, command) })
}

// retry calls run every millisecond while another process holds the lock. The backoff of
// SQLite's own busy handler grows to 100 ms and then rarely hits the gaps between the
// transactions of an import. A rewrite of the file may take longer than other writers.
func (s *session) retry(ctx context.Context, run func() error) error {
	began := time.Now()
	deadline := began.Add(s.patience)
	for tries := 0; ; tries++ {
		err := run()
		busy := errors.Is(err, errBusy)
		if now := time.Now(); busy && now.After(deadline) {
			if busy = now.Sub(began) < rewriteTimeout && othersRewrite(ctx, s.path); busy {
				deadline = now.Add(time.Second)
			}
		}
		if !busy {
			if tries > 0 {
				memory.ReportProgress(ctx, "")
			}
			return err
		}
		if tries == 0 {
			sqlcommon.ReportWait(ctx, "is writing to the database")
		}
		timer := time.NewTimer(time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// commit writes the index changes that last has collected, and commits the open transaction. If
// the context ended during COMMIT, the caller would not know whether it succeeded.
func (s *session) commit(ctx context.Context, last *writer) error {
	w := &writer{reader: reader{&driver{session: s}}, postings: last.postings, words: last.words}
	if err := w.flush(ctx); err != nil {
		return err
	}
	return s.controlWithRetry(context.WithoutCancel(ctx), "COMMIT")
}

// rollback rolls back an open transaction.
func (s *session) rollback() {
	if !s.open {
		return
	}
	s.open = false
	_, err := s.exec("ROLLBACK")
	// After some errors SQLite has already rolled back, and ROLLBACK fails. In any case a new
	// connection is in a known state.
	s.broken = s.broken || err != nil
}

func (s *session) close() error {
	for _, st := range s.statements {
		_ = st.Close() // the connection is closed next
	}
	if s.broken {
		// Keep it out of database/sql's pool, which drops a connection only for this error.
		_ = s.conn.Raw(func(any) error { return sqldriver.ErrBadConn })
	}
	return s.conn.Close()
}
