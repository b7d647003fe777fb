package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mneme/internal/system"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// ErrNewer and ErrOlder mean that the schema was written by a version of mneme that is
// newer, or too old to be updated.
var ErrNewer, ErrOlder = sqlcommon.ErrNewer, sqlcommon.ErrOlder

// ErrDamaged means that the file is not a database, or that pages of it are
// malformed.
var ErrDamaged = fmt.Errorf("%w: the database file is damaged: stop mneme and restore a backup, see docs/operating.md", memory.ErrUnavailable)

// ErrReplaced means that another file is in the place of the database, or another state
// in the file.
var ErrReplaced = sqlcommon.ErrReplaced

// errBusy means that another process holds the lock.
var errBusy = fmt.Errorf("%w: another process is writing", memory.ErrUnavailable)

// interpret maps an error of the driver to one of the contract. op says what
// failed. It is called once per error, where the driver returns it. The result
// includes the result code and not the driver's message, which could quote
// stored text.
func interpret(op string, err error) error {
	var driver *sqlite.Error
	if !errors.As(err, &driver) {
		return fmt.Errorf("sqlite: %s: %w", op, err)
	}
	code := driver.Code()
	switch code & 0xff { // the primary result code
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return errBusy
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: sqlite: %s: result code %d", ErrDamaged, op, code)
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL:
		return fmt.Errorf("%w: sqlite: %s: result code %d", memory.ErrUnavailable, op, code)
	}
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return memory.ErrExists
	}
	return fmt.Errorf("sqlite: %s: result code %d", op, code)
}

// advise says what to do about an error of Open of a file, if there is something.
func advise(ctx context.Context, path string, err error) error {
	var driver *sqlite.Error
	if errors.As(err, &driver) {
		return adviseOn(ctx, path, driver)
	}
	switch {
	case system.IsReadOnly(err), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; mneme must be able to write to the data folder", err)
	case system.IsDiskFull(err):
		return fmt.Errorf("%w; make room on the disk of the data folder", err)
	}
	return err
}

func adviseOn(ctx context.Context, path string, driver *sqlite.Error) error {
	err := interpret("open", driver)
	switch driver.Code() & 0xff {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%w; mneme must be able to write to the data folder", err)
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return fmt.Errorf("%w; the disk may be full or failing", err)
	case sqlite3.SQLITE_ERROR: // so damage to the schema may look, too
		if found := check(ctx, path); errors.Is(found, ErrDamaged) {
			return found
		}
	}
	return err
}
