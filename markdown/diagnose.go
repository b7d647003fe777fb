package markdown

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDiagnosed bounds the number of frontmatter lines that diagnose parses. An export writes a
// dozen.
const maxDiagnosed = 200

// diagnose returns the line of the file at which an invalid frontmatter breaks, and the reason
// if it is known. The line follows the longest valid prefix: the line in the YAML library's
// error can be far from it, and the library's message can quote the file.
func diagnose(head []byte) (line int, reason string) {
	lines := bytes.SplitAfter(head, []byte("\n"))
	if len(lines) > maxDiagnosed {
		return 2, "the frontmatter is not valid YAML"
	}
	valid := len(lines) - 1
	for ; valid > 0; valid-- {
		if ok, _ := isMapping(bytes.Join(lines[:valid], nil)); ok {
			break
		}
	}
	broken := string(lines[min(valid, len(lines)-1)])
	_, err := isMapping(bytes.Join(lines[:min(valid+1, len(lines))], nil))
	return valid + 2, "the frontmatter is not valid YAML: " + hint(broken, err)
}

// isMapping reports whether a text is a YAML mapping or empty. err is the
// library's error; nil if the text is valid YAML of another kind.
func isMapping(text []byte) (ok bool, err error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return false, err
	}
	return len(document.Content) == 0 || document.Content[0].Kind == yaml.MappingNode, nil
}

// hint guesses why a line is not valid YAML after the lines before it.
func hint(line string, err error) string {
	message := ""
	if err != nil {
		message = err.Error()
	}
	switch says := func(part string) bool { return strings.Contains(message, part) }; {
	case strings.HasPrefix(line, "\t"):
		return "the line begins with a tab"
	case err == nil, says("could not find expected ':'"):
		return "the line is not a field (name: value)"
	case says("mapping values are not allowed"), says("did not find expected key"):
		if strings.HasPrefix(line, " ") {
			return "a field must start at the beginning of its line"
		}
		return "text with a colon in it needs quotes"
	case says("cannot start any token"), says("unknown anchor"), says("alphabetic or numeric character"):
		return "text that begins with this character needs quotes"
	case says("',' or ']'"), says("',' or '}'"), says("did not find expected node content"):
		return "a bracket is not closed"
	case says("unexpected end of stream"):
		return "a quote is not closed"
	}
	return "it may need quotes"
}

// UnreadFrontmatter returns the reason why a file's apparent frontmatter is read as text, or ""
// if there is no frontmatter or it can be read. The reason never quotes the file.
func UnreadFrontmatter(text []byte) (reason string) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if isCRLF(text) {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	if !HasFrontmatter(text) {
		return ""
	}
	head, _, line := split(text)
	if line == 0 {
		return ""
	}
	if _, ok := fieldsOf(head); ok {
		return ""
	}
	switch ok, err := isMapping(head); {
	case err != nil:
		line, reason := diagnose(head)
		return fmt.Sprintf("line %d: %s: it is kept as text", line, reason)
	case !ok: // text between horizontal rules
		return ""
	}
	return "the frontmatter repeats a field or has a line that is not a field: it is kept as text"
}
