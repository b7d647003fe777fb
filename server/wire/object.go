package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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

// maxMembers is far above the fields of any object. A body has room for a million, which
// take many times the bytes of their text.
const maxMembers = 10_000

// Member is a name with its value, byte for byte as written.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members parses a JSON object strictly: the text is valid UTF-8, no name is
// repeated, and nothing follows the object. encoding/json accepts all of these,
// and with each two parsers may read the same text differently.
func Members(text []byte) ([]Member, error) {
	if !utf8.Valid(text) {
		return nil, ErrUTF8
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	start, err := decoder.Token()
	if err != nil {
		return nil, ErrSyntax
	}
	if start != json.Delim('{') {
		return nil, ErrNotObject
	}
	var members []Member
	seen := make(map[string]bool)
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, ErrSyntax
		}
		member := Member{Name: name.(string)} // the decoder accepts only strings as names
		if seen[member.Name] {
			return nil, ErrTwice
		}
		if len(members) == maxMembers {
			return nil, ErrTooMany
		}
		seen[member.Name] = true
		if err := decoder.Decode(&member.Value); err != nil {
			return nil, ErrSyntax
		}
		members = append(members, member)
	}
	if _, err := decoder.Token(); err != nil { // the closing brace
		return nil, ErrSyntax
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrTrailing
	}
	return members, nil
}

// LoneSurrogate reports whether a JSON text escapes an unpaired surrogate, which
// encoding/json would replace silently.
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
