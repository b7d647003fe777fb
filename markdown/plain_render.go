package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// ErrPlain reports a note that no file with the given name can hold.
var ErrPlain = errors.New("the file's name does not fit the entry")

// RenderPlain returns the file of a note, from which ParsePlain returns an equal note. It omits
// the fields that the path and the text imply, and moves the fields at the start of the value
// into the frontmatter. The file has the encoding and byte order mark of the old file, and its
// CRLF line endings if it has them.
func RenderPlain(file string, n Note, old []byte) ([]byte, error) {
	before, _ := Decode(old)
	crlf, encoding := isCRLF(before), encodingOf(old)
	for _, candidate := range n.candidates(file) {
		if crlf {
			if with := encoding.encode(bytes.ReplaceAll(candidate, []byte("\n"), []byte("\r\n"))); n.isIn(file, with) {
				return with, nil
			}
		}
		if text := encoding.encode(candidate); n.isIn(file, text) {
			return text, nil
		}
	}
	return nil, ErrPlain
}

// isIn reports whether a file holds the note.
func (n Note) isIn(file string, text []byte) bool {
	got, problems := ParsePlain(file, text, time.UTC)
	return len(problems) == 0 && bytes.Equal(got.Contents(), n.Contents())
}

// candidates returns the possible forms of the file, the plainest first.
func (n Note) candidates(file string) (all [][]byte) {
	shown := n
	if namespace, key := plainPath(file); namespace == n.Namespace && key == n.Name {
		shown.Namespace, shown.Name = "", ""
	}
	for _, named := range []Note{shown, n} {
		if text, ok := Text(n.Value); ok {
			for _, described := range []bool{false, true} {
				if rest, body, ok := cutHead(text); ok {
					all = append(all, named.plain(described, rest, body))
				}
				all = append(all, named.plain(described, nil, text))
			}
		}
		all = append(all, append(append([]byte("---\n"), named.fields(true)...), "json: true\n---\n\n"+string(n.Value)+"\n"...))
	}
	return all
}

// Text returns the text of a JSON string. ok is false if the value is not a string, or has an
// unpaired surrogate.
func Text(value json.RawMessage) (text string, ok bool) {
	ok = json.Unmarshal(value, &text) == nil && len(value) > 0 && value[0] == '"' && !isLossy(value, text)
	return text, ok
}

// plain returns a file with the note's fields, the lines rest of other fields, and a body.
func (n Note) plain(described bool, rest []byte, body string) []byte {
	head := append(n.fields(described), rest...)
	var b bytes.Buffer
	if len(head) > 0 || HasFrontmatter([]byte(body)) || isCRLF([]byte(body)) || strings.HasPrefix(body, "\ufeff") {
		b.WriteString("---\n" + string(head) + "---\n")
		if body != "" {
			b.WriteByte('\n')
		}
	}
	if b.WriteString(body); body != "" {
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// fields returns the lines of the note's fields. They include an empty description if
// described.
func (n Note) fields(described bool) []byte {
	n.Value, n.Store, n.DeletedAt, n.Tags = nil, "", time.Time{}, hashed(n.Tags)
	if !described {
		n.Description = ""
	}
	head, _, _ := split(n.Render()) // without a value, it has json: true
	var b bytes.Buffer
	if described && n.Description == "" {
		b.WriteString("description: \"\"\n")
	}
	for line := range bytes.Lines(head) {
		if n.Name == "" && bytes.HasPrefix(line, []byte("name:")) || bytes.HasPrefix(line, []byte("json:")) {
			continue
		}
		b.Write(line)
	}
	return b.Bytes()
}

// FreeFile returns the file for an entry that has none yet: its FileName, or if a file has that
// name, the same name with ~ and a digest. taken reports whether a file has a name in the form
// of Fold.
func FreeFile(namespace, key string, taken func(folded string) bool) (string, error) {
	for _, name := range []string{FileName(namespace, key), distinctName(namespace, key)} {
		if !taken(fold(name)) {
			return name, nil
		}
	}
	return "", errors.New("other files have the names that an entry's file may have")
}

// Fold returns the form of a file name that is compared by file systems that ignore case or
// Unicode normalization.
func Fold(name string) string { return fold(name) }
