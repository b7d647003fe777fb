package importer

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"mneme/markdown"
	"mneme/memory"
)

// readMarkdown reads a file as one entry: the body is its value, and its key is the name
// in the frontmatter, or else the file's name without extension. It yields a Line with an
// error for each problem.
func readMarkdown(name string, in io.Reader, zone *time.Location, yield func(Line) error) error {
	text, err := io.ReadAll(io.LimitReader(in, maxLine+1))
	if err != nil {
		return err
	}
	for _, line := range parseMarkdown(name, text, zone) {
		if err := yield(line); err != nil {
			return err
		}
	}
	return nil
}

func parseMarkdown(name string, text []byte, zone *time.Location) []Line {
	if len(text) > maxLine {
		return []Line{{Number: 1, Err: errors.New("is too long")}}
	}
	note, problems := parseNote(text, zone)
	if len(problems) > 0 {
		var lines []Line
		for _, p := range problems {
			lines = append(lines, Line{Number: p.Line, Err: errors.New(p.Reason)})
		}
		return lines
	}
	if note.Name == "" && name != "-" {
		base := filepath.Base(name)
		note.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if note.Name == "" {
		return []Line{{Number: 1, Err: errors.New("the frontmatter has no name")}}
	}
	line := Line{Number: 1, Store: note.Store, Fields: note.Lines, Put: memory.PutRequest{
		Path: memory.Path{Namespace: note.Namespace, Key: note.Name}, Value: note.Value,
	}}
	given := func(field string) bool { return note.Lines[field] > 0 }
	put := &line.Put
	if given("type") {
		put.Type = &note.Type
	}
	if given("description") {
		put.Description = &note.Description
	}
	if given("tags") {
		tags := append([]string{}, note.Tags...)
		put.Tags = &tags
	}
	if given("in_context") {
		put.InContext = &note.InContext
	}
	if given("encrypted") {
		put.Encrypted = &note.Encrypted
	}
	if given("occurred_at") {
		occurred := note.OccurredAt.String()
		put.OccurredAt = &occurred
	}
	if note.Undated != "" {
		line.Occurred = Date{Undated: note.Undated}
		line.Date(zone)
	}
	if !note.ExpiresAt.IsZero() {
		put.ExpiresAt = &note.ExpiresAt
	}
	return []Line{line}
}

// parseNote parses frontmatter and body. It ignores fields of other programs. A file
// without frontmatter is all body.
func parseNote(text []byte, zone *time.Location) (markdown.Note, []markdown.Problem) {
	if markdown.HasFrontmatter(text) {
		return markdown.Parse(text, true, zone)
	}
	if !utf8.Valid(text) {
		return markdown.Note{}, []markdown.Problem{{Line: 1, Reason: errNotUTF8.Error()}}
	}
	text = bytes.TrimSuffix(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"))
	return markdown.Note{Value: markdown.Value(string(text)), Lines: map[string]int{"body": 1}}, nil
}
