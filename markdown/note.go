// Package markdown reads and writes a store as a folder of Markdown files.
//
// The format is MAESTRO's: each entry is a file name.md with YAML frontmatter and a body,
// deleted entries are under trash/, and MEMORY.md is the index. The frontmatter has additional
// fields for the properties of an entry besides name, type and description.
package markdown

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mneme/acl"
	"mneme/memory"
)

// Names in a folder that are not entries, and the extension of entries.
const (
	IndexFile   = "MEMORY.md"
	TrashFolder = "trash"
	extension   = ".md"
)

// Note is the contents of one file: an entry's fields and value.
type Note struct {
	Namespace, Name string
	Store           string    // only in files written by hand
	Label           acl.Label // zero: not given
	Type            string
	Description     string
	Tags            []string
	InContext       bool
	Encrypted       bool
	ExpiresAt       time.Time // zero: never
	DeletedAt       time.Time // zero: not given
	OccurredAt      memory.Moment
	Undated         string // the file's occurred_at, if it is not a date or time
	Value           json.RawMessage

	// Lines has the line of each field that the file contains, from 1; "body"
	// has the first line of the body.
	Lines map[string]int
}

// Problem is an error on one line of a file. Of the file's text, Reason quotes only field
// names.
type Problem struct {
	Line   int // from 1
	Reason string
}

// NoteOf returns the note of an entry. It omits the label PUBLIC, which most entries have.
func NoteOf(e *memory.Entry) Note {
	n := Note{
		Namespace: e.Namespace, Name: e.Key, Type: e.Type, Description: e.Description, Tags: e.Tags,
		InContext: e.InContext, Encrypted: e.Encrypted, ExpiresAt: e.ExpiresAt, DeletedAt: e.DeletedAt,
		OccurredAt: e.OccurredAt, Value: e.Value,
	}
	if e.Label > acl.Public {
		n.Label = e.Label
	}
	return n
}

// Contents renders the note without store, label and time of deletion. Two notes have the same
// contents if the results are equal.
func (n Note) Contents() []byte {
	n.Store, n.Label, n.DeletedAt = "", 0, time.Time{}
	return n.Render()
}

// body returns the body of the file: the value as JSON, or plain text if the value is a string
// that a text file preserves.
func (n *Note) body() (text []byte, asJSON bool) {
	if text, ok := plainText(n.Value); ok {
		return text, false
	}
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(n.Value), "", "  "); err != nil {
		return n.Value, true
	}
	return out.Bytes(), true
}

// plainText returns the text of a JSON string; ok is false if the value is not a
// string or a text file would not preserve it.
func plainText(value json.RawMessage) (text []byte, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return nil, false
	}
	var s string
	if json.Unmarshal(value, &s) != nil || isLossy(value, s) || strings.ContainsFunc(s, isUnstable) {
		return nil, false
	}
	return []byte(s), true
}

// isLossy reports whether a JSON string contains an unpaired surrogate, which decoding replaced
// with U+FFFD. It compares the number of U+FFFD before and after decoding.
func isLossy(value []byte, text string) bool {
	decoded := strings.Count(text, "\uFFFD")
	if decoded == 0 {
		return false
	}
	written := bytes.Count(value, []byte("\uFFFD"))
	for i := 0; i+6 <= len(value); i++ {
		if value[i] != '\\' {
			continue
		}
		if value[i+1] == 'u' && bytes.EqualFold(value[i+2:i+6], []byte("fffd")) {
			written++
		}
		i++ // skip the escaped character: it may be a backslash
	}
	return decoded != written
}

// isUnstable reports whether r is a control character that editors and tools do not preserve in
// a text file.
func isUnstable(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r'
}

// Value encodes a text as a JSON string, without escaping <, > and &.
func Value(text string) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // encoding a string to a buffer cannot fail
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// lineAt returns the line of an offset, from 1.
func lineAt(text []byte, offset int) int { return 1 + bytes.Count(text[:offset], []byte("\n")) }

// invalidAt returns the offset of the first invalid UTF-8, or -1 if there is none.
func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
