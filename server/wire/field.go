package wire

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"regexp"
	"strconv"

	"mneme/server/problem"
)

// Rules are how strictly a surface reads an object.
type Rules struct {
	// IgnoreUnknown lets members pass that the call does not know.
	IgnoreUnknown bool
	// NullIsAbsent takes a null for a member that was left out.
	NullIsAbsent bool
	// WholeFloats takes 60.0 and 6e1 for integers, as JSON Schema does, and
	// clients with one kind of number.
	WholeFloats bool
}

// Fault is what is wrong with a member.
type Fault int

// The faults of a member.
const (
	Unknown   Fault = iota // the call does not know the name
	Null                   // it must not be null, nor hold one
	Surrogate              // it holds half a surrogate pair
	WrongType              // it is not of the field's type
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
		return "there is a field that this call does not know"
	case Null:
		return "must not be null"
	case Surrogate:
		return "must not hold half a surrogate pair"
	default:
		return "must be " + e.Kind
	}
}

// Decode reads the object in text into fields: pointers by name, which may
// point to pointers. A *json.RawMessage takes any value as it is written. given
// has the members that were there. The error is one of Members, or a
// *FieldError.
func (r Rules) Decode(text []byte, fields map[string]any) (given map[string]bool, err error) {
	members, err := Members(text)
	if err != nil {
		return nil, err
	}
	given = make(map[string]bool, len(members))
	for _, m := range members {
		target, known := fields[m.Name]
		switch {
		case known:
			there, err := r.read(m, target)
			if err != nil {
				return nil, err
			}
			if there {
				given[m.Name] = true
			}
		case !r.IgnoreUnknown:
			return nil, &FieldError{Name: m.Name, Fault: Unknown}
		}
	}
	return given, nil
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

// read reads one member; given is false for a null that counts as absent.
func (r Rules) read(m Member, target any) (given bool, err error) {
	kind := reflect.TypeOf(target).Elem()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind == rawMessage { // any JSON value, byte for byte
		return true, json.Unmarshal(m.Value, target)
	}
	if r.NullIsAbsent && string(m.Value) == "null" {
		return false, nil
	}
	fault := func(f Fault) error { return &FieldError{Name: m.Name, Fault: f, Kind: kindOf(kind)} }
	switch {
	case !r.NullIsAbsent && hasNull(m.Value):
		return false, fault(Null)
	case LoneSurrogate(m.Value):
		return false, fault(Surrogate)
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

// hasNull reports whether a value is null, or an array that holds one.
func hasNull(value json.RawMessage) bool {
	if string(value) == "null" {
		return true
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

// readWhole is json.Unmarshal, but takes whole floats for integers.
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

// whole reads an integer. One beyond those that a float holds exactly becomes
// the nearest of these, which breaks whatever limit there is.
func whole(value json.RawMessage) (int, error) {
	const most = 1 << 53
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil && !math.IsInf(n, 0) || n != math.Trunc(n) {
		return 0, errNotWhole
	}
	return int(max(-most, min(n, most))), nil
}

// kindOf is a type in words.
func kindOf(kind reflect.Type) string {
	switch kind.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		if kind.Elem().Kind() == reflect.Int {
			return "an array of integers"
		}
		return "an array of strings"
	default:
		return "a date and time as in RFC 3339"
	}
}

// plainName is what an unknown name must look like to be repeated: anything
// else may be text that strayed there.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

// PlainName reports whether the name of an unknown field or parameter may be
// repeated to the client.
func PlainName(name string) bool { return plainName.MatchString(name) }

// UnknownName refuses a field or parameter that the call does not have.
func UnknownName(what, name string) error {
	p := problem.New(problem.Malformed, "there is a "+what+" that this call does not know")
	if PlainName(name) {
		p.Field = name
	}
	return p
}

// BodyProblem is an error of Decode as a problem.
func BodyProblem(err error) error {
	var field *FieldError
	switch {
	case !errors.As(err, &field):
		return problem.New(problem.Malformed, "the body is "+err.Error())
	case field.Fault == Unknown:
		return UnknownName("field", field.Name)
	}
	return problem.In(problem.Malformed, field.Name, field.Error())
}
