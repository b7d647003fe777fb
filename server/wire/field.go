package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"time"

	"mneme/server/problem"
)

// Rules configure how strictly a surface decodes an object.
type Rules struct {
	// IgnoreUnknown accepts unknown members and ignores them.
	IgnoreUnknown bool
	// NullIsAbsent treats a null member as absent.
	NullIsAbsent bool
	// WholeFloats accepts 60.0 and 6e1 as integers, as JSON Schema does.
	// Clients in languages with only one number type may send them.
	WholeFloats bool
	// JSONText accepts an array or object that is sent as a string with its JSON text,
	// as some models and clients send it.
	JSONText bool
}

// Fault is the kind of error of a member.
type Fault int

// The faults of a member.
const (
	Unknown   Fault = iota // no field has the name
	Null                   // the value is null, or an array that contains null
	Surrogate              // the value contains an unpaired surrogate
	WrongType              // the value is not of the field's type
	Missing                // the object lacks a required member
)

// FieldError reports a member that breaks the rules. Kind is the field's type
// in words, such as "a string".
type FieldError struct {
	Name  string
	Fault Fault
	Kind  string
}

func (e *FieldError) Error() string {
	switch e.Fault {
	case Unknown:
		return "unknown field"
	case Null:
		return "must not be null"
	case Missing:
		return "is required"
	case Surrogate:
		return "must not contain an unpaired surrogate"
	default:
		return "must be " + e.Kind
	}
}

// Decode decodes the object in text into fields, which maps names to pointers,
// possibly to pointers. A *json.RawMessage receives any value unchanged, a
// **json.RawMessage any value but null. given is the set of fields that were
// present. The error is an error of Members or a *FieldError.
func (r Rules) Decode(text []byte, fields map[string]any) (given map[string]bool, err error) {
	return r.decode(text, func(name string) any { return fields[name] })
}

// decode is like Decode; target returns the pointer for a name, nil if no field has it.
func (r Rules) decode(text []byte, target func(name string) any) (given map[string]bool, err error) {
	members, err := Members(text)
	if err != nil {
		return nil, err
	}
	given = make(map[string]bool, len(members))
	for _, m := range members {
		target := target(m.Name)
		switch {
		case target != nil:
			present, err := r.read(m, target)
			if err != nil {
				return nil, err
			}
			if present {
				given[m.Name] = true
			}
		case !r.IgnoreUnknown:
			return nil, &FieldError{Name: m.Name, Fault: Unknown}
		}
	}
	return given, nil
}

// maxElements is the maximum number of elements of an array that are decoded. It is above
// the limits of all fields, so that the code that checks a limit still refuses longer arrays.
const maxElements = 10_001

// FirstElements truncates a valid JSON array to at most n elements, and returns any other
// value unchanged. A client may send an array of millions of elements, each of which takes
// many times its bytes in memory once decoded.
func FirstElements(value json.RawMessage, n int) json.RawMessage {
	if !bytes.HasPrefix(value, []byte("[")) || len(value) <= 2*n {
		return value
	}
	depth, elements, quoted := 0, 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 1:
			if elements++; elements == n {
				return append(value[:i:i], ']') // a copy
			}
		}
	}
	return value
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	rawMessage = reflect.TypeFor[json.RawMessage]()
)

