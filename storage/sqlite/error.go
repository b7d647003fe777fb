package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mneme/memory"
)

// ErrNewer means that the file was written by a newer version of mneme.
var ErrNewer = errors.New("the database was written by a newer version of mneme")

// errBusy means that another process holds the lock.
var errBusy = fmt.Errorf("%w: another process is writing", memory.ErrUnavailable)

// errDiscard makes database/sql drop a connection.
var errDiscard = errors.New("the connection is in an unknown state")

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
