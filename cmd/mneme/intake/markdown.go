package intake

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"mneme/memory"
)

// frontmatter is what a Markdown file says of itself between its two lines of
// three dashes. Other programs' fields are read over.
type frontmatter struct {
	Name        string    `yaml:"name"`
	Namespace   string    `yaml:"namespace"`
	Store       string    `yaml:"store"`
	Type        *string   `yaml:"type"`
	Description *string   `yaml:"description"`
	Tags        *[]string `yaml:"tags"`
}

var errFrontmatter = errors.New("the frontmatter is not YAML, or name, namespace, store, type, description or tags is not of its type")

// readMarkdown reads a file, which is one entry: the body is its value, and
// the key is the name in the frontmatter, else the file's name without its
// ending.
func readMarkdown(name string, in io.Reader, yield func(Line) error) error {
	text, err := io.ReadAll(io.LimitReader(in, maxLine+1))
	if err != nil {
		return err
	}
	line := Line{Number: 1}
	switch {
	case len(text) > maxLine:
		line.Err = errors.New("is too long")
	case !utf8.Valid(text):
		line.Err = errNotUTF8
	default:
		line = parseMarkdown(name, text)
	}
	return yield(line)
}

func parseMarkdown(name string, text []byte) Line {
	head, body := split(text)
	var front frontmatter
	if err := yaml.Unmarshal(head, &front); err != nil {
		return Line{Number: 1, Err: errFrontmatter}
	}
	if front.Name == "" && name != "-" {
		base := filepath.Base(name)
		front.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if front.Name == "" {
		return Line{Number: 1, Err: errors.New("the frontmatter lacks a name")}
	}
	return Line{Number: 1, Store: front.Store, Put: memory.PutRequest{
		Path:        memory.Path{Namespace: front.Namespace, Key: front.Name},
		Value:       jsonString(strings.TrimSpace(string(body))),
		Type:        front.Type,
		Description: front.Description,
		Tags:        front.Tags,
	}}
}

// split parts frontmatter and body. A file that does not begin with a line of
// three dashes, or lacks the second one, is all body.
func split(text []byte) (head, body []byte) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, text
	}
	if body, ok := bytes.CutPrefix(rest, []byte("---\n")); ok {
		return nil, body
	}
	if head, body, ok := bytes.Cut(rest, []byte("\n---\n")); ok {
		return head, body
	}
	if head, ok := bytes.CutSuffix(rest, []byte("\n---")); ok {
		return head, nil
	}
	return nil, text
}
