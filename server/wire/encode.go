package wire

import (
	"bytes"
	"encoding/json"
	"time"
)

// Marshal is json.Marshal without escapes for HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// WithValue encodes head, an object with at least one member, and appends the
// value as its last member, byte for byte as it was stored. encoding/json would
// compact the value.
func WithValue(head any, value json.RawMessage) ([]byte, error) {
	text, err := Marshal(head)
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text)-1], `,"value":`...)
	text = append(text, value...)
	return append(text, '}'), nil
}

// Time returns a time in UTC; nil for the zero time, which answers omit.
func Time(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Tags returns an entry's tags, which are never null in an answer.
func Tags(tags []string) []string {
	if tags == nil {
		return []string{}
	}
	return tags
}
