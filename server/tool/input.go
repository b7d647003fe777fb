package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"mneme/server/wire"
)

// arguments maps parameter names to pointers of type *string, *bool, *int, *float64,
// *[]string, *[]int, *json.RawMessage, **string or **struct. A parameter that is absent or
// null is not set.
type arguments map[string]any

// rules are the same for every tool: a parameter that is unknown, repeated or of a wrong
// type is an error, null counts as absent, 60.0 is an integer, and a list or an object may
// be sent as a string of JSON.
var rules = wire.Rules{NullIsAbsent: true, WholeFloats: true, JSONText: true}

// objects are the object parameters that are decoded elsewhere. Other parameters of
// type *json.RawMessage accept any JSON value; a string stays a string.
var objects = map[string]bool{"where": true, "match": true, "explain": true, "source": true}

// decode decodes the input.
func (c *call) decode(into arguments) (given map[string]bool, err error) {
	input := c.input
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	given, err = c.decodeKnown(input, into)
	var field *wire.FieldError
	switch {
	case errors.As(err, &field) && field.Fault == wire.Unknown:
		return nil, c.refuseUnknown(field.Name, into)
	case errors.As(err, &field):
		return nil, refuseField(field)
	case errors.Is(err, wire.ErrNotObject):
		return nil, refuse("Error: the input must be a JSON object")
	case err != nil:
		return nil, refuse("Error: invalid input: %s", err)
	}
	for name, target := range into {
		raw, ok := target.(*json.RawMessage)
		if ok && objects[name] {
			*raw = wire.FromText(*raw)
		}
		switch {
		case !ok || !given[name]:
		case string(*raw) == "null":
			*raw = nil
			delete(given, name)
		case wire.LoneSurrogate(*raw):
			return nil, refuseField(&wire.FieldError{Name: name, Fault: wire.Surrogate})
		}
	}
	return given, nil
}

// refuseField returns the error for a wrong parameter.
func refuseField(e *wire.FieldError) error { return refuse("Error: `%s` %s", e.Name, e) }

// need refuses a call that lacks one of the parameters.
func need(given map[string]bool, names ...string) error {
	for _, name := range names {
		if !given[name] {
			return refuse("Error: `%s` is required", name)
		}
	}
	return nil
}

// quoted encodes a string as a JSON value.
func quoted(text string) (json.RawMessage, error) {
	if !utf8.ValidString(text) { // not from checked JSON
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return wire.Marshal(text)
}

// valueOf returns the value of a parameter that accepts any JSON. A string is the
// value itself, unless the parameter is_json says that it contains the value's JSON.
func valueOf(name string, value json.RawMessage, isJSON bool) (json.RawMessage, error) {
	text, ok := textIn(value)
	if !ok || !isJSON {
		return value, nil
	}
	inner := json.RawMessage(strings.TrimSpace(text))
	switch {
	case !json.Valid(inner):
		return nil, refuse("Error: `%s` must be JSON, since `is_json` is true", name)
	case string(inner) == "null":
		return nil, refuse("Error: `%s` must not be null", name)
	case wire.LoneSurrogate(inner):
		return nil, refuseField(&wire.FieldError{Name: name, Fault: wire.Surrogate})
	}
	return inner, nil
}

// textIn decodes a JSON string; ok is false if the value is not one.
func textIn(value json.RawMessage) (text string, ok bool) {
	trimmed := bytes.TrimSpace(value)
	if len(trimmed) == 0 || trimmed[0] != '"' {
		return "", false
	}
	return text, json.Unmarshal(trimmed, &text) == nil
}

// display returns a value in the form shown to a model: the text of a
// string, or otherwise indented JSON.
func display(value json.RawMessage) string {
	if text, ok := textIn(value); ok {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(value), "", "  ") != nil {
		return string(value)
	}
	return b.String()
}
