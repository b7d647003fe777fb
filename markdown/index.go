package markdown

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"mneme/memory"
	"mneme/server/tool"
)

// Index is what MEMORY.md may say of a folder's entries: by name, the
// description that the entry's file gives; nil if the file is damaged.
type Index map[string]*string

// indexed is a line of MEMORY.md.
var indexed = regexp.MustCompile(`^- \[([A-Za-z0-9_-]+)\]\(([A-Za-z0-9_-]+)\.md\) — (.*)$`)

// Check compares MEMORY.md with the files. The index is made anew from the
// entries wherever it is shown, so nothing of it is imported, and nothing that
// is wrong with it stops an import.
func (x Index) Check(text []byte) []Problem {
	var problems []Problem
	seen := make(map[string]bool)
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), string(byteOrderMark))) {
		number++
		line = strings.TrimRight(line, "\r\n")
		reason := ""
		parts := indexed.FindStringSubmatch(line)
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
			reason = x.differs(parts[1], parts[3])
		}
		if reason != "" {
			problems = append(problems, Problem{Line: number, Reason: reason})
		}
	}
	return problems
}

func (x Index) differs(name, shown string) string {
	description, ok := x[name]
	if !ok {
		return "names an entry that has no file here"
	}
	if description == nil {
		return ""
	}
	// The agent does not matter: this one wrote the entry itself.
	e := memory.Entry{Path: memory.Path{Key: name}, Type: "user", Description: *description}
	line := strings.TrimSuffix(tool.IndexLine("", &e), "\n")
	if _, rendered, ok := strings.Cut(line, " — "); ok && rendered == shown || *description == strings.TrimSpace(shown) {
		return ""
	}
	return "has another description than the entry's file"
}
