package vector

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// What an index refuses, before it changes or ranks anything.
var (
	// ErrDimension says that a vector has another length than the index.
	ErrDimension = errors.New("wrong dimension")
	// ErrNotUnit says that a vector is not of unit length; one that holds a
	// NaN or an infinity never is.
	ErrNotUnit = errors.New("not a unit vector")
	// ErrBadQuery says that a query's Limit or Only is out of range.
	ErrBadQuery = errors.New("bad vector query")
	// ErrBadRecord says that a record's store, label or chunk is out of
	// range, or at odds with another record of the same entry.
	ErrBadRecord = errors.New("bad vector record")
)

// unitSlack is how far the square of a unit vector's length may lie from 1.
// Rounding to half precision moves it by at most 2^-10.
const unitSlack = 0.01

// Check tells whether the query keeps its contract for an index of dim
// dimensions. Its errors are ErrDimension, ErrNotUnit and ErrBadQuery.
func (q Query) Check(dim int) error {
	if len(q.Vector) != dim {
		return fmt.Errorf("%w: the query has %d elements, the index %d", ErrDimension, len(q.Vector), dim)
	}
	if q.Limit <= 0 {
		return fmt.Errorf("%w: limit %d is not above 0", ErrBadQuery, q.Limit)
	}
	if len(q.Only) > MaxOnly {
		return fmt.Errorf("%w: only %d ids may be named, not %d", ErrBadQuery, MaxOnly, len(q.Only))
	}
	square := 0.0
	for _, x := range q.Vector {
		square += float64(x) * float64(x)
	}
	if !unit(square) {
		return fmt.Errorf("query: %w", ErrNotUnit)
	}
	return nil
}

// CheckRecords tells whether records keep their contract for an index of dim
// dimensions. Its errors are ErrDimension, ErrNotUnit and ErrBadRecord.
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
		if !unit(square) {
			return fmt.Errorf("entry %s: %w", r.Entry, ErrNotUnit)
		}
	}
	return nil
}

// unit is false for NaN, too.
func unit(square float64) bool { return square > 1-unitSlack && square < 1+unitSlack }
