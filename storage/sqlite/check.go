package sqlite

import (
	"context"
	"errors"
	"fmt"
)

// Check reads the whole file and looks for malformed pages. It returns ErrDamaged
// if there are any; then, as after any statement that finds one, every further
// transaction fails with that error: what SQLite returns from a damaged file may
// be wrong, and writing to it may destroy more. SQLite has no checksums of pages,
// so a page that is well-formed and wrong is not noticed.
func (s *Storage) Check(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	return s.noticeDamage(check(ctx, s.path))
}

// check is Check of the file at path. It has a connection of its own: another would compare
// the index of exact words, as it is, with the segments that FTS5 knew in that connection
// when it last read them.
func check(ctx context.Context, path string) error {
	own := newPool(path, reading, 1)
	defer func() { _ = own.close() }() // it was only read
	return own.with(ctx, func(c *session) error {
		var found string
		// With the context, since this statement may take long.
		err := c.conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return interpret("check", err)
		case found != "ok": // the text names pages and tables
			return fmt.Errorf("%w: sqlite: check", ErrDamaged)
		}
		return nil
	})
}

// noticeDamage remembers that a transaction found the file damaged, and returns
// the transaction's error.
func (s *Storage) noticeDamage(err error) error {
	if errors.Is(err, ErrDamaged) {
		s.damaged.Store(true)
	}
	return err
}
