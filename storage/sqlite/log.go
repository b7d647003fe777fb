package sqlite

import (
	"context"
	"time"
)

// logRest is how long after the last commit the write-ahead log is moved into the file. A commit
// moves it only once it has wal_autocheckpoint pages (pool.go), and until then reads find the
// pages of the last writes more slowly than those in the file.
const logRest = 2 * time.Second

// committed starts the time after which the log is moved.
func (s *Storage) committed(err error) error {
	if err == nil {
		s.log.Reset(logRest)
	}
	return err
}

// moveLog moves the log into the file, except for what readers of older states still need. If it
// fails, a later commit moves it.
func (s *Storage) moveLog() {
	if s.enter() != nil {
		return
	}
	defer s.gate.Leave()
	_ = s.ended(s.writers.with(context.Background(), func(c *session) error {
		if _, err := c.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)"); err != nil {
			return interpret("move the log", err)
		}
		return nil
	}))
}
