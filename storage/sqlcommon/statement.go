// Package sqlcommon is the shared code of the SQL storages: how a transaction runs statements,
// and the code whose statements are the same in every dialect.
//
// A statement has a name and is stored in a file: see Statements. A storage may also compose SQL
// itself. Parameters are $1, $2 and so on. Both databases also accept some less known syntax:
// upserts (ON CONFLICT … DO UPDATE SET x = t.x + excluded.x), row values, and a CROSS JOIN with
// its condition in WHERE, which fixes SQLite's order of the tables and lets PostgreSQL choose.
//
// Arguments and scanned columns have Go types: see Row and Reader. Code that differs between the
// storages (full text, row-level security, bulk loading) is in their packages.
package sqlcommon

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// ErrConflict means that concurrent transactions conflicted. A storage in which that can happen
// runs the whole transaction again.
var ErrConflict = fmt.Errorf("%w: too many conflicting transactions", memory.ErrUnavailable)

// Row is a row of a result.
type Row interface {
	// Scan copies the columns. A destination is a pointer to a bool, an integer, a
	// string or a []byte, to a pointer to one of these for a nullable column, a
	// sql.Scanner, or:
	//
	//	*uuid.UUID  uuid.Nil for null
	//	*time.Time  in UTC; the zero time for null
	//	*acl.Label
	//	*[]string
	//	*Bytes
	//	*IDs        nil if there are none
	//	*Start
	Scan(dest ...any) error
}

// Query is one of several queries that run together.
type Query struct {
	Text string // the name of a statement in a folder sql, or SQL itself
	Args []any
	Scan func(Row) error // called for each row
}

// Reader runs queries in a transaction. An argument is nil, a bool, an integer, a
// string, a []byte (nil is null), a driver.Valuer, or one of:
//
//	uuid.UUID, time.Time, acl.Label, Start
//	IDs                                      the value of a column
//	[]uuid.UUID, [][]byte, []string, []int64 a list
//
// A query with an argument that the database cannot store, such as a text with NUL, returns no
// rows. Scan functions must not run a query.
type Reader interface {
	// Each runs a query and calls scan for each row.
	Each(ctx context.Context, scan func(Row) error, text string, args ...any) error
	// EachOf runs queries in order, in one round trip.
	EachOf(ctx context.Context, queries ...Query) error
	// Stream is Each for a query with many rows, which it reads in portions.
	Stream(ctx context.Context, scan func(Row) error, text string, args ...any) error
	// Kept returns the rows cached by earlier transactions: see KeptList. It returns nil if
	// there is no cache, because the transaction writes or the database does not report
	// changes.
	Kept(ctx context.Context) (*Kept, error)
	// InStore confines the following statements to the rows of a store, if the database has
	// row-level security. A writing transaction locks the store.
	InStore(ctx context.Context, store string) error
	// InScope confines the following statements to the rows of stores up to their ceilings.
	InScope(stores []acl.Access)
	// OfEntries lets the following statements see all rows. A writing transaction locks the
	// stores of the entries, which may be nil.
	OfEntries(ctx context.Context, ids []uuid.UUID) error
}

// Writer reads and writes in a transaction.
type Writer interface {
	Reader
	// Exec runs a statement and returns the number of affected rows. A statement must not
	// violate a unique constraint: if that can happen, it has ON CONFLICT DO NOTHING, and the
	// caller checks the number.
	Exec(ctx context.Context, text string, args ...any) (int64, error)
	// ExecEach runs a statement for each list of arguments, in one round trip, and returns the
	// number of rows affected by each.
	ExecEach(ctx context.Context, text string, lists [][]any) ([]int64, error)
	// Queue is Exec for a statement whose outcome is not needed: it may be sent in one batch
	// with the next one.
	Queue(ctx context.Context, text string, args ...any) error
	// Erased records that the transaction has erased text, so that a storage whose files would
	// keep it (SQLite) removes it from them.
	Erased()
	// Fail makes the transaction fail with an error, and returns the error.
	Fail(err error) error
}

// Leg ranks entries by words. Each storage has its own, since their indexes differ.
type Leg interface {
	// Lexical is memory.LexicalLeg.Lexical.
	Lexical(ctx context.Context, scope acl.Scope, query memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error)
}

// List runs a query and returns the result of scan for each row.
func List[T any](ctx context.Context, r Reader, scan func(Row) (T, error), text string, args ...any) (list []T, err error) {
	err = r.Each(ctx, func(row Row) error {
		v, err := scan(row)
		list = append(list, v)
		return err
	}, text, args...)
	return list, err
}

// First returns the result of scan for the first row of a query, or nil if there is none.
func First[T any](ctx context.Context, r Reader, scan func(Row) (T, error), text string, args ...any) (*T, error) {
	list, err := List(ctx, r, scan, text, args...)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// One scans the row of a query that returns at most one, and reports whether it did.
func One(ctx context.Context, r Reader, into []any, text string, args ...any) (found bool, err error) {
	err = r.Each(ctx, func(row Row) error {
		found = true
		return row.Scan(into...)
	}, text, args...)
	return found, err
}

// Insert runs an INSERT … ON CONFLICT DO NOTHING. It returns memory.ErrExists if the row
// exists.
func Insert(ctx context.Context, w Writer, text string, args ...any) error {
	n, err := w.Exec(ctx, text, args...)
	if err == nil && n == 0 {
		return memory.ErrExists
	}
	return err
}
