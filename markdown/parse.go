package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"mneme/memory"
)

// maxHead bounds the frontmatter, in bytes. All fields of an entry fit in it, escaped and at
// their maximum lengths.
const maxHead = 64 << 10

var byteOrderMark = []byte("\xef\xbb\xbf")

// HasFrontmatter reports whether a file begins with a line of three dashes.
func HasFrontmatter(text []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimPrefix(text, byteOrderMark), []byte("\n"))
	return isDelimiter(first)
}

// isDelimiter reports whether a line consists of three dashes. It allows trailing white space,
// because authors do not see it.
func isDelimiter(line []byte) bool { return string(bytes.TrimRight(line, " \t\r\n")) == "---" }

// EndsFrontmatter reports whether a line closes the frontmatter: three dashes, or the three
// dots that end a YAML document, which Pandoc users write.
func EndsFrontmatter(line []byte) bool {
	return isDelimiter(line) || string(bytes.TrimRight(line, " \t\r\n")) == "..."
}

var documentMarker = regexp.MustCompile(`(?m)^(---|\.\.\.)([ \t\r]|$)`)

// MarkerAt returns the offset of the first line of a frontmatter at which a YAML document may
// begin or end, such as "--- # more", or -1 if there is none. The YAML library reads nothing
// after the first document.
func MarkerAt(head []byte) int {
	if at := documentMarker.FindIndex(head); at != nil {
		return at[0]
	}
	return -1
}

// Parse parses a file. It returns all problems, ordered by line; a file with problems must not
// be imported. With foreign, it ignores unknown fields instead of reporting them. The name may
// be missing: the file's path then gives it, see EntryPath.
//
// One empty line before the body and the line feed at its end are not part of the value. If the
// frontmatter has CRLF line endings, CRLF in the body becomes a line feed.
//
// A time without a zone is in zone. An occurred_at that is not a date is not a problem: it
// becomes Undated.
func Parse(text []byte, foreign bool, zone *time.Location) (Note, []Problem) {
	n := Note{InContext: true, Lines: make(map[string]int)}
	text = bytes.TrimPrefix(text, byteOrderMark)
	if at := invalidAt(text); at >= 0 {
		return n, []Problem{{lineAt(text, at), "is not valid UTF-8"}}
	}
	if !HasFrontmatter(text) {
		return n, []Problem{{1, "the frontmatter is missing: a line of three dashes, name, type and description, another line of three dashes"}}
	}
	head, body, line := split(text)
	switch {
	case line == 0:
		return n, []Problem{{1, "the frontmatter is not closed: a second line of three dashes is missing"}}
	case len(head) > maxHead:
		return n, []Problem{{1, "the frontmatter is longer than " + strconv.Itoa(maxHead) + " bytes"}}
	}
	p := parser{note: &n, foreign: foreign, zone: zone}
	p.head(head)
	if opening, _, _ := bytes.Cut(text, []byte("\n")); bytes.HasSuffix(opening, []byte("\r")) {
		body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	}
	p.body(body, line)
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return a.Line - b.Line })
	return n, p.problems
}

// split separates frontmatter and body. line is the first line after the frontmatter, or 0 if
// the frontmatter is not closed.
func split(text []byte) (head, body []byte, line int) {
	start := bytes.IndexByte(text, '\n') + 1
	if start == 0 {
		return nil, nil, 0
	}
	for at, number := start, 2; at < len(text); number++ {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		next := min(at+end+1, len(text))
		if EndsFrontmatter(text[at : at+end]) {
			return text[start:at], text[next:], number + 1
		}
		at = next
	}
	return nil, nil, 0
}

// IsFrontmatterClosed reports whether the frontmatter at the start of a file is closed.
func IsFrontmatterClosed(text []byte) bool {
	_, _, line := split(text)
	return line > 0
}

// parser parses one file into its note.
type parser struct {
	note     *Note
	foreign  bool
	zone     *time.Location
	json     bool
	problems []Problem
}

// report adds a problem.
func (p *parser) report(line int, reason string) {
	p.problems = append(p.problems, Problem{Line: line, Reason: reason})
}

// head parses the frontmatter, which begins on line 2.
func (p *parser) head(text []byte) {
	for at, r := range string(text) {
		// YAML treats some of these as line breaks, which would shift its line numbers.
		if isUnstable(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r == '\r' && text[at+1] != '\n' {
			p.report(1+lineAt(text, at), "has a control character")
			return
		}
	}
	if at := MarkerAt(text); at >= 0 {
		p.report(1+lineAt(text, at), "the frontmatter has more than one YAML document")
		return
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		p.report(diagnose(text))
		return
	}
	if len(document.Content) == 0 { // empty, or only comments
		return
	}
	fields := document.Content[0]
	if fields.Kind != yaml.MappingNode {
		p.report(diagnose(text))
		return
	}
	for i := 0; i+1 < len(fields.Content); i += 2 {
		key, value := fields.Content[i], fields.Content[i+1]
		line := key.Line + 1
		if key.Kind != yaml.ScalarNode || !known(key.Value) {
			if !p.foreign {
				p.report(line, UnknownField(key.Value))
			}
			continue
		}
		if p.note.Lines[key.Value] > 0 {
			p.report(line, key.Value+": is given twice")
			continue
		}
		p.note.Lines[key.Value] = line
		if err := p.field(key.Value, value); err != nil {
			p.report(line, reasonOf(key.Value, err))
		}
	}
}

// reasonOf returns an error's text, preceded by the name of the field in the file. There an
// entry's key is called name.
func reasonOf(field string, err error) string {
	var broken *memory.RuleError
	if errors.As(err, &broken) {
		return field + ": " + broken.Rule
	}
	return field + ": " + err.Error()
}

var fieldNames = []string{
	"name", "type", "description", "namespace", "tags", "store", "label", "in_context", "encrypted",
	"expires_at", "deleted_at", "occurred_at", "json",
}

func known(field string) bool { return slices.Contains(fieldNames, field) }

var plainName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,31}$`)

// UnknownField returns the reason of a Problem with an unknown field. It quotes the name only
// if it looks like a field name: in a damaged file it can be memory text.
func UnknownField(name string) string {
	if plainName.MatchString(name) {
		return name + ": is an unknown field"
	}
	return "has an unknown field"
}

// body parses the text after the frontmatter, which starts on a line.
func (p *parser) body(text []byte, line int) {
	if rest, ok := bytes.CutPrefix(text, []byte("\n")); ok {
		text, line = rest, line+1
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	p.note.Lines["body"] = line
	if !p.json {
		for at, r := range string(text) {
			if isUnstable(r) {
				p.report(line+lineAt(text, at)-1, "has a control character; to keep it, write the body as a JSON string and add json: true")
				return
			}
		}
		p.note.Value = Value(string(text))
		return
	}
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil { // its error has the offset, unlike that of Compact
		at := len(text)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = min(at, max(0, int(syntax.Offset)-1))
		}
		p.report(line+lineAt(text, at)-1, "the body is not valid JSON, although json is true")
		return
	}
	var out bytes.Buffer
	_ = json.Compact(&out, value) // cannot fail: value is valid JSON
	p.note.Value = out.Bytes()
}
