package sqlcommon

import (
	"context"
	"slices"
	"time"

	"mneme/acl"
)

// MeterReader has the reading methods of meter.ReadTx.
type MeterReader struct{ r Reader }

// NewMeterReader returns the meter's reader in a transaction.
func NewMeterReader(r Reader) MeterReader { return MeterReader{r} }

// MeterWriter has the methods of meter.Tx, except Lock.
type MeterWriter struct {
	MeterReader
	w Writer
}

// NewMeterWriter returns the meter's writer in a transaction.
func NewMeterWriter(w Writer) MeterWriter { return MeterWriter{MeterReader{w}, w} }

// FarFuture is later than any time of a row.
var FarFuture = time.Date(200_000, 1, 1, 0, 0, 0, 0, time.UTC)

// upTo returns the upper bound for times before at, or FarFuture if there is none.
func upTo(at time.Time) time.Time {
	if at.IsZero() {
		return FarFuture
	}
	return at
}

// labelBound returns the argument for the highest label of rows.
func labelBound(ceiling acl.Label) acl.Label { return min(ceiling, acl.Restricted) }

// labelsTo returns the list of the labels up to a ceiling.
func labelsTo(ceiling acl.Label) (list []int64) {
	for label := acl.Public; label <= labelBound(ceiling); label++ {
		list = append(list, int64(label))
	}
	return list
}

// eachLabel returns the first rows, up to limit, of a query whose parameters are a label, the
// limit and args. It reads each label up to the ceiling in index order, and merges the results,
// so that rows above the ceiling cost no time.
func eachLabel[T any](ctx context.Context, r Reader, scan func(Row) (T, error), compare func(a, b T) int, ceiling acl.Label, limit int, text string, args ...any) ([]T, error) {
	if limit <= 0 {
		return nil, nil
	}
	var found []T
	var queries []Query
	for label := acl.Public; label <= labelBound(ceiling); label++ {
		queries = append(queries, Query{text, append([]any{label, limit}, args...), func(row Row) error {
			v, err := scan(row)
			found = append(found, v)
			return err
		}})
	}
	if err := r.EachOf(ctx, queries...); err != nil {
		return nil, err
	}
	slices.SortFunc(found, compare)
	return found[:min(limit, len(found))], nil
}
