package postgres

import (
	"context"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/acl"
	"mneme/storage/sqlcommon"
)

// Each implements sqlcommon.Reader.
func (d *driver) Each(ctx context.Context, scan func(sqlcommon.Row) error, text string, args ...any) error {
	if !storableArguments(args) {
		return d.ready(ctx)
	}
	return d.each(ctx, decoded(scan), text, encode(args)...)
}

// EachOf implements sqlcommon.Reader.
func (d *driver) EachOf(ctx context.Context, queries ...sqlcommon.Query) error {
	batch := make([]batchQuery, 0, len(queries))
	for _, q := range queries {
		if storableArguments(q.Args) {
			batch = append(batch, batchQuery{q.Text, encode(q.Args), decoded(q.Scan)})
		}
	}
	if len(batch) == 0 {
		return d.ready(ctx)
	}
	return d.queryBatch(ctx, batch)
}

// Stream implements sqlcommon.Reader. It reads with a cursor, so that a slow scan does not
// exceed the statement timeout.
func (d *driver) Stream(ctx context.Context, scan func(sqlcommon.Row) error, text string, args ...any) error {
	if !storableArguments(args) {
		return d.ready(ctx)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	cursor := "stream_" + strconv.FormatUint(uint64(h.Sum32()), 16)
	return d.eachFetched(ctx, cursor, decoded(scan), text, encode(args)...)
}

// Kept implements sqlcommon.Reader.
func (d *driver) Kept(context.Context) (*sqlcommon.Kept, error) { return nil, nil }

// InStore implements sqlcommon.Reader.
func (d *driver) InStore(ctx context.Context, store string) error {
	if d.heldLocks != nil {
		if err := d.lock(ctx, storeKey(store)); err != nil {
			return err
		}
	}
	if storable(store) {
		d.setRLSStore(store)
	}
	return d.ready(ctx)
}

// InScope implements sqlcommon.Reader.
func (d *driver) InScope(stores []acl.Access) { d.setRLSScope(stores) }

// OfEntries implements sqlcommon.Reader.
func (d *driver) OfEntries(ctx context.Context, ids []uuid.UUID) error {
	if d.heldLocks != nil && len(ids) > 0 {
		if err := d.lockEntries(ctx, ids); err != nil {
			return err
		}
	}
	d.setRLSAll()
	return d.ready(ctx)
}

// Exec implements sqlcommon.Writer.
func (d *driver) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	return d.affected(ctx, text, encode(args)...)
}

// ExecEach implements sqlcommon.Writer.
func (d *driver) ExecEach(ctx context.Context, text string, lists [][]any) ([]int64, error) {
	if err := d.ready(ctx); err != nil || len(lists) == 0 {
		return nil, err
	}
	d.queueBulk()
	batch := d.pendingBatch
	if batch == nil {
		batch = &pgx.Batch{}
	}
	d.pendingBatch = nil
	pending := batch.Len()
	for _, args := range lists {
		batch.Queue(texts.Text(text), encode(args)...)
	}
	affected := make([]int64, len(lists))
	err := d.send(ctx, batch, pending, func(results pgx.BatchResults) error {
		for i := range lists {
			tag, err := results.Exec()
			if err != nil {
				return d.fail(ctx, "write", err)
			}
			affected[i] = tag.RowsAffected()
		}
		return nil
	})
	return affected, err
}

// Queue implements sqlcommon.Writer.
func (d *driver) Queue(ctx context.Context, text string, args ...any) error {
	d.queueStatement(text, encode(args)...)
	return d.ready(ctx)
}

// Erased implements sqlcommon.Writer. The server reclaims the space by itself.
func (*driver) Erased() {}

// Fail implements sqlcommon.Writer.
func (d *driver) Fail(err error) error {
	d.failed = err
	return err
}

// storableArguments reports whether the texts of a query's arguments are storable.
func storableArguments(args []any) bool {
	for _, arg := range args {
		if text, ok := arg.(string); ok && !storable(text) {
			return false
		}
	}
	return true
}

// encode converts arguments to types that pgx encodes.
func encode(args []any) []any {
	encoded := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case uuid.UUID:
			encoded[i] = [16]byte(v)
		case acl.Label:
			encoded[i] = int16(v)
		case sqlcommon.Start:
			encoded[i] = encodeStart(time.Time(v))
		case sqlcommon.IDs:
			encoded[i] = arrays(v)
		case []uuid.UUID:
			encoded[i] = idList(v)
		default:
			encoded[i] = arg
		}
	}
	return encoded
}

// arrays returns IDs as a uuid[] parameter.
func arrays(ids []uuid.UUID) [][16]byte {
	list := make([][16]byte, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	return list
}

func encodeStart(at time.Time) pgtype.Timestamptz {
	if at.IsZero() {
		return pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	}
	return pgtype.Timestamptz{Time: at, Valid: true}
}

// decoded adapts the scan function of a query.
func decoded(scan func(sqlcommon.Row) error) func(pgx.Rows) error {
	var row row
	return func(rows pgx.Rows) error {
		row.rows = rows
		return scan(&row)
	}
}

// row implements sqlcommon.Row.
type row struct {
	rows pgx.Rows
	dest []any // of the last call, for reuse
}

// Scan implements sqlcommon.Row.
func (r *row) Scan(dest ...any) error {
	r.dest = r.dest[:0]
	for _, d := range dest {
		switch p := d.(type) {
		case *uuid.UUID:
			d = scannedID{p}
		case *time.Time:
			d = scannedTime{p}
		case *sqlcommon.Start:
			d = scannedTime{(*time.Time)(p)}
		case *acl.Label:
			d = scannedLabel{p}
		case *sqlcommon.IDs:
			d = scannedIDs{p}
		case *sqlcommon.Bytes:
			d = (*pgtype.DriverBytes)(p)
		}
		r.dest = append(r.dest, d)
	}
	return r.rows.Scan(r.dest...)
}

// scannedID is a pgtype.UUIDScanner.
type scannedID struct{ id *uuid.UUID }

func (s scannedID) ScanUUID(v pgtype.UUID) error {
	*s.id = v.Bytes // zeros for null
	return nil
}

// scannedTime is a pgtype.TimestamptzScanner. It reads an infinite time as zero.
type scannedTime struct{ at *time.Time }

func (s scannedTime) ScanTimestamptz(v pgtype.Timestamptz) error {
	*s.at = time.Time{}
	if v.Valid && v.InfinityModifier == pgtype.Finite {
		*s.at = v.Time.UTC()
	}
	return nil
}

// scannedLabel is a pgtype.Int64Scanner.
type scannedLabel struct{ label *acl.Label }

func (s scannedLabel) ScanInt64(v pgtype.Int8) error {
	*s.label = acl.Label(v.Int64)
	return nil
}

// scannedIDs is a pgtype.ArraySetter.
type scannedIDs struct{ ids *sqlcommon.IDs }

func (s scannedIDs) SetDimensions(dimensions []pgtype.ArrayDimension) error {
	*s.ids = nil
	if len(dimensions) > 0 {
		*s.ids = make(sqlcommon.IDs, dimensions[0].Length)
	}
	return nil
}

func (s scannedIDs) ScanIndex(i int) any { return scannedID{&(*s.ids)[i]} }

func (scannedIDs) ScanIndexType() any { return scannedID{} }
