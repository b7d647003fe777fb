package markdown

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mostLines bounds the frontmatter that is looked through for what damages it.
// Ours has a dozen lines.
const mostLines = 200

// damage tells on which line of the file a frontmatter ceases to be YAML with
// fields, and why if that is known: on the one behind the longest beginning
// that is. The library's own lines are where it noticed, which may be far from
// there, and its messages can quote the file.
func damage(head []byte) (line int, reason string) {
	lines := bytes.SplitAfter(head, []byte("\n"))
	if len(lines) > mostLines {
		return 2, "the frontmatter is not valid YAML"
	}
	sound := len(lines) - 1
	for ; sound > 0; sound-- {
		if ok, _ := fieldsOf(bytes.Join(lines[:sound], nil)); ok {
			break
		}
	}
	broken := string(lines[min(sound, len(lines)-1)])
	_, err := fieldsOf(bytes.Join(lines[:min(sound+1, len(lines))], nil))
	return sound + 2, "the frontmatter is not valid YAML: " + hint(broken, err)
}

// fieldsOf tells whether a text is fields, or nothing; else the error that the
// library has, if it has one.
func fieldsOf(text []byte) (ok bool, err error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return false, err
	}
	return len(document.Content) == 0 || document.Content[0].Kind == yaml.MappingNode, nil
}

// hint helps whoever wrote a line that is not YAML behind those before it.
func hint(line string, err error) string {
	message := ""
	if err != nil {
		message = err.Error()
	}
	switch says := func(part string) bool { return strings.Contains(message, part) }; {
	case strings.HasPrefix(line, "\t"):
		return "the line begins with a tab"
	case err == nil, says("could not find expected ':'"):
		return "the line is no field (name: value)"
	case says("mapping values are not allowed"), says("did not find expected key"):
		if strings.HasPrefix(line, " ") {
			return "a field begins at the start of its line"
		}
		return "a text with a colon in it needs quotes"
	case says("cannot start any token"), says("unknown anchor"), says("alphabetic or numeric character"):
		return "a text that begins with this character needs quotes"
	case says("',' or ']'"), says("',' or '}'"), says("did not find expected node content"):
		return "a bracket is not closed"
	case says("unexpected end of stream"):
		return "a quote is not closed"
	}
	return "it may need quotes"
}
