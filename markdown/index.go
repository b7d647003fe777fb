package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mneme/memory"
)

// indexName matches the keys that MEMORY.md can name.
var indexName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// IndexLine returns an entry's line of an agent's MEMORY.md, including the line feed, or "" if
// the file does not list the entry.
//
// SECURITY: MEMORY.md goes into system prompts, so it must not contain text of another agent.
// It lists only entries in the agent's own store that the agent owns and wrote last, in the
// namespace "", with a type and a description that the agent wrote too. The owner always chose
// the key: nobody else renames an entry.
func IndexLine(agent string, e *memory.Entry) string {
	if e.Store != agent || e.Owner != agent || e.UpdatedBy != agent || e.Namespace != "" ||
		e.TypeBy != agent || e.DescriptionBy != agent {
		return ""
	}
	description := indexDescription(e.Description)
	if e.Type == "" || description == "" || !indexName.MatchString(e.Key) {
		return ""
	}
	return "- [" + e.Key + "](" + e.Key + ".md) — " + description + "\n"
}

// indexDescription strips from a description what could end its line or hide text in it, and
// escapes what could begin a link or code. It also escapes backslashes: one in the description
// would undo the escape after it.
func indexDescription(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
		case strings.ContainsRune("[]`\\", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// Index holds the descriptions of a folder's entries by name, to check
// MEMORY.md. The description is nil if the entry's file is damaged.
type Index map[string]*string

// indexLine matches a line of MEMORY.md.
var indexLine = regexp.MustCompile(`^- \[([A-Za-z0-9_-]+)\]\(([A-Za-z0-9_-]+)\.md\) — (.*)$`)

// Check compares MEMORY.md with the files of its entries. The problems do not
// stop an import: MEMORY.md is not imported, since it is generated from the
// entries.
func (x Index) Check(text []byte) []Problem {
	var problems []Problem
	seen := make(map[string]bool)
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), string(byteOrderMark))) {
		number++
		line = strings.TrimRight(line, "\r\n")
		reason := ""
		parts := indexLine.FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "":
		case !utf8.ValidString(line):
			reason = "is not valid UTF-8"
		case parts == nil:
			reason = "is not an entry's line: - [name](name.md) — description"
		case parts[1] != parts[2]:
			reason = "names one entry and links to the file of another"
		case seen[parts[1]]:
			reason = "is a second line for this entry"
		default:
			seen[parts[1]] = true
			reason = x.checkLine(parts[1], parts[3])
		}
		if reason != "" {
			problems = append(problems, Problem{Line: number, Reason: reason})
		}
	}
	return problems
}

// checkLine compares the description in a line of MEMORY.md with the entry's
// file, and returns the problem; "" if there is none.
func (x Index) checkLine(name, shown string) string {
	description, ok := x[name]
	if !ok {
		return "names an entry that has no file here"
	}
	if description == nil {
		return ""
	}
	// IndexLine lists only the agent's own entries: let agent, store and owner be "".
	e := memory.Entry{Path: memory.Path{Key: name}, Type: "user", Description: *description}
	line := strings.TrimSuffix(IndexLine("", &e), "\n")
	if _, rendered, ok := strings.Cut(line, " — "); ok && rendered == shown || *description == strings.TrimSpace(shown) {
		return ""
	}
	return "has another description than the entry's file"
}
