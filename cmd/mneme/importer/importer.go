// Package importer reads the files that mneme imports: mneme's own NDJSON, the
// corpus.jsonl of BEIR data sets, and Markdown with frontmatter.
package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"mneme/memory"
)

// Line is one entry of a file, or the reason why a line cannot be imported.
type Line struct {
	Number int    // line number, from 1
	Store  string // store named by the line, or ""
	// Put writes the entry. Its path has no store.
	Put memory.PutRequest
	// Occurred is the date from which Date sets Put.OccurredAt.
	Occurred Date
	// Fields maps the fields of a Markdown file to their line numbers. The value
	// is called body.
	Fields map[string]int
	// Place is the path of the entry in a JSON document, in jq's syntax; "" if the line
	// number identifies it.
	Place   string
	Notes   []string // what the import drops from the line; never includes the line's text
	Err     error    // never includes the line's text
	Part    bool     // whether the entry is part of a conversation or a document: KEY/001
	Skipped bool     // whether the entry was left out on purpose, for the reason in Err
}

// maxLine is the maximum size of a line of NDJSON, and of a whole Markdown file,
// in bytes. It is far above the service's limit on values.
const maxLine = 64 << 20

var byteOrderMark = []byte("\xef\xbb\xbf")

// Read calls yield for every entry of a file. The file's extension or its first character
// determines the format: Markdown, or NDJSON, which is a BEIR corpus if its first object
// has an _id. name is the file's path, which gives a Markdown file without a name its key.
// Read stops at the first error of yield and returns it. zone applies to times without
// one.
func Read(name string, r io.Reader, now time.Time, zone *time.Location, yield func(Line) error) error {
	in, note, err := Decode(r)
	if err != nil {
		return err
	}
	if note != nil {
		if err := yield(*note); err != nil {
			return err
		}
	}
	markdown, err := isMarkdown(name, in)
	if err != nil {
		return err
	}
	if markdown {
		return readMarkdown(name, in, zone, yield)
	}
	return readLines(in, now, zone, yield)
}

// isMarkdown decides by a file's extension, or else by its first character that is not
// white space.
func isMarkdown(name string, in *bufio.Reader) (bool, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown":
		return true, nil
	case ".json", ".jsonl", ".ndjson":
		return false, nil
	}
	for n := 1; ; n++ {
		head, err := in.Peek(n)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, bufio.ErrBufferFull):
			return false, nil
		case err != nil:
			return false, err
		}
		if c := head[n-1]; !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c != '{', nil
		}
	}
}

func readLines(in *bufio.Reader, now time.Time, zone *time.Location, yield func(Line) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	parse := parseEntry
	first := true
	number := 0
	for lines.Scan() {
		number++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		if first && isBEIR(text) {
			parse = parseBEIR
		}
		first = false
		line := Line{Err: errNotUTF8}
		if utf8.Valid(text) {
			line = parse(text, now, zone)
		}
		line.Number = number
		if err := yield(line); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}

var errNotUTF8 = errors.New("is not valid UTF-8")
