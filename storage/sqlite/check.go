package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Check reads the whole file and looks for malformed pages. It returns ErrDamaged if there are
// any. Then, as after any statement that finds one, every further transaction fails with that
// error: what SQLite returns from a damaged file may be wrong, and writing to it may destroy
// more. SQLite has no page checksums, so Check does not detect a page that is well-formed but
// wrong.
func (s *Storage) Check(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	return s.ended(check(ctx, s.path))
}

// check is Check for the file at path. It opens its own connection: one that has already read
// the index of exact words would compare the current index with the segments that FTS5 knew at
// that time.
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
		case found != "ok": // not quoted, since it names pages and tables
			return fmt.Errorf("%w: sqlite: check", ErrDamaged)
		}
		return nil
	})
}

// ended returns the error of a transaction that has ended, and records that it found the file
// damaged. A write to a file that has since been replaced is lost, so it is not acknowledged.
func (s *Storage) ended(err error) error {
	if errors.Is(err, ErrDamaged) {
		s.damaged.Store(true)
	}
	if err == nil {
		err = s.inPlace()
	}
	return err
}

// inPlace returns ErrReplaced if another file, or no file, is at the path of the database, for
// example while a backup is being restored. Open connections would continue with the former
// file, and new ones would use the other.
func (s *Storage) inPlace() error {
	if s.past.Replaced() {
		return ErrReplaced
	}
	file, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(file, s.file) {
		return s.past.Notice()
	}
	return nil
}

// Continues returns ErrReplaced if the database was replaced. Call it regularly, and not
// concurrently, to detect that another state was restored into the file.
func (s *Storage) Continues(ctx context.Context) error {
	return s.view(ctx, func(r *readTx) error { return s.past.Follow(ctx, r.Reads, unnamed) })
}

// unnamed is a sqlcommon.Namer that gives every database the same name, because inPlace detects
// another file.
func unnamed(context.Context) (string, error) {
	return "", nil
}
