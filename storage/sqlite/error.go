package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mneme/memory"
)

// ErrNewer says that a file was written by a newer mneme.
var ErrNewer = errors.New("the database was written by a newer version of mneme")

// errBusy says that another process holds the lock.
var errBusy = fmt.Errorf("%w: another process is writing", memory.ErrUnavailable)

// errDiscard makes database/sql drop a connection.
var errDiscard = errors.New("the connection is in an unknown state")

// interpret turns an error of the driver into one of the contract. It is
// called once for each, where the driver returns it. Only the result code goes
// into the text: the driver's message could quote what was stored.
func interpret(doing string, err error) error {
	var driver *sqlite.Error
	if !errors.As(err, &driver) {
		return fmt.Errorf("sqlite: %s: %w", doing, err)
	}
	code := driver.Code()
	switch code & 0xff { // the primary code; what stands above it refines it
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return errBusy
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL:
		return fmt.Errorf("%w: sqlite: %s: result code %d", memory.ErrUnavailable, doing, code)
	}
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return memory.ErrExists
	}
	return fmt.Errorf("sqlite: %s: result code %d", doing, code)
}
