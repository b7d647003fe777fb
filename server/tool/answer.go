package tool

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// DefaultAnswer and MinAnswer are the default and the minimum limit on the text
// of an answer, in bytes. The minimum has room for a search hit or an entry
// with the longest key, tags and source that the service accepts, and a page of
// its text.
const (
	DefaultAnswer = 64_000
	MinAnswer     = 16_000
)

// page is a part of a value's text, and the offset of the next part.
type page struct {
	text string
	// Truncated and NextOffset are members of an answer that stops before the
	// end of the text.
	Truncated  bool `json:"truncated,omitempty"`
	NextOffset int  `json:"next_offset,omitempty"` // in bytes of the text
}

// offset is the parameter offset of the tools that read a value: the byte of
// its text to begin at. An offset inside a character means the start of the
// character.
type offset int

// from returns the text from the offset on.
func (o offset) from(text string) (rest string, start int, err error) {
	start = int(o)
	if start < 0 || start > len(text) {
		return "", 0, refuse("Error: `offset` must be 0 to %d, the length of the text in bytes", len(text))
	}
	for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
		start--
	}
	return text[start:], start, nil
}

// stretch holds the parameters offset and length of the tools that read a
// value: the part of its text to read, in bytes.
type stretch struct {
	offset, length int // a length of 0: to the end
}

// add adds the parameters to the call's parameters.
func (s *stretch) add(to arguments) arguments {
	to["offset"], to["length"] = &s.offset, &s.length
	return to
}

// of returns the selected part of a text and its offset. A length that ends
// inside a character is shortened to the character before, but the part has one
// character at least.
func (s stretch) of(text string, given map[string]bool) (part string, start int, err error) {
	rest, start, err := offset(s.offset).from(text)
	if err != nil {
		return "", 0, err
	}
	if given["length"] && s.length < 1 {
		return "", 0, refuse("Error: `length` must be at least 1, in bytes")
	}
	if s.length == 0 || s.length >= len(rest) {
		return rest, start, nil
	}
	_, first := utf8.DecodeRuneInString(rest)
	return rest[:max(first, wholeCharacters(rest, s.length))], start, nil
}

// page returns as much of a part of a text as fits into the answer. The part
// begins at start, and more reports whether the text continues after it. empty
// is the answer without the text, at its largest.
func (c *call) page(part string, start int, more bool, empty any) (page, error) {
	room, err := c.room(empty)
	if err != nil {
		return page{}, err
	}
	n := fitting(part, room)
	if n == len(part) && !more {
		return page{text: part}, nil
	}
	return page{text: part[:n], Truncated: true, NextOffset: start + n}, nil
}

// read returns the requested page of a text.
func (c *call) read(text string, s stretch, given map[string]bool, empty any) (page, error) {
	part, start, err := s.of(text, given)
	if err != nil {
		return page{}, err
	}
	return c.page(part, start, start+len(part) < len(text), empty)
}

// room returns the number of bytes left in an answer with an object.
func (c *call) room(object any) (int, error) {
	const members = len(`,"truncated":true,"next_offset":9007199254740992`)
	text, err := encode(object)
	return max(minPage, c.maxAnswer-len(text)-members), err
}

// minPage is the minimum length of a part of a text, in bytes, so that
// successive offsets always reach the end.
const minPage = 64

// fitting returns the length of the longest prefix of text, of whole
// characters, whose JSON string takes at most room bytes without its quotes.
func fitting(text string, room int) int {
	for i, r := range text {
		if room -= encodedLen(r); room < 0 {
			return i
		}
	}
	return len(text)
}

// encodedLen returns the number of bytes of a character in wire's JSON
// encoding, which does not escape HTML.
func encodedLen(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t' || r == '\b' || r == '\f':
		return 2
	case r < ' ' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError: // RuneError may be an invalid byte
		return 6
	}
	return utf8.RuneLen(r)
}

// encode encodes an object, without HTML escapes, directly into the text of a
// result to avoid a second copy.
func encode(object any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// cut truncates a text that is not JSON, such as an error that quotes its
// arguments, to the limit of an answer.
func (c *call) cut(text string) string {
	const note = "\n(truncated: true)"
	if len(text) <= c.maxAnswer {
		return text
	}
	n := c.maxAnswer - len(note)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + note
}

// list collects the encoded items of a listing, up to the room left.
type list struct {
	items []json.RawMessage
	room  int // bytes left
}

// newList returns an empty list for an answer. empty holds the answer's other
// members.
func (c *call) newList(empty any) (*list, error) {
	room, err := c.room(empty)
	return &list{items: []json.RawMessage{}, room: room}, err
}

// tryAdd adds an item if it fits, and reports whether it did.
func (l *list) tryAdd(item any) (bool, error) {
	text, err := encode(item)
	if size := len(text) + len(","); err == nil && size <= l.room {
		l.room -= size
		l.items = append(l.items, json.RawMessage(text))
		return true, nil
	}
	return false, err
}
