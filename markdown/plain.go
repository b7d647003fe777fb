package markdown

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

	"mneme/acl"
	"mneme/memory"
)

// ParsePlain parses a file of any Markdown folder, such as an Obsidian vault or a wiki. name is
// its slash-separated path. The note always has a name.
//
//   - The path without .md is the name, and the namespace follows EntryPath. The fields name and
//     namespace count only if the path cannot encode them, see Belongs.
//   - The description comes from the frontmatter, else from its title, else from a level-1
//     heading at the start of the text.
//   - Tags may be a list or a text with commas, with or without #; null is left out.
//   - Fields that an entry does not have, or not in this form, stay: the value begins with them,
//     see WithHead. Frontmatter that is not a YAML mapping is text.
//   - The line feed at the end of the file is not part of the value, nor is one empty line
//     between frontmatter and body. CRLF becomes a line feed if all lines end with it.
//
// The file is UTF-8, or UTF-16 with a byte order mark. ParsePlain reports a problem for what an
// entry cannot store: text in another encoding, or a name that is not a valid key.
func ParsePlain(name string, file []byte, zone *time.Location) (Note, []Problem) {
	n := Note{InContext: true, Lines: map[string]int{"body": 1}}
	text, ok := Decode(file)
	if !ok {
		return n, []Problem{{1, "is not valid UTF-16, as its byte order mark says"}}
	}
	if at := invalidAt(text); at >= 0 {
		return n, []Problem{{lineAt(text, at), "is not valid UTF-8"}}
	}
	if isCRLF(text) {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	p := plainParser{note: &n, file: name, zone: zone}
	rest, body := p.split(text)
	if !p.name() {
		return n, []Problem{{1, "the file's name is not a valid key"}}
	}
	if !p.placed["description"] {
		n.Description = p.title(body)
	}
	body = strings.TrimSuffix(body, "\n")
	if !p.json {
		n.Value = Value(WithHead(rest, body))
		return n, nil
	}
	var value bytes.Buffer
	switch {
	case json.Compact(&value, []byte(body)) != nil:
		return n, []Problem{{min(n.Lines["body"], lineAt(text, len(text))), "the body is not valid JSON, although json is true"}}
	case len(rest) > 0:
		return n, []Problem{{1, "has fields that a JSON value has no place for"}}
	}
	n.Value = value.Bytes()
	return n, nil
}

// isCRLF reports whether every line of a text ends with CRLF, except perhaps the last.
func isCRLF(text []byte) bool {
	return bytes.Contains(text, []byte("\n")) && bytes.Count(text, []byte("\n")) == bytes.Count(text, []byte("\r\n"))
}

// plainParser parses one file into its note.
type plainParser struct {
	note   *Note
	file   string
	zone   *time.Location
	fields map[string]*yaml.Node // of the frontmatter
	placed map[string]bool       // the fields that are in the note
	json   bool
}

// split separates a file into the lines of the fields that stay in the value, since the note has
// no place for them, and the body. Text without usable frontmatter is all body.
func (p *plainParser) split(text []byte) (rest []byte, body string) {
	if !HasFrontmatter(text) {
		return nil, string(text)
	}
	head, after, line := split(text)
	nodes, ok := fieldsOf(head)
	if line == 0 || !ok {
		return nil, string(text)
	}
	p.fields, p.placed = make(map[string]*yaml.Node), make(map[string]bool)
	for i := 0; i+1 < len(nodes); i += 2 {
		p.fields[nodes[i].Value] = nodes[i+1]
	}
	before := *p.note
	for i := 0; i+1 < len(nodes); i += 2 {
		if name := nodes[i].Value; p.place(name, nodes[i+1]) {
			p.placed[name] = true
			p.note.Lines[name] = nodes[i].Line + 1
		}
	}
	if rest, ok = Remainder(head, func(name string) bool { return p.placed[name] }); !ok {
		*p.note = before
		p.note.Lines, p.fields, p.placed, p.json = map[string]int{"body": 1}, nil, nil, false
		return nil, string(text)
	}
	if trimmed, ok := bytes.CutPrefix(after, []byte("\n")); ok {
		after, line = trimmed, line+1
	}
	p.note.Lines["body"] = line
	return rest, string(after)
}

// place parses a field into the note, and reports whether it could.
func (p *plainParser) place(name string, value *yaml.Node) bool {
	text, err := textOf(value)
	isText := err == nil
	n := p.note
	switch name {
	case "name", "namespace":
		return p.belongs()
	case "type":
		n.Type = ""
		if !isText || text != "" && !slices.Contains(memory.Types, text) {
			return false
		}
		n.Type = text
		return true
	case "description":
		if !isText || memory.CheckDescription(text) != nil {
			return false
		}
		n.Description = text
		return true
	case "tags":
		tags, ok := plainTags(value)
		if !ok || memory.CheckTags(tags) != nil {
			return false
		}
		n.Tags = tags
		return true
	case "label":
		label, err := acl.ParseLabel(text)
		if !isText || err != nil {
			return false
		}
		n.Label = label
		return true
	case "occurred_at":
		moment, ok := memory.ReadMoment(text, p.zone)
		if !isText || !ok {
			return false
		}
		n.OccurredAt = moment
		return true
	case "expires_at":
		at, err := timeOf(value)
		if err != nil {
			return false
		}
		n.ExpiresAt = at
		return true
	}
	return p.flag(name, value)
}

// flag parses a boolean field.
func (p *plainParser) flag(name string, value *yaml.Node) bool {
	into := map[string]*bool{"in_context": &p.note.InContext, "encrypted": &p.note.Encrypted, "json": &p.json}[name]
	if into == nil {
		return false
	}
	given, err := boolOf(value)
	if err == nil {
		*into = given
	}
	return err == nil
}

// belongs reports whether the file may hold the entry with the fields name and namespace, and
// the path does not encode them.
func (p *plainParser) belongs() bool {
	namespace, name := p.names()
	return memory.CheckKey(name) == nil && memory.CheckNamespace(namespace) == nil && Belongs(p.file, namespace, name)
}

// names returns the fields name and namespace, in the normal form of entries.
func (p *plainParser) names() (namespace, name string) {
	return memory.NormalName(p.text("namespace")), memory.NormalName(p.text("name"))
}

// text returns a text field, or "" if it is missing or not text.
func (p *plainParser) text(name string) string {
	if p.fields[name] == nil {
		return ""
	}
	text, _ := textOf(p.fields[name])
	return text
}

// name sets namespace and name of the note. It returns false if there are none.
func (p *plainParser) name() bool {
	n := p.note
	if p.placed["name"] {
		n.Namespace, n.Name = p.names()
		return true
	}
	n.Namespace, n.Name = plainPath(p.file)
	return n.Name != ""
}

// plainPath returns the namespace and key of a file: those that EntryPath returns, or the
// unchanged path if it returns none. The key is "" if there is none.
func plainPath(file string) (namespace, key string) {
	stem := norm.NFC.String(strings.TrimSuffix(file, path.Ext(file)))
	namespace, key, ok := EntryPath(stem + extension)
	if ok && memory.CheckKey(key) == nil && memory.CheckNamespace(namespace) == nil {
		return namespace, key
	}
	if memory.CheckKey(stem) == nil {
		return "", stem
	}
	return "", ""
}

// plainTags returns tags in the forms that people write. ok is false for other forms.
func plainTags(value *yaml.Node) (tags []string, ok bool) {
	texts, err := textsOf(value)
	if err != nil {
		text, err := textOf(value)
		if err != nil {
			return nil, false
		}
		texts = strings.Split(text, ",")
	}
	for _, text := range texts {
		if memory.CheckTags([]string{text}) != nil || err != nil {
			text = OneLine(text)
		}
		if text = strings.TrimPrefix(text, "#"); text != "" && !slices.Contains(tags, text) {
			tags = append(tags, text)
		}
	}
	return tags, true
}

// hashed returns tags with another # before each that begins with one, since plainTags removes
// one.
func hashed(tags []string) []string {
	tags = slices.Clone(tags)
	for i, tag := range tags {
		if strings.HasPrefix(tag, "#") {
			tags[i] = "#" + tag
		}
	}
	return tags
}

// title returns the title in the frontmatter, or the level-1 heading at the start of the text,
// or "".
func (p *plainParser) title(body string) string {
	if title := Headline(p.text("title")); title != "" {
		return title
	}
	for line := range strings.Lines(body) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		heading, ok := strings.CutPrefix(line, "# ")
		if !ok {
			return ""
		}
		return Headline(strings.TrimRight(strings.TrimSpace(heading), "#"))
	}
	return ""
}

// OneLine returns a text as one line: normalized, with each run of white space replaced by one
// space, and without control and format characters.
func OneLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, norm.NFC.String(text))), " ")
}

// Headline returns a text as a description: one line, cut if it is too long.
func Headline(text string) string {
	text = OneLine(text)
	if utf8.RuneCountInString(text) <= memory.MaxDescription {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:memory.MaxDescription-1])) + "…"
}
