package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"unicode"

	"go.yaml.in/yaml/v3"

	"mneme/memory"
)

// maxHead bounds the frontmatter, in bytes. The fields of an entry, all of
// them at their longest and escaped, are below it.
const maxHead = 64 << 10

var byteOrderMark = []byte("\xef\xbb\xbf")

// HasFrontmatter tells whether a file begins with a line of three dashes.
func HasFrontmatter(text []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimPrefix(text, byteOrderMark), []byte("\n"))
	return dashes(first)
}

// dashes tells a line of three dashes. White space behind them is not seen by
// who writes them.
func dashes(line []byte) bool { return string(bytes.TrimRight(line, " \t\r")) == "---" }

// Parse reads a file. All that is wrong with it is listed, in the order of its
// lines; a file with problems is not to be imported. foreign lets fields pass
// that mneme does not know. The name may be missing: its place in a folder
// tells it.
//
// Of the body one empty line before it and the line feed at its end are the
// file's. A file whose frontmatter has the line ends of DOS was converted as a
// whole, so that in its body they become line feeds again.
func Parse(text []byte, foreign bool) (Note, []Problem) {
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
		return n, []Problem{{1, "the frontmatter has no end: a second line of three dashes is missing"}}
	case len(head) > maxHead:
		return n, []Problem{{1, "the frontmatter is longer than " + strconv.Itoa(maxHead) + " bytes"}}
	}
	p := parser{note: &n, foreign: foreign}
	p.head(head)
	if opening, _, _ := bytes.Cut(text, []byte("\n")); bytes.HasSuffix(opening, []byte("\r")) {
		body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	}
	p.body(body, line)
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return a.Line - b.Line })
	return n, p.problems
}

// split parts frontmatter and body, and gives the line on which what is behind
// the frontmatter begins; 0 if the frontmatter has no end.
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
		if dashes(text[at : at+end]) {
			return text[start:at], text[next:], number + 1
		}
		at = next
	}
	return nil, nil, 0
}

// parser reads one file into its note.
type parser struct {
	note     *Note
	foreign  bool
	json     bool
	problems []Problem
}

func (p *parser) refuse(line int, reason string) {
	p.problems = append(p.problems, Problem{Line: line, Reason: reason})
}

// head reads the frontmatter, which begins on line 2.
func (p *parser) head(text []byte) {
	for at, r := range string(text) {
		// YAML takes some for line ends, and its lines would not be the file's.
		if unstable(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r == '\r' && text[at+1] != '\n' {
			p.refuse(1+lineAt(text, at), "has a control character")
			return
		}
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		p.refuse(damage(text))
		return
	}
	if len(document.Content) == 0 { // nothing, or comments
		return
	}
	fields := document.Content[0]
	if fields.Kind != yaml.MappingNode {
		p.refuse(damage(text))
		return
	}
	for i := 0; i+1 < len(fields.Content); i += 2 {
		key, value := fields.Content[i], fields.Content[i+1]
		line := key.Line + 1
		if key.Kind != yaml.ScalarNode || !known(key.Value) {
			if !p.foreign {
				p.refuse(line, UnknownField(key.Value))
			}
			continue
		}
		if p.note.Lines[key.Value] > 0 {
			p.refuse(line, key.Value+": stands here for the second time")
			continue
		}
		p.note.Lines[key.Value] = line
		if err := p.field(key.Value, value); err != nil {
			p.refuse(line, reasonOf(key.Value, err))
		}
	}
}

// reasonOf names the field as the file calls it: the entry's key is its name.
func reasonOf(field string, err error) string {
	var broken *memory.RuleError
	if errors.As(err, &broken) {
		return field + ": " + broken.Rule
	}
	return field + ": " + err.Error()
}

var fieldNames = []string{
	"name", "type", "description", "namespace", "tags", "store", "label", "in_context", "encrypted",
	"expires_at", "deleted_at", "json",
}

func known(field string) bool { return slices.Contains(fieldNames, field) }

var plainName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,31}$`)

// UnknownField names a field if it looks like a field's name: in a damaged file
// it can be text.
func UnknownField(name string) string {
	if plainName.MatchString(name) {
		return name + ": is an unknown field"
	}
	return "has an unknown field"
}

// body reads what is behind the frontmatter, which begins on a line.
func (p *parser) body(text []byte, line int) {
	if rest, ok := bytes.CutPrefix(text, []byte("\n")); ok {
		text, line = rest, line+1
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	p.note.Lines["body"] = line
	if !p.json {
		for at, r := range string(text) {
			if unstable(r) {
				p.refuse(line+lineAt(text, at)-1, "has a control character; where that is meant, the body is the text as a JSON string, under json: true")
				return
			}
		}
		p.note.Value = Value(string(text))
		return
	}
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil { // which, other than Compact, says where
		at := len(text)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = min(at, max(0, int(syntax.Offset)-1))
		}
		p.refuse(line+lineAt(text, at)-1, "the body is not valid JSON, which json: true says it is")
		return
	}
	var out bytes.Buffer
	// Without an error: it was just found valid.
	_ = json.Compact(&out, value)
	p.note.Value = out.Bytes()
}
