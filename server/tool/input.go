package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"mneme/server/object"
)

// arguments are the parameters of a call by name: a *string, *int, *[]string,
// *[]int or *json.RawMessage each. One that is absent or null stays as it is.
type arguments map[string]any

// decode reads the input. It takes what the schema takes: no parameter that
// is unknown, twice, or of another type.
func (c *call) decode(into arguments) (given map[string]bool, err error) {
	input := c.input
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	members, err := object.Members(input)
	switch {
	case errors.Is(err, object.ErrNotObject):
		return nil, refuse("Error: the input must be a JSON object")
	case err != nil:
		return nil, refuse("Error: the input: %s", err)
	}
	given = make(map[string]bool)
	for _, m := range members {
		target, known := into[m.Name]
		if !known {
			return nil, refuse("Error: there is no parameter %s", shownName(m.Name))
		}
		if string(m.Value) == "null" {
			continue
		}
		if object.LoneSurrogate(m.Value) {
			return nil, refuse("Error: `%s` has half of a surrogate pair", m.Name)
		}
		if err := read(m.Value, target); err != nil {
			return nil, refuse("Error: `%s` must be %s", m.Name, kindOf(target))
		}
		given[m.Name] = true
	}
	return given, nil
}

// read decodes a value. To a JSON schema, and to clients with one kind of
// number, 60.0 and 6e1 are integers too.
func read(value json.RawMessage, target any) error {
	switch target := target.(type) {
	case *int:
		n, err := whole(value)
		*target = n
		return err
	case *[]int:
		var all []json.RawMessage
		if err := json.Unmarshal(value, &all); err != nil {
			return err
		}
		*target = make([]int, len(all))
		for i := range all {
			n, err := whole(all[i])
			if err != nil {
				return err
			}
			(*target)[i] = n
		}
		return nil
	}
	return json.Unmarshal(value, target)
}

// errNotWhole says that a value is no integer.
var errNotWhole = errors.New("not an integer")

// whole reads an integer. One beyond those that a float holds exactly becomes
// the nearest of these: it breaks whatever limit there is.
func whole(value json.RawMessage) (int, error) {
	const most = 1 << 53
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil && !math.IsInf(n, 0) || n != math.Trunc(n) {
		return 0, errNotWhole
	}
	return int(max(-most, min(n, most))), nil
}

func kindOf(target any) string {
	switch target.(type) {
	case *string:
		return "a string"
	case *int:
		return "an integer"
	case *[]string:
		return "an array of strings"
	case *[]int:
		return "an array of integers"
	}
	return "JSON"
}

// plainName is what an unknown parameter must look like to be named: anything
// else may be text that strayed there.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

func shownName(name string) string {
	if plainName.MatchString(name) {
		return "`" + name + "`"
	}
	return "of such a name"
}

// need refuses a call that lacks one of the parameters.
func need(given map[string]bool, names ...string) error {
	for _, name := range names {
		if !given[name] {
			return refuse("Error: `%s` is required", name)
		}
	}
	return nil
}

// quoted is a string as a JSON value, byte for byte what a reader decodes.
func quoted(text string) (json.RawMessage, error) {
	if !utf8.ValidString(text) { // cannot come from JSON that was checked
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return marshal(text)
}

// textIn is the string that a JSON value is; ok is false if it is another.
func textIn(value json.RawMessage) (text string, ok bool) {
	trimmed := bytes.TrimSpace(value)
	if len(trimmed) == 0 || trimmed[0] != '"' {
		return "", false
	}
	return text, json.Unmarshal(trimmed, &text) == nil
}

// display is a value as a model reads it: a string's text, and of any other
// value its JSON, indented.
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
