package sqlcommon

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// IDs is the value of a column that holds IDs in order.
type IDs []uuid.UUID

// Bytes are the bytes of a column, valid until the next row is read.
type Bytes []byte

// Start is a time whose zero value is stored as the earliest time, not as null.
type Start time.Time

// JSON is a value that a column stores as JSON text. For an argument, Of is the value. For a
// scanned column, Of is a pointer to it, and null leaves the value unchanged.
type JSON struct{ Of any }

// Value implements driver.Valuer.
func (j JSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.Of)
	return string(text), err
}

// Scan implements sql.Scanner.
func (j JSON) Scan(src any) error {
	switch text := src.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(text), j.Of)
	case []byte:
		return json.Unmarshal(text, j.Of)
	default:
		return fmt.Errorf("a column with JSON has the type %T", src)
	}
}

// OrNull returns the argument for a nullable column: null for the zero value.
func OrNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// NotNull returns the argument for a column of bytes that must not be null: no bytes for nil.
func NotNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Join returns IDs as one blob, 16 bytes each.
func (ids IDs) Join() []byte {
	b := make([]byte, 0, 16*len(ids))
	for _, id := range ids {
		b = append(b, id[:]...)
	}
	return b
}

// SplitIDs is the inverse of Join.
func SplitIDs(b []byte) (ids IDs, _ error) {
	if len(b)%16 != 0 {
		return nil, fmt.Errorf("a list of IDs has %d bytes", len(b))
	}
	for ; len(b) > 0; b = b[16:] {
		ids = append(ids, uuid.UUID(b[:16]))
	}
	return ids, nil
}
