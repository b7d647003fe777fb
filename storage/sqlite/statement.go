package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/storage/sqlcommon"
)

// Each implements sqlcommon.Reader.
func (d *driver) Each(ctx context.Context, scan func(sqlcommon.Row) error, text string, args ...any) error {
	return d.each(ctx, decoded(scan), text, encode(args)...)
}

// EachOf implements sqlcommon.Reader.
func (d *driver) EachOf(ctx context.Context, queries ...sqlcommon.Query) error {
	for _, q := range queries {
		if err := d.Each(ctx, q.Scan, q.Text, q.Args...); err != nil {
			return err
		}
	}
	return nil
}

// Stream implements sqlcommon.Reader. SQLite steps through the rows of any query.
func (d *driver) Stream(ctx context.Context, scan func(sqlcommon.Row) error, text string, args ...any) error {
	return d.Each(ctx, scan, text, args...)
}

// Kept implements sqlcommon.Reader. PRAGMA data_version changes with each commit of another
// connection (sqlite.org/pragma.html), and reading sessions never commit.
func (d *driver) Kept(ctx context.Context) (*sqlcommon.Kept, error) {
	if d.kept == nil || d.same {
		return d.kept, d.ready(ctx)
	}
	var version int64
	_, err := d.one(ctx, []any{&version}, "PRAGMA data_version")
	if err == nil {
		d.kept.At(version)
		d.same = true
	}
	return d.kept, err
}

// InStore implements sqlcommon.Reader. The file has no row-level security, and a writing
// transaction has locked all of it.
func (d *driver) InStore(ctx context.Context, _ string) error { return d.ready(ctx) }

// InScope implements sqlcommon.Reader.
func (*driver) InScope([]acl.Access) {}

// OfEntries implements sqlcommon.Reader.
func (d *driver) OfEntries(ctx context.Context, _ []uuid.UUID) error { return d.ready(ctx) }

// Exec implements sqlcommon.Writer.
func (d *driver) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	return d.affected(ctx, text, encode(args)...)
}

// ExecEach implements sqlcommon.Writer.
func (d *driver) ExecEach(ctx context.Context, text string, lists [][]any) ([]int64, error) {
	affected := make([]int64, len(lists))
	for i, args := range lists {
		n, err := d.Exec(ctx, text, args...)
		if err != nil {
			return nil, err
		}
		affected[i] = n
	}
	return affected, nil
}

// Queue implements sqlcommon.Writer. It runs the statement at once.
func (d *driver) Queue(ctx context.Context, text string, args ...any) error {
	_, err := d.exec(ctx, text, encode(args)...)
	return err
}

// Erased implements sqlcommon.Writer.
func (d *driver) Erased() { d.dropped = true }

// Fail implements sqlcommon.Writer.
func (d *driver) Fail(err error) error { return d.fail(err) }

// encode returns arguments as SQLite stores them: IDs as 16 bytes each, times in microseconds,
// lists as JSON.
func encode(args []any) []any {
	encoded := make([]any, len(args))
	for i, arg := range args {
		encoded[i] = encodeArgument(arg)
	}
	return encoded
}

func encodeArgument(arg any) any {
	switch v := arg.(type) {
	case uuid.UUID:
		return v[:]
	case time.Time:
		return micros(v)
	case sqlcommon.Start:
		if time.Time(v).IsZero() {
			return int64(0)
		}
		return micros(time.Time(v))
	case []byte:
		return nullBytes(v)
	case sqlcommon.IDs:
		return v.Join()
	case []uuid.UUID:
		return idList(v)
	case []int64:
		return numberList(v)
	case []string:
		return jsonList(v)
	case [][]byte:
		texts := make([]string, len(v))
		for i, b := range v {
			texts[i] = hex.EncodeToString(b)
		}
		return jsonList(texts)
	default:
		return arg
	}
}

// jsonList returns a JSON array of strings.
func jsonList(texts []string) string {
	if texts == nil {
		return "[]"
	}
	list, _ := json.Marshal(texts) // strings have a JSON form
	return string(list)
}

// decoded adapts the scan function of a query.
func decoded(scan func(sqlcommon.Row) error) func(*sql.Rows) error {
	var row row
	return func(rows *sql.Rows) error {
		row.rows = rows
		return scan(&row)
	}
}

// row implements sqlcommon.Row.
type row struct {
	rows *sql.Rows
	dest []any // of the last call, for reuse
}

// Scan implements sqlcommon.Row.
func (r *row) Scan(dest ...any) error {
	r.dest = r.dest[:0]
	for _, d := range dest {
		switch p := d.(type) { // *uuid.UUID is a sql.Scanner
		case *int:
			d = scannedInteger[int]{p}
		case *int64:
			d = scannedInteger[int64]{p}
		case *acl.Label:
			d = scannedInteger[acl.Label]{p}
		case *time.Time:
			d = scannedTime{p}
		case *sqlcommon.Start:
			d = scannedStart{p}
		case *sqlcommon.IDs:
			d = scannedIDs{p}
		case *sqlcommon.Bytes:
			d = (*sql.RawBytes)(p)
		case *[]string:
			d = sqlcommon.JSON{Of: p}
		}
		r.dest = append(r.dest, d)
	}
	return r.rows.Scan(r.dest...)
}

// scannedInteger is a sql.Scanner of an integer. database/sql formats and parses every integer
// whose type is not int64, and a search reads thousands.
type scannedInteger[T int | int64 | acl.Label] struct{ n *T }

func (s scannedInteger[T]) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("sqlite: an integer has the type %T", src)
	}
	*s.n = T(n)
	return nil
}

// scannedTime is a sql.Scanner of microseconds.
type scannedTime struct{ at *time.Time }

func (s scannedTime) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*s.at = time.Time{}
	case int64:
		*s.at = fromMicros(v)
	default:
		return fmt.Errorf("sqlite: a time has the type %T", src)
	}
	return nil
}

// scannedStart is a sql.Scanner of a sqlcommon.Start.
type scannedStart struct{ at *sqlcommon.Start }

func (s scannedStart) Scan(src any) error {
	if src == int64(0) {
		*s.at = sqlcommon.Start{}
		return nil
	}
	return scannedTime{(*time.Time)(s.at)}.Scan(src)
}

// scannedIDs is a sql.Scanner of sqlcommon.IDs.
type scannedIDs struct{ ids *sqlcommon.IDs }

func (s scannedIDs) Scan(src any) (err error) {
	b, ok := src.([]byte)
	if !ok && src != nil {
		return fmt.Errorf("sqlite: a list of IDs has the type %T", src)
	}
	*s.ids, err = sqlcommon.SplitIDs(b)
	return err
}
