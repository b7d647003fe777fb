package origin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

	"mneme/markdown"
	"mneme/memory"

	"mneme/cmd/mneme/importer"
)

// basicMemory reads the Markdown notes of Basic Memory: each note is an entry.
// Observations and relations stay in its text.
//
// Sources: the README of basicmachines-co/basic-memory (frontmatter with title, type,
// permalink and tags), and its importers, which write created and modified.
type basicMemory struct{}

func (basicMemory) member(file string) bool { return strings.EqualFold(path.Ext(file), ".md") }

func (basicMemory) read(file string, in io.Reader, out output) error {
	whole := item{line: 1}
	text, err := readWhole(in)
	switch {
	case errors.Is(err, errTooLarge):
		return out(whole.refuse(err))
	case err != nil:
		return err
	case !utf8.Valid(text):
		return out(whole.refuse(errors.New("is not valid UTF-8")))
	}
	head, body, err := frontmatter(text)
	var notes []string
	switch {
	case err != nil && file == "-": // the unreadable frontmatter may contain the key
		return out(whole.refuse(err))
	case err != nil: // the unreadable frontmatter stays in the text
		head, body, notes = noteHead{}, bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []string{err.Error()}
	}
	d := draft{
		notes: notes,
		key:   head.texts["permalink"], text: strings.TrimSpace(string(body)), description: head.texts["title"], tags: head.tags,
	}
	if d.key == "" && file != "-" {
		d.key = norm.NFC.String(strings.TrimSuffix(file, path.Ext(file)))
	}
	if d.key == "" {
		return out(whole.refuse(errors.New("permalink: is missing")))
	}
	for _, field := range []string{"created", "modified"} {
		d.occurred = d.occurred.Or(importer.ParseDate(head.texts[field]))
	}
	switch kind := head.texts["type"]; {
	case slices.Contains(memory.Types, kind):
		d.kind = kind
	case kind != "" && kind != "note": // the type of every note
		d.tags = append(d.tags, "type:"+kind)
	}
	if d.text == "" {
		return out(whole.refuse(skipped("is empty")))
	}
	d.text = markdown.WithHead(head.rest, d.text)
	return out(d.line(whole))
}

// noteHead is the frontmatter of a note.
type noteHead struct {
	texts map[string]string
	tags  []string
	rest  []byte // lines of the other fields
}

// maxHead bounds the frontmatter, in bytes.
const maxHead = 64 << 10

// frontmatter splits a note. A note without frontmatter is all body.
func frontmatter(text []byte) (head noteHead, body []byte, err error) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	if !markdown.HasFrontmatter(text) {
		return head, text, nil
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	length := 0
	for line := range bytes.Lines(rest) {
		if markdown.EndsFrontmatter(line) {
			if head, err = parseHead(rest[:length]); err == nil {
				head.rest = otherFields(rest[:length])
			}
			return head, rest[length+len(line):], err
		}
		if length += len(line); length > maxHead {
			break
		}
	}
	return head, nil, errors.New("the frontmatter is not closed, or too long")
}

// otherFields returns the lines of the fields that parseHead does not read, such as status
// and due. They stay in the text.
func otherFields(head []byte) []byte {
	rest, ok := markdown.Remainder(head, func(name string) bool {
		switch name {
		case "title", "type", "permalink", "created", "modified", "tags":
			return true
		}
		return false
	})
	if !ok { // for example a duplicate field
		return head
	}
	return rest
}

// parseHead parses the imported fields of the frontmatter. The other fields may have any
// form.
func parseHead(text []byte) (head noteHead, err error) {
	if markdown.MarkerAt(text) >= 0 {
		return head, errors.New("the frontmatter has more than one YAML document")
	}
	var document yaml.Node
	if yaml.Unmarshal(text, &document) != nil {
		return head, errors.New("the frontmatter is not valid YAML")
	}
	if len(document.Content) == 0 {
		return head, nil
	}
	fields := document.Content[0]
	if fields.Kind != yaml.MappingNode {
		return head, errors.New("the frontmatter has no fields")
	}
	head.texts = make(map[string]string)
	for n := 0; n+1 < len(fields.Content); n += 2 {
		name, value := fields.Content[n].Value, fields.Content[n+1]
		switch name {
		case "title", "type", "permalink", "created", "modified":
			if value.Kind != yaml.ScalarNode {
				return head, fmt.Errorf("%s: must be text", name)
			}
			if value.ShortTag() != "!!null" {
				head.texts[name] = value.Value
			}
		case "tags":
			if head.tags, err = noteTags(value); err != nil {
				return head, err
			}
		}
	}
	return head, nil
}

// noteTags returns a note's tags: a list, or a comma-separated text, with or without #.
func noteTags(value *yaml.Node) ([]string, error) {
	var texts []string
	switch {
	case value.Kind == yaml.ScalarNode && value.ShortTag() == "!!null":
	case value.Kind == yaml.ScalarNode:
		texts = strings.Split(value.Value, ",")
	case value.Kind == yaml.SequenceNode:
		for _, tag := range value.Content {
			if tag.Kind != yaml.ScalarNode {
				return nil, errors.New("tags: must be a list of texts")
			}
			if tag.ShortTag() != "!!null" {
				texts = append(texts, tag.Value)
			}
		}
	default:
		return nil, errors.New("tags: must be a list of texts")
	}
	for n, tag := range texts {
		texts[n] = strings.TrimPrefix(strings.TrimSpace(tag), "#")
	}
	return texts, nil
}
