// Package markdown holds the folder of Markdown files that a store is exported
// to and imported from: MAESTRO's form (name.md with YAML frontmatter and the
// body, deleted ones under trash/, the index MEMORY.md), with more fields for
// what an entry has beyond name, type and description.
package markdown

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode"
	"unicode/utf8"

	"mneme/acl"
	"mneme/memory"
)

// Names in a folder that are no entries' files.
const (
	IndexFile   = "MEMORY.md"
	TrashFolder = "trash"
	extension   = ".md"
)

// Note is one file: what frontmatter and body say of an entry.
type Note struct {
	Namespace, Name string
	Store           string    // that a file written by hand may name
	Label           acl.Label // zero: not said
	Type            string
	Description     string
	Tags            []string
	InContext       bool
	Encrypted       bool
	ExpiresAt       time.Time // zero: never
	DeletedAt       time.Time // zero: not said
	Value           json.RawMessage

	// Lines says on which line of the file a field stands, from 1, and under
	// body where the body begins. A field that the file leaves out is absent.
	Lines map[string]int
}

// Problem is what is wrong with a file, on a line of it. Reason holds nothing
// of the file's text but names of fields.
type Problem struct {
	Line   int // from 1
	Reason string
}

// NoteOf is the note of an entry. A label of PUBLIC is left out, since most
// are.
func NoteOf(e *memory.Entry) Note {
	n := Note{
		Namespace: e.Namespace, Name: e.Key, Type: e.Type, Description: e.Description, Tags: e.Tags,
		InContext: e.InContext, Encrypted: e.Encrypted, ExpiresAt: e.ExpiresAt, DeletedAt: e.DeletedAt, Value: e.Value,
	}
	if e.Label > acl.Public {
		n.Label = e.Label
	}
	return n
}

// Contents is the file without what says nothing of the contents: store,
// label and time of the deletion. Notes of equal contents are equal in it.
func (n Note) Contents() []byte {
	n.Store, n.Label, n.DeletedAt = "", 0, time.Time{}
	return n.Render()
}

// body is the value as the file shows it, and whether as JSON: all but
// strings, and the strings that a text file would not keep.
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

// plainText is the text of a JSON string of which every character stands for
// itself in a text file.
func plainText(value json.RawMessage) ([]byte, bool) {
	if len(value) == 0 || value[0] != '"' {
		return nil, false
	}
	var text string
	if json.Unmarshal(value, &text) != nil || lossy(value) {
		return nil, false
	}
	for _, r := range text {
		if unstable(r) {
			return nil, false
		}
	}
	return []byte(text), true
}

// lossy tells whether a JSON string holds half of a surrogate pair, for which
// there is no text: decoding puts U+FFFD in its place. So it counts those that
// were there before.
func lossy(value []byte) bool {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return true
	}
	decoded := bytes.Count([]byte(text), []byte("\uFFFD"))
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
		i++ // what is escaped begins no escape
	}
	return decoded != written
}

// unstable tells characters that editors and tools do not keep in a text file.
func unstable(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r'
}

// Value is a text as an entry's value, with <, > and & as they are.
func Value(text string) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	// Without an error: strings always encode, and buffers take everything.
	_ = encoder.Encode(text)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// lineAt is the line of a place in a text, from 1.
func lineAt(text []byte, at int) int { return 1 + bytes.Count(text[:at], []byte("\n")) }

// invalidAt is where a text is no longer valid UTF-8; -1 if it is to its end.
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
