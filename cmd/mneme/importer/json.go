package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mneme/markdown"
	"mneme/memory"
)

// serviceFields are the fields of an exported entry that the service assigns
// itself. An import ignores them.
var serviceFields = map[string]bool{
	"id": true, "owner_id": true, "label": true, "version": true,
	"created_at": true, "updated_at": true, "updated_by": true, "type_by": true, "description_by": true,
}

// parseEntry reads one line of mneme's own format: the fields of an entry.
func parseEntry(text []byte, now time.Time, zone *time.Location) (line Line) {
	fields, err := object(text)
	if err != nil {
		return Line{Err: err}
	}
	var expires, occurred Date
	var seconds *int64
	put := &line.Put
	into := map[string]any{
		"store_id": &line.Store, "store": &line.Store,
		"key": &put.Path.Key, "namespace": &put.Path.Namespace,
		"value": &put.Value,
		"type":  &put.Type, "description": &put.Description, "tags": &put.Tags,
		"in_context": &put.InContext, "encrypted": &put.Encrypted,
		"ttl": &seconds, "expires_at": &expires, "occurred_at": &occurred, "source": &put.Source,
	}
	for name, value := range fields {
		target, known := into[name]
		switch {
		case !known && serviceFields[name]:
		case !known:
			return Line{Err: errors.New(markdown.UnknownField(name))}
		case json.Unmarshal(value, target) != nil:
			return Line{Err: fmt.Errorf("%s: has the wrong type", name)}
		}
	}
	switch {
	case fields["store"] != nil && fields["store_id"] != nil:
		line.Err = errors.New("has both store and store_id")
	case seconds != nil && !expires.IsZero():
		line.Err = errors.New("has both ttl and expires_at")
	case expires.Undated != "":
		line.Err = fmt.Errorf("expires_at: %w", ErrDate)
	case fields["key"] == nil:
		line.Err = errors.New("key: is missing")
	case fields["value"] == nil:
		line.Err = errors.New("value: is missing")
	case seconds != nil:
		ttl := time.Duration(*seconds) * time.Second
		if ttl/time.Second != time.Duration(*seconds) {
			line.Err = errors.New("ttl: is out of range")
		}
		put.TTL = &ttl
	case !expires.IsZero():
		at := expires.Moment(zone).Time
		if !at.After(now) {
			line.Err = errors.New("expires_at: is in the past")
		}
		put.ExpiresAt = &at
	}
	if !isNull(fields["occurred_at"]) {
		line.Occurred = occurred
		line.Date(zone)
	}
	if isNull(put.Source) {
		put.Source = nil
	}
	return line
}

// isBEIR reports whether a file's first line is a document of a BEIR corpus.
func isBEIR(text []byte) bool {
	fields, err := object(text)
	return err == nil && fields["_id"] != nil && fields["key"] == nil
}

// parseBEIR reads one document: _id becomes the key, and title and text, with a
// line break between them, the value. It ignores other fields.
func parseBEIR(text []byte, _ time.Time, _ *time.Location) (line Line) {
	if _, err := object(text); err != nil {
		return Line{Err: err}
	}
	var document struct {
		ID    *string `json:"_id"`
		Title string  `json:"title"`
		Text  *string `json:"text"`
		Store string  `json:"store"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return Line{Err: errors.New("_id, title, text or store is not a string")}
	}
	if document.ID == nil || document.Text == nil {
		return Line{Err: errors.New("_id or text is missing")}
	}
	value := *document.Text
	if document.Title != "" {
		value = document.Title + "\n" + value
	}
	return Line{Store: document.Store, Put: memory.PutRequest{
		Path:  memory.Path{Key: *document.ID},
		Value: markdown.Value(value),
	}}
}

// object parses a line that must be a JSON object.
func object(text []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("is not valid JSON at byte %d", syntax.Offset)
		}
		return nil, errors.New("is not a JSON object")
	}
	if fields == nil {
		return nil, errors.New("is not a JSON object")
	}
	return fields, nil
}