// read decodes one member; given is false for a null that counts as absent.
func (r Rules) read(m Member, target any) (given bool, err error) {
	kind := reflect.TypeOf(target).Elem()
	optional := kind.Kind() == reflect.Pointer
	if optional {
		kind = kind.Elem()
	}
	if kind == rawMessage && !(optional && string(m.Value) == "null") { // any JSON value, byte for byte
		return true, json.Unmarshal(m.Value, target)
	}
	if r.NullIsAbsent && string(m.Value) == "null" {
		return false, nil
	}
	isStruct := kind.Kind() == reflect.Struct && kind != timeType
	if r.JSONText && (isStruct || kind.Kind() == reflect.Slice) {
		m.Value = FromText(m.Value)
	}
	m.Value = FirstElements(m.Value, maxElements)
	if kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Struct && kind.Elem() != timeType {
		return true, r.readObjects(m, target, kind)
	}
	fault := func(f Fault) error { return &FieldError{Name: m.Name, Fault: f, Kind: kindOf(kind)} }
	switch {
	case !r.NullIsAbsent && hasNull(m.Value):
		return false, fault(Null)
	case LoneSurrogate(m.Value):
		return false, fault(Surrogate)
	}
	if isStruct {
		return true, r.readObject(m, target, kind)
	}
	if r.WholeFloats {
		err = readWhole(m.Value, target)
	} else {
		err = json.Unmarshal(m.Value, target)
	}
	if err != nil {
		return false, fault(WrongType)
	}
	return true, nil
}

// FromText returns the array or object in a JSON string that contains JSON text. It
// returns any other value unchanged.
func FromText(value json.RawMessage) json.RawMessage {
	if !bytes.HasPrefix(value, []byte(`"`)) || LoneSurrogate(value) {
		return value
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	inner := bytes.TrimSpace([]byte(text))
	if len(inner) == 0 || inner[0] != '[' && inner[0] != '{' || !json.Valid(inner) {
		return value
	}
	return inner
}

// hasNull reports whether a value is null, or an array that contains null.
func hasNull(value json.RawMessage) bool {
	if string(value) == "null" {
		return true
	}
	if !bytes.HasPrefix(value, []byte("[")) || !bytes.Contains(value, []byte("null")) {
		return false
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return false
	}
	for _, item := range items {
		if string(item) == "null" {
			return true
		}
	}
	return false
}

// readWhole is like json.Unmarshal, but accepts whole floats as integers.
func readWhole(value json.RawMessage, target any) (err error) {
	switch target := target.(type) {
	case *int:
		*target, err = whole(value)
		return err
	case *[]int:
		var all []json.RawMessage
		if err := json.Unmarshal(value, &all); err != nil {
			return err
		}
		*target = make([]int, len(all))
		for i := range all {
			if (*target)[i], err = whole(all[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return json.Unmarshal(value, target)
}

var errNotWhole = errors.New("not an integer")

// whole parses an integer. It clamps values to ±2^53, beyond which a float64 is not exact. The
// bounds of every field are narrower.
func whole(value json.RawMessage) (int, error) {
	const most = 1 << 53
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil && !math.IsInf(n, 0) || n != math.Trunc(n) {
		return 0, errNotWhole
	}
	return int(max(-most, min(n, most))), nil
}

// kindOf describes a type in words.
func kindOf(kind reflect.Type) string {
	switch kind.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		if kind.Elem().Kind() == reflect.Int {
			return "an array of integers"
		}
		return "an array of strings"
	default:
		return "an RFC 3339 date and time"
	}
}

// plainName matches names that errors may quote. Any other name may be memory
// text that a client put in the wrong place.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}(\.[A-Za-z][A-Za-z0-9_-]{0,39})?$`)

// PlainName reports whether an error may quote the name of an unknown field or
// parameter.
func PlainName(name string) bool { return plainName.MatchString(name) }

// UnknownName returns the problem for an unknown field or parameter.
func UnknownName(what, name string) error {
	p := problem.New(problem.Malformed, "unknown "+what)
	if PlainName(name) {
		p.Field = name
	}
	return p
}

// BodyProblem turns an error of Decode into a problem.
func BodyProblem(err error) error {
	var field *FieldError
	switch {
	case !errors.As(err, &field):
		return problem.New(problem.Malformed, "invalid body: "+err.Error())
	case field.Fault == Unknown:
		return UnknownName("field", field.Name)
	}
	return problem.In(problem.Malformed, field.Name, field.Error())
}
