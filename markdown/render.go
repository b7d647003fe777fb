package markdown

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Render returns the file of a note: frontmatter between two lines of three dashes, an empty
// line, the body, a line feed. Parse returns an equal note.
func (n Note) Render() []byte {
	var b bytes.Buffer
	b.WriteString("---\n")
	field := func(name, value string, given bool) {
		if given {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	text, asJSON := n.body()
	field("name", scalar(n.Name), true)
	field("type", scalar(n.Type), n.Type != "")
	field("description", scalar(n.Description), n.Description != "")
	field("namespace", scalar(n.Namespace), n.Namespace != "")
	field("tags", list(n.Tags), len(n.Tags) > 0)
	field("store", scalar(n.Store), n.Store != "")
	field("label", n.Label.String(), n.Label != 0)
	field("in_context", "false", !n.InContext)
	field("encrypted", "true", n.Encrypted)
	field("expires_at", instant(n.ExpiresAt), !n.ExpiresAt.IsZero())
	field("deleted_at", instant(n.DeletedAt), !n.DeletedAt.IsZero())
	field("occurred_at", cmp.Or(n.OccurredAt.String(), scalar(n.Undated)), !n.OccurredAt.IsZero() || n.Undated != "")
	field("json", "true", asJSON)
	b.WriteString("---\n")
	if len(text) > 0 {
		b.WriteByte('\n')
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// list returns a YAML sequence on one line.
func list(items []string) string {
	scalars := make([]string, len(items))
	for i, item := range items {
		if scalars[i] = item; !isSimple(item) {
			scalars[i] = quoted(item)
		}
	}
	return "[" + strings.Join(scalars, ", ") + "]"
}

// scalar returns a text as a YAML scalar on one line. It uses double quotes unless every YAML
// reader reads the plain text as a string.
func scalar(text string) string {
	if isSimple(text) || isPlain(text) {
		return text
	}
	return quoted(text)
}

// quoted returns a text in double quotes. Unlike the encoders of YAML libraries, it does not
// escape emoji and other printable characters beyond U+FFFF.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r) || unicode.Is(unicode.Zs, r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// keywords are plain scalars that some version of YAML does not read as strings.
var keywords = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// isSimple reports whether a text needs no quotes anywhere: it consists of letters, digits, and
// -_./ , and begins with a letter.
func isSimple(text string) bool {
	if text == "" || slices.Contains(keywords, strings.ToLower(text)) {
		return false
	}
	for i, r := range text {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.In(r, unicode.M, unicode.N) && !strings.ContainsRune("-_./", r)) {
			return false
		}
	}
	return true
}

// isPlain reports whether a text needs no quotes as the value of a field: it begins with a
// letter, is printable and parses to itself.
func isPlain(text string) bool {
	for i, r := range text {
		if i == 0 && !unicode.IsLetter(r) || !unicode.IsPrint(r) {
			return false
		}
	}
	var back yaml.Node
	if yaml.Unmarshal([]byte("k: "+text+"\n"), &back) != nil || len(back.Content) != 1 {
		return false
	}
	pairs := back.Content[0].Content
	return len(pairs) == 2 && pairs[1].Kind == yaml.ScalarNode && pairs[1].Tag == "!!str" && pairs[1].Value == text &&
		!slices.Contains(keywords, strings.ToLower(text))
}
