package origin

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"mneme/cmd/mneme/importer"
	"mneme/markdown"
	"mneme/memory"
)

// draft is an entry read from an export.
type draft struct {
	key         string
	text        string          // the value, unless json is set
	json        json.RawMessage // the value; nil: text is the value
	kind        string          // the entry's type
	description string
	tags        []string
	occurred    importer.Date
	expires     time.Time // zero: never
	notes       []string  // what the import drops from the export
	part        bool      // whether it is part of a conversation or a document
}

// line returns the write of an entry. It sets every field, except an expiry of never, so
// that a field that a newer export no longer has is cleared.
func (d draft) line(i item) importer.Line {
	description := unlike(d.key, markdown.Headline(d.description))
	tags := make([]string, 0, len(d.tags))
	for _, tag := range d.tags {
		if tag = markdown.OneLine(tag); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	put := memory.PutRequest{
		Path: memory.Path{Key: d.key}, Value: d.json, Type: &d.kind, Description: &description, Tags: &tags,
	}
	if put.Value == nil {
		put.Value = markdown.Value(d.text)
	}
	if !d.expires.IsZero() {
		put.ExpiresAt = &d.expires
	}
	return importer.Line{Number: i.line, Place: i.place, Put: put, Occurred: d.occurred, Notes: d.notes, Part: d.part}
}

// unlike returns a description; "" if it only repeats the key or the last part of the key.
func unlike(key, description string) string {
	if folded := markdown.Fold(description); folded == markdown.Fold(key) || folded == markdown.Fold(path.Base(key)) {
		return ""
	}
	return description
}

// segment returns a name as one segment of a key.
func segment(name string) string {
	name = strings.ReplaceAll(markdown.OneLine(name), "/", "-")
	if name == "." || name == ".." {
		return strings.ReplaceAll(name, ".", "-")
	}
	return name
}

// compact returns a JSON value without white space, or nil if it is empty: null, {} or [].
func compact(value json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, value) != nil {
		return nil
	}
	switch out.String() {
	case "null", "{}", "[]", `""`:
		return nil
	}
	return out.Bytes()
}
