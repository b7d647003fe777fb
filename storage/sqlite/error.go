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

// ErrNewer and ErrOlder mean that a newer version of mneme wrote the schema, or one that is too
// old to be updated.
var ErrNewer, ErrOlder = sqlcommon.ErrNewer, sqlcommon.ErrOlder

// ErrDamaged means that the file is not a database, or has malformed pages.
var ErrDamaged = fmt.Errorf("%w: the database file is damaged: stop mneme and restore a backup, see docs/operating/backups.md", memory.ErrUnavailable)

// ErrReplaced means that another file is at the path of the database, or that the file has
// another state.
var ErrReplaced = sqlcommon.ErrReplaced

// errBusy means that another process holds the write lock.
var errBusy = fmt.Errorf("%w: another process has been writing for too long: wait for it or end it; it may be an import, a backup or a shell with an open transaction", memory.ErrUnavailable)

// reasons explain the most common primary result codes and say what to do.
var reasons = map[int]string{
	sqlite3.SQLITE_CANTOPEN: "the database cannot be opened: mneme must be able to write to the data folder",
	sqlite3.SQLITE_FULL:     "the disk is full: make room on the disk of the data folder",
	sqlite3.SQLITE_IOERR:    "the disk may be full or failing: make room on the disk of the data folder, or see the system's log",
	sqlite3.SQLITE_NOMEM:    "there is too little memory: end other programs",
	sqlite3.SQLITE_PERM:     "the database may not be used: mneme must be able to write to the data folder",
	sqlite3.SQLITE_PROTOCOL: "locks do not work: the data folder must be on a local disk",
	sqlite3.SQLITE_READONLY: "the database is read-only: mneme must be able to write to the data folder",
}

// interpret maps an error of the driver to one that callers can recognize by errors.Is, such as
// ErrDamaged or memory.ErrUnavailable. op says what failed. It is called once per error, where
// the driver returns it. The result includes the result code but not the driver's message, which
// could quote stored text.
func interpret(op string, err error) error {
	var driver *sqlite.Error
	if !errors.As(err, &driver) {
		return fmt.Errorf("sqlite: %s: %w", op, err)
	}
	code := driver.Code()
	switch code & 0xff { // the primary result code
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return errBusy
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w; it is not a database: sqlite: %s: result code %d", ErrDamaged, op, code)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: sqlite: %s: result code %d", ErrDamaged, op, code)
	}
	if reason := reasons[code&0xff]; reason != "" {
		return fmt.Errorf("%w: %s: sqlite: %s: result code %d", memory.ErrUnavailable, reason, op, code)
	}
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return memory.ErrExists
	}
	return fmt.Errorf("sqlite: %s: result code %d", op, code)
}

// advise adds to an error that occurred while a file was opened what to do, if that is known.
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
	if driver.Code()&0xff == sqlite3.SQLITE_ERROR { // a damaged schema may look like this, too
		if found := check(ctx, path); errors.Is(found, ErrDamaged) {
			return found
		}
	}
	return interpret("open", driver)
}
