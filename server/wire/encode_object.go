package wire

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Object is a JSON object that is encoded member by member: byte for byte as Marshal
// encodes a struct, but without reflection. Names must need no escapes. The zero value
// has no members.
type Object struct {
	text []byte // without the closing brace
	err  error  // the first one
}

// objectRoom is the room for the members of most objects, in bytes.
const objectRoom = 1024

// Reset removes all members. What Bytes returned is overwritten.
func (o *Object) Reset() { o.text, o.err = o.text[:0], nil }

// Bytes returns the encoded object, which is valid until the object is changed.
func (o *Object) Bytes() ([]byte, error) {
	if len(o.text) == 0 {
		return []byte("{}"), o.err
	}
	return append(o.text, '}'), o.err
}

// name appends the name of a member.
func (o *Object) name(name string) {
	if o.text == nil {
		o.text = make([]byte, 0, objectRoom)
	}
	before := byte(',')
	if len(o.text) == 0 {
		before = '{'
	}
	o.text = append(o.text, before, '"')
	o.text = append(o.text, name...)
	o.text = append(o.text, '"', ':')
}

// String appends a string.
func (o *Object) String(name, s string) {
	o.name(name)
	o.string(s)
}

// OptionalString appends a string, unless it is nil.
func (o *Object) OptionalString(name string, s *string) {
	if s != nil {
		o.String(name, *s)
	}
}

// Strings appends a list of strings, which is null for nil.
func (o *Object) Strings(name string, list []string) {
	o.name(name)
	if list == nil {
		o.text = append(o.text, "null"...)
		return
	}
	o.text = append(o.text, '[')
	for i, s := range list {
		if i > 0 {
			o.text = append(o.text, ',')
		}
		o.string(s)
	}
	o.text = append(o.text, ']')
}

// Bool appends a boolean.
func (o *Object) Bool(name string, b bool) {
	o.name(name)
	o.text = strconv.AppendBool(o.text, b)
}

// Float appends a number: without an exponent from 1e-6 to 1e21, as in ECMAScript.
func (o *Object) Float(name string, f float64) {
	size := math.Abs(f)
	if size != 0 && !(size >= 1e-6 && size < 1e21) { // or NaN
		o.Value(name, f)
		return
	}
	o.name(name)
	o.text = strconv.AppendFloat(o.text, f, 'f', -1, 64)
}

// Time appends a time in the form of RFC 3339.
func (o *Object) Time(name string, t time.Time) {
	if year := t.Year(); year < 0 || year > 9999 || t.Location() != time.UTC {
		o.Value(name, t)
		return
	}
	o.name(name)
	o.text = append(o.text, '"')
	o.text = t.AppendFormat(o.text, time.RFC3339Nano)
	o.text = append(o.text, '"')
}

// ID appends a UUID.
func (o *Object) ID(name string, id uuid.UUID) {
	text, _ := id.MarshalText() // it never fails
	o.name(name)
	o.text = append(o.text, '"')
	o.text = append(o.text, text...)
	o.text = append(o.text, '"')
}

// Raw appends a value that is encoded, byte for byte.
func (o *Object) Raw(name string, value json.RawMessage) {
	o.name(name)
	o.text = append(o.text, value...)
}

// Value appends any value by encoding/json.
func (o *Object) Value(name string, v any) {
	text, err := Marshal(v)
	if o.err == nil {
		o.err = err
	}
	o.name(name)
	o.text = append(o.text, text...)
}

// string appends a string. encoding/json encodes the few that need escapes.
func (o *Object) string(s string) {
	if needsEscape(s) {
		text, err := Marshal(s)
		if o.err == nil {
			o.err = err
		}
		o.text = append(o.text, text...)
		return
	}
	o.text = append(o.text, '"')
	o.text = append(o.text, s...)
	o.text = append(o.text, '"')
}

// needsEscape reports whether Marshal writes more than quotes around s. Besides what JSON
// demands, it escapes U+2028, U+2029 and what is not UTF-8.
func needsEscape(s string) bool {
	for s = s[plainWords(s):]; len(s) > 0; {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r < ' ', r == '"', r == '\\', r == '\u2028', r == '\u2029', r == utf8.RuneError && size == 1:
			return true
		}
		s = s[size:]
	}
	return false
}

// plainWords returns how many bytes at the start of s are printable ASCII without quotes
// and backslashes, in words of eight. The highest bit of a byte of word is set if it is
// not ASCII, and that of a difference if the byte is less than what is subtracted.
func plainWords(s string) (n int) {
	const ones, highest = 0x0101010101010101, 0x8080808080808080
	for ; len(s)-n >= 8; n += 8 {
		b := s[n : n+8]
		word := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quotes, backslashes := word^'"'*ones, word^'\\'*ones // 0 where they are
		if (word|(word-' '*ones)|(quotes-ones)|(backslashes-ones))&highest != 0 {
			break
		}
	}
	return n
}
