package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// Errors of Members. They hold nothing of what was read.
var (
	ErrSyntax    = errors.New("not valid JSON")
	ErrNotObject = errors.New("not a JSON object")
	ErrUTF8      = errors.New("not valid UTF-8")
	ErrTwice     = errors.New("a field is given twice")
	ErrTrailing  = errors.New("there is something behind the end of the object")
)

// Member is a name with its value, byte for byte as written.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members reads the members of the one object in text, strictly: UTF-8, no name
// given twice or matched in another case, nothing after the end. encoding/json
// lets all of these pass, and each lets two readers of one text see different
// things.
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
		member := Member{Name: name.(string)} // within an object a name is a string, or the token an error
		if seen[member.Name] {
			return nil, ErrTwice
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

// LoneSurrogate reports whether a string in a JSON text has an escape of half a
// surrogate pair. encoding/json would replace it silently.
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

// hex4 reads four hexadecimal digits at an offset; -1 if they are not there.
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
