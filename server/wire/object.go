package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// Errors of Members. They contain no part of the text.
var (
	ErrSyntax    = errors.New("not valid JSON")
	ErrNotObject = errors.New("not a JSON object")
	ErrUTF8      = errors.New("not valid UTF-8")
	ErrTwice     = errors.New("a field is repeated")
	ErrTooMany   = errors.New("it has too many fields")
	ErrTrailing  = errors.New("the object is followed by more text")
)

// maxMembers is far above the number of fields of any object. A body could contain a
// million members, which take many times their bytes in memory.
const maxMembers = 10_000

// Member is a name with its value, byte for byte as written. The value shares the
// memory of the text, but has no spare capacity: appending to it copies.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members parses a JSON object strictly: it refuses invalid UTF-8, repeated names,
// and text after the object. Two parsers may read such a text differently, and
// encoding/json accepts it.
func Members(text []byte) ([]Member, error) {
	switch {
	case !utf8.Valid(text):
		return nil, ErrUTF8
	case !json.Valid(text): // the code below relies on valid JSON
		return nil, invalid(text)
	}
	at := skipSpace(text, 0)
	if text[at] != '{' {
		return nil, ErrNotObject
	}
	var members []Member
	seen := make(map[string]bool)
	for at = skipSpace(text, at+1); text[at] != '}'; {
		end := valueEnd(text, at)
		name, err := unquote(text[at:end])
		switch {
		case err != nil:
			return nil, ErrSyntax
		case seen[name]:
			return nil, ErrTwice
		case len(members) == maxMembers:
			return nil, ErrTooMany
		}
		seen[name] = true
		at = skipSpace(text, skipSpace(text, end)+1) // skips the colon
		end = valueEnd(text, at)
		members = append(members, Member{name, text[at:end:end]})
		if at = skipSpace(text, end); text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
	return members, nil
}

// invalid returns the error for a text that is not a single JSON value.
func invalid(text []byte) error {
	var first json.RawMessage
	switch err := json.NewDecoder(bytes.NewReader(text)).Decode(&first); {
	case err != nil:
		return ErrSyntax
	case first[0] != '{':
		return ErrNotObject
	}
	return ErrTrailing
}

// skipSpace returns the offset of the first byte from offset at on that is not white space.
func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') {
		at++
	}
	return at
}

// valueEnd returns the end of the value that starts at an offset of valid JSON.
func valueEnd(text []byte, at int) int {
	depth, quoted := 0, false
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case quoted && c == '\\':
			at++
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return at + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			if depth--; depth == 0 {
				return at + 1
			}
		case depth == 0 && (c == ',' || c == '}' || c <= ' '): // after a number, true, false or null
			return at
		}
	}
	return at
}

// unquote decodes a valid JSON string.
func unquote(text []byte) (s string, err error) {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1]), nil
	}
	err = json.Unmarshal(text, &s)
	return s, err
}

// LoneSurrogate reports whether a JSON text contains an escaped unpaired surrogate,
// which encoding/json would silently replace.
func LoneSurrogate(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // the escaped character
		if i >= len(text) || text[i] != 'u' {
			continue
		}
		unit := hex4(text, i+1)
		i += 4
		switch {
		case unit >= 0xDC00 && unit <= 0xDFFF:
			return true
		case unit >= 0xD800 && unit <= 0xDBFF:
			if i+2 >= len(text) || text[i+1] != '\\' || text[i+2] != 'u' {
				return true
			}
			if low := hex4(text, i+3); low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 6
		}
	}
	return false
}

// hex4 parses the four hexadecimal digits at an offset; it returns -1 if there
// are none.
func hex4(text []byte, at int) int {
	if at+4 > len(text) {
		return -1
	}
	unit := 0
	for _, c := range text[at : at+4] {
		unit <<= 4
		switch {
		case '0' <= c && c <= '9':
			unit |= int(c - '0')
		case 'a' <= c && c <= 'f':
			unit |= int(c-'a') + 10
		case 'A' <= c && c <= 'F':
			unit |= int(c-'A') + 10
		default:
			return -1
		}
	}
	return unit
}
