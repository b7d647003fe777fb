package wire

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"
)

// maxPooled is the maximum capacity of a buffer that is reused, in bytes.
const maxPooled = 64 << 10

// encoder is a JSON encoder with the buffer that it writes to.
type encoder struct {
	text bytes.Buffer
	json *json.Encoder
}

// encoders has idle encoders. An encoder that failed is not reused.
var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = json.NewEncoder(&e.text)
	e.json.SetEscapeHTML(false)
	return e
}}

// Marshal is like json.Marshal, but does not escape HTML.
func Marshal(v any) ([]byte, error) { return marshal(v, 0) }

// marshal is like Marshal; the result has capacity for extra more bytes.
func marshal(v any, extra int) ([]byte, error) {
	e := encoders.Get().(*encoder)
	if err := e.json.Encode(v); err != nil {
		return nil, err
	}
	encoded := bytes.TrimSuffix(e.text.Bytes(), []byte("\n"))
	text := append(make([]byte, 0, len(encoded)+extra), encoded...)
	if e.text.Cap() <= maxPooled {
		e.text.Reset()
		encoders.Put(e)
	}
	return text, nil
}

// WithValue encodes head, an object with at least one member, and appends the
// value as its last member, byte for byte as it was stored. encoding/json would
// compact the value.
func WithValue(head any, value json.RawMessage) ([]byte, error) {
	const member = `,"value":`
	text, err := marshal(head, len(member)+len(value))
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text)-1], member...)
	text = append(text, value...)
	return append(text, '}'), nil
}

// Time returns a time in UTC; nil for the zero time, which answers omit.
func Time(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// Tags returns tags, or an empty slice for nil: tags are never null in an answer.
func Tags(tags []string) []string {
	if tags == nil {
		return []string{}
	}
	return tags
}
