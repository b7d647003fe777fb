package tool

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"mneme/memory"
)

// snippetLines is the number of lines that an edit shows before and after the first
// line that it changed.
const snippetLines = 2

// editedNote begins the answer to an edit.
const editedNote = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"

// replace replaces old_str with new_str. str_replace requires that old_str
// occurs once; edit replaces the first occurrence.
func (m *memoryCall) replace(ctx context.Context) (Result, error) {
	p, err := m.resolve()
	if err != nil {
		return Result{}, err
	}
	if err := need(m.given, "old_str"); err != nil {
		return Result{}, err
	}
	if m.oldStr == "" {
		return Result{}, refuse("Error: `old_str` must not be empty")
	}
	var at int
	text, err := m.rewrite(ctx, p, func(text string) (string, error) {
		found := findPart(text, m.oldStr)
		if len(found) == 0 {
			return "", refuse("No replacement was performed, old_str `%s` did not appear verbatim in %s.", m.oldStr, p.path)
		}
		if m.command == "str_replace" && len(found) > 1 {
			return "", refuse("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique",
				m.oldStr, strings.Join(linesAt(text, found), ", "))
		}
		at = found[0].start
		return text[:at] + withEnds(m.newStr, text) + text[found[0].end:], nil
	})
	if err != nil {
		return Result{}, err
	}
	first := 1 + strings.Count(text[:at], "\n")
	return Result{Text: m.cut(editedNote + numbered(strings.Split(text, "\n"), first-snippetLines, first+snippetLines))}, nil
}

// linesAt returns the numbers of the lines in which occurrences begin, without
// duplicates.
func linesAt(text string, found []occurrence) []string {
	var lines []string
	line, from := 1, 0
	for _, o := range found {
		line += strings.Count(text[from:o.start], "\n")
		from = o.start
		if n := strconv.Itoa(line); len(lines) == 0 || lines[len(lines)-1] != n {
			lines = append(lines, n)
		}
	}
	return lines
}

// insert inserts text after a line; line 0 is the top.
func (m *memoryCall) insert(ctx context.Context) (Result, error) {
	p, err := m.resolve()
	if err != nil {
		return Result{}, err
	}
	if err := need(m.given, "insert_line", "insert_text"); err != nil {
		return Result{}, err
	}
	_, err = m.rewrite(ctx, p, func(text string) (string, error) {
		lines := linesOf(text)
		if m.insertLine < 0 || m.insertLine > len(lines) {
			return "", refuse("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]",
				m.insertLine, len(lines))
		}
		return insertAfter(text, m.insertLine, m.insertText), nil
	})
	if err != nil {
		return Result{}, err
	}
	return Result{Text: "The file " + p.path + " has been edited."}, nil
}

// insertAfter inserts whole lines after line n of a text. The existing lines
// keep their bytes.
func insertAfter(text string, n int, inserted string) string {
	newline := cmp.Or(lineEnd(text), "\n")
	inserted = withEnds(inserted, text)
	at := 0
	for range n {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 { // the last line has no line feed
			return text + newline + inserted
		}
		at += end + 1
	}
	if !strings.HasSuffix(inserted, "\n") {
		inserted += newline
	}
	return text[:at] + inserted + text[at:]
}

// rewrite changes the text of an entry. Each attempt reads the entry again and
// writes only if it is unchanged, so that no concurrent edit is lost.
func (m *memoryCall) rewrite(ctx context.Context, p resolvedPath, change func(string) (string, error)) (string, error) {
	for range maxWriters {
		found, err := memory.Found{}, memory.ErrNotFound
		if !p.folder {
			found, err = m.get(ctx, p)
		}
		if errors.Is(err, memory.ErrNotFound) {
			return "", m.noFile(ctx, p)
		}
		if err != nil {
			return "", err
		}
		old, ok := textIn(found.Value)
		switch {
		case found.Encrypted:
			return "", refuse("Error: The value of %s is encrypted and cannot be edited", p.path)
		case !ok:
			return "", refuse("Error: The value of %s is not text and cannot be edited; create it again with `content`", p.path)
		}
		text, err := change(old)
		if err != nil {
			return "", err
		}
		if err := m.put(ctx, p, found, text); !errors.Is(err, memory.ErrPrecondition) {
			return text, err
		}
	}
	return "", because(memory.ErrPrecondition, "Error: %s is being changed by others; view it and try again", p.path)
}

// noFile is the error for a path that names no entry. A folder has a different
// error.
func (m *memoryCall) noFile(ctx context.Context, p resolvedPath) error {
	there, err := p.top(), error(nil)
	if !there {
		there, err = m.isFolder(ctx, p)
	}
	switch {
	case err != nil:
		return err
	case there:
		return refuse("The path %s is not a file.", p.path)
	}
	return missing(p)
}

// put replaces the found entry's value with a text.
func (m *memoryCall) put(ctx context.Context, p resolvedPath, found memory.Found, text string) error {
	value, err := quoted(text)
	if err != nil {
		return err
	}
	r := memory.PutRequest{
		Path: p.at(), Value: value, Source: m.lineage(m.source),
		// At a label other than the session's, the write creates an entry, to
		// which the path resolves from then on.
		Inherit: true,
		If:      memory.Preconditions{Match: []string{found.ETag}},
	}
	m.parameter = map[string]string{"value": "the edited text"}
	_, err = m.service.Put(ctx, m.caller, r)
	return err
}
