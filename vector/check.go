package vector

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Errors for arguments that violate the contract of Index. An index returns
// them before it changes or ranks anything.
var (
	// ErrDimension reports a vector whose length is not the index's dimension.
	ErrDimension = errors.New("wrong dimension")
	// ErrNotUnit reports a vector that is not of unit length, or holds a NaN
	// or an infinity.
	ErrNotUnit = errors.New("not a unit vector")
	// ErrBadQuery reports a query whose Limit or Only is out of range.
	ErrBadQuery = errors.New("bad vector query")
	// ErrBadRecord reports a record whose store, label or chunk is out of
	// range, or contradicts another record of the same entry.
	ErrBadRecord = errors.New("bad vector record")
)

// unitTolerance is how far the square of a unit vector's length may differ from 1. Rounding to
// half precision changes it by at most 2^-10.
const unitTolerance = 0.01

// Check returns an error unless the query is valid for an index of dim
// dimensions: ErrDimension, ErrNotUnit or ErrBadQuery.
func (q Query) Check(dim int) error {
	if len(q.Vector) != dim {
		return fmt.Errorf("%w: the query has %d elements, the index %d", ErrDimension, len(q.Vector), dim)
	}
	if q.Limit <= 0 {
		return fmt.Errorf("%w: limit %d is not positive", ErrBadQuery, q.Limit)
	}
	if len(q.Only) > MaxOnly {
		return fmt.Errorf("%w: %d ids, at most %d are allowed", ErrBadQuery, len(q.Only), MaxOnly)
	}
	square := 0.0
	for _, x := range q.Vector {
		square += float64(x) * float64(x)
	}
	if !isUnit(square) {
		return fmt.Errorf("query: %w", ErrNotUnit)
	}
	return nil
}

// CheckRecords returns an error unless all records are valid for an index of
// dim dimensions: ErrDimension, ErrNotUnit or ErrBadRecord.
func CheckRecords(records []Record, dim int) error {
	type chunk struct {
		entry uuid.UUID
		n     int
	}
	first := make(map[uuid.UUID]int, len(records))
	chunks := make(map[chunk]bool, len(records))
	for i, r := range records {
		switch {
		case len(r.Vector) != dim:
			return fmt.Errorf("%w: entry %s has %d elements, the index %d", ErrDimension, r.Entry, len(r.Vector), dim)
		case r.Store <= 0:
			return fmt.Errorf("%w: entry %s has store number %d", ErrBadRecord, r.Entry, r.Store)
		case !r.Label.Valid():
			return fmt.Errorf("%w: entry %s has no label", ErrBadRecord, r.Entry)
		case r.Chunk < 0:
			return fmt.Errorf("%w: entry %s has chunk %d", ErrBadRecord, r.Entry, r.Chunk)
		case chunks[chunk{r.Entry, r.Chunk}]:
			return fmt.Errorf("%w: entry %s has chunk %d twice", ErrBadRecord, r.Entry, r.Chunk)
		}
		chunks[chunk{r.Entry, r.Chunk}] = true
		if f, ok := first[r.Entry]; !ok {
			first[r.Entry] = i
		} else if records[f].Store != r.Store || records[f].Label != r.Label {
			return fmt.Errorf("%w: entry %s has two stores or labels", ErrBadRecord, r.Entry)
		}
		square := 0.0
		for _, x := range r.Vector {
			v := float64(HalfValue(x))
			square += v * v
		}
		if !isUnit(square) {
			return fmt.Errorf("entry %s: %w", r.Entry, ErrNotUnit)
		}
	}
	return nil
}

// isUnit reports whether square is the squared length of a unit vector. It is
// false for NaN.
func isUnit(square float64) bool { return square > 1-unitTolerance && square < 1+unitTolerance }
