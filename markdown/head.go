package markdown

import (
	"bytes"
	"slices"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Remainder returns the lines of a frontmatter without the fields for which placed returns true:
// what remains are the fields of other programs. The lines stay as written, including comments.
// Frontmatter without one field per line, such as {a: 1, b: 2}, is reformatted. ok is false if
// the frontmatter is not a YAML mapping, or its fields cannot be separated.
func Remainder(head []byte, placed func(name string) bool) (rest []byte, ok bool) {
	fields, ok := fieldsOf(head)
	if !ok {
		return nil, false
	}
	var kept []*yaml.Node
	for i := 0; i+1 < len(fields); i += 2 {
		if !placed(fields[i].Value) {
			kept = append(kept, fields[i], fields[i+1])
		}
	}
	if rest = linesOf(head, fields, placed); rest != nil && holds(rest, kept) {
		return rest, true
	}
	if len(kept) == 0 {
		return nil, true
	}
	rest, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: kept})
	return rest, err == nil && holds(rest, kept)
}

// fieldsOf returns the keys and values of a frontmatter alternately. ok is false if the
// frontmatter is not a mapping, repeats a field, may contain further documents, or contains a
// character that YAML may treat as a line break.
func fieldsOf(head []byte) (fields []*yaml.Node, ok bool) {
	for at, r := range string(head) {
		if isUnstable(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r == '\r' && (at+1 == len(head) || head[at+1] != '\n') {
			return nil, false
		}
	}
	var document yaml.Node
	if len(head) > maxHead || MarkerAt(head) >= 0 || yaml.Unmarshal(head, &document) != nil {
		return nil, false
	}
	if len(document.Content) == 0 {
		return nil, true
	}
	mapping := document.Content[0]
	if mapping.Kind != yaml.MappingNode {
		return nil, false
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			return nil, false
		}
		seen[key.Value] = true
	}
	return mapping.Content, true
}

// linesOf returns the lines of a frontmatter that do not belong to placed fields, or nil if two
// fields share a line. A field extends to the next one.
func linesOf(head []byte, fields []*yaml.Node, placed func(string) bool) []byte {
	lines := bytes.SplitAfter(head, []byte("\n"))
	keep, next := true, 0 // lines before the first field are comments
	rest := make([]byte, 0, len(head))
	for number, line := range lines {
		if next < len(fields) && fields[next].Line == number+1 {
			keep = !placed(fields[next].Value)
			if next += 2; next < len(fields) && fields[next].Line == number+1 {
				return nil
			}
		}
		if keep {
			rest = append(rest, line...)
		}
	}
	if len(bytes.TrimSpace(rest)) == 0 {
		return rest[:0]
	}
	if rest[len(rest)-1] != '\n' {
		rest = append(rest, '\n')
	}
	return rest
}

// holds reports whether a frontmatter has exactly these fields.
func holds(head []byte, fields []*yaml.Node) bool {
	got, ok := fieldsOf(head)
	return ok && slices.EqualFunc(got, fields, sameNode)
}

// sameNode reports whether two YAML nodes have the same contents. It ignores positions.
func sameNode(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.ShortTag() == b.ShortTag() && a.Value == b.Value && a.Anchor == b.Anchor &&
		slices.EqualFunc(a.Content, b.Content, sameNode)
}

// WithHead returns a text preceded by the frontmatter that an import could not place. If there
// is none, it returns the text.
func WithHead(rest []byte, text string) string {
	if len(rest) == 0 {
		return text
	}
	head := "---\n" + string(rest) + "---\n"
	if text == "" {
		return head
	}
	return head + "\n" + text
}

// cutHead splits what WithHead joined. ok is false if the text has no frontmatter.
func cutHead(text string) (rest []byte, body string, ok bool) {
	if !HasFrontmatter([]byte(text)) {
		return nil, text, false
	}
	rest, after, line := split([]byte(text))
	if line == 0 || len(rest) == 0 {
		return nil, text, false
	}
	return rest, string(bytes.TrimPrefix(after, []byte("\n"))), true
}
