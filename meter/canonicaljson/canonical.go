// Package canonicaljson writes JSON values in the canonical form of RFC 8785, so that equal
// values have equal digests.
package canonicaljson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// errNotCanonical reports that RFC 8785 defines no form for the value.
var errNotCanonical = errors.New("no canonical form")

// maxExact is the highest integer up to which a float64 represents every integer exactly.
const maxExact = 1<<53 - 1

// Of returns the canonical form of a JSON value. RFC 8785 defines none for a value with
// duplicate names, lone surrogates, bytes that are not UTF-8, or numbers that a float64 cannot
// represent. For such a value Of returns the form of a JSON string whose content is the value's
// text.
func Of(value json.RawMessage) []byte {
	text, err := canonicalValue(value)
	if err != nil {
		return appendString(nil, string(bytes.ToValidUTF8(value, []byte("\uFFFD"))))
	}
	return text
}

func canonicalValue(value json.RawMessage) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	if !utf8.Valid(value) || !json.Valid(value) {
		return nil, errNotCanonical
	}
	text, replaced, err := appendCanonical(nil, decoder)
	if err != nil {
		return nil, err
	}
	// The decoder replaces a lone surrogate by U+FFFD. If the text has no U+FFFD, there was
	// one.
	if replaced && !bytes.ContainsRune(value, utf8.RuneError) && !bytes.Contains(bytes.ToLower(value), []byte(`\ufffd`)) {
		return nil, errNotCanonical
	}
	return text, nil
}

// appendCanonical appends the next value of a decoder. replaced reports whether one of its
// strings contains U+FFFD.
func appendCanonical(to []byte, decoder *json.Decoder) (text []byte, replaced bool, err error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, false, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return appendObject(to, decoder)
		}
		return appendArray(to, decoder)
	case string:
		return appendString(to, token), hasReplacement(token), nil
	case json.Number:
		to, err = appendNumber(to, token)
		return to, false, err
	case bool:
		return strconv.AppendBool(to, token), false, nil
	default:
		return append(to, "null"...), false, nil
	}
}

func appendArray(to []byte, decoder *json.Decoder) (_ []byte, replaced bool, err error) {
	to = append(to, '[')
	for i := 0; decoder.More(); i++ {
		if i > 0 {
			to = append(to, ',')
		}
		var has bool
		if to, has, err = appendCanonical(to, decoder); err != nil {
			return nil, false, err
		}
		replaced = replaced || has
	}
	_, err = decoder.Token()
	return append(to, ']'), replaced, err
}

// appendObject appends an object. RFC 8785 orders the members by the UTF-16 code units of their
// names.
func appendObject(to []byte, decoder *json.Decoder) (_ []byte, replaced bool, err error) {
	type member struct {
		name  string
		order []uint16
		value []byte
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, false, err
		}
		m := member{name: name.(string)}
		m.order = utf16.Encode([]rune(m.name))
		var has bool
		if m.value, has, err = appendCanonical(nil, decoder); err != nil {
			return nil, false, err
		}
		replaced = replaced || has || hasReplacement(m.name)
		members = append(members, m)
	}
	if _, err = decoder.Token(); err != nil {
		return nil, false, err
	}
	slices.SortFunc(members, func(a, b member) int { return slices.Compare(a.order, b.order) })
	to = append(to, '{')
	for i, m := range members {
		if i > 0 {
			if m.name == members[i-1].name {
				return nil, false, errNotCanonical
			}
			to = append(to, ',')
		}
		to = append(append(appendString(to, m.name), ':'), m.value...)
	}
	return append(to, '}'), replaced, nil
}

func hasReplacement(s string) bool { return bytes.ContainsRune([]byte(s), utf8.RuneError) }

// appendNumber appends a number as ECMAScript writes it.
func appendNumber(to []byte, number json.Number) ([]byte, error) {
	f, err := number.Float64()
	if err != nil || math.IsInf(f, 0) {
		return nil, errNotCanonical
	}
	if f == 0 {
		return append(to, '0'), nil // -0 too
	}
	text, err := json.Marshal(f)
	if math.Abs(f) > maxExact && !strings.ContainsAny(number.String(), ".eE") && string(text) != number.String() {
		return nil, errNotCanonical // a float64 would lose the last digits of the integer
	}
	return append(to, text...), err
}

// appendString appends a string in which only the characters are escaped that RFC 8785
// requires.
func appendString(to []byte, s string) []byte {
	to = append(to, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			to = append(to, '\\', byte(r))
		case r == '\b':
			to = append(to, `\b`...)
		case r == '\t':
			to = append(to, `\t`...)
		case r == '\n':
			to = append(to, `\n`...)
		case r == '\f':
			to = append(to, `\f`...)
		case r == '\r':
			to = append(to, `\r`...)
		case r < ' ':
			to = fmt.Appendf(to, `\u%04x`, r)
		default:
			to = utf8.AppendRune(to, r)
		}
	}
	return append(to, '"')
}
