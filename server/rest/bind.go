package rest

import (
	"encoding/json"
	"io"
	"net/url"
	"reflect"
	"strings"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/server/object"
	"mneme/server/problem"
)

// binder reads JSON bodies for the generated code.
type binder struct{ surface *Surface }

// Bind reads the body into target, a pointer to a generated type. A call
// without a body gives io.EOF, which the generated code takes for nothing
// where the body is optional.
func (b binder) Bind(target any, c echo.Context) error {
	r := c.Request()
	body, err := io.ReadAll(io.LimitReader(r.Body, b.surface.maxBody+1))
	switch {
	case r.Context().Err() != nil:
		return r.Context().Err()
	case err != nil:
		return problem.New(problem.Malformed, "the body could not be read to its end")
	case len(body) == 0:
		return problem.New(problem.Malformed, "the call needs a body").Because(io.EOF)
	}
	if err := checkContentType(r, contentJSON); err != nil {
		return err
	}
	if int64(len(body)) > b.surface.maxBody {
		return b.surface.oversized(c)
	}
	return decode(body, target)
}

// oversized is what a body above the limit gets. Who may not write to the
// store learns that first.
func (s *Surface) oversized(c echo.Context) error {
	if name, err := url.PathUnescape(c.Param("store")); err == nil && name != "" {
		ctx := c.Request().Context()
		store, err := storeID(ctx, "store", name)
		if err != nil {
			return err
		}
		if err := s.service.Authorize(ctx, caller(ctx), store, acl.ReadWrite); err != nil {
			return err
		}
	}
	return problem.New(problem.TooLarge, "the body is too large")
}

// decode reads a JSON object into a generated type, strictly: every field
// known, none twice, none null, all of their types, and the required ones
// there. What a field may hold is left to the service.
func decode(text []byte, target any) error {
	members, err := object.Members(text)
	if err != nil {
		return problem.New(problem.Malformed, "the body is "+err.Error())
	}
	fields := fieldsOf(reflect.ValueOf(target).Elem())
	for _, member := range members {
		f, ok := fields[member.Name]
		if !ok {
			return unknown("field", member.Name)
		}
		if err := f.read(member); err != nil {
			return err
		}
		delete(fields, member.Name)
	}
	for name, f := range fields {
		if f.required {
			return problem.In(problem.Malformed, name, "must be given")
		}
	}
	return nil
}

// field is one field of a generated type.
type field struct {
	reflect.Value
	required bool
}

func fieldsOf(target reflect.Value) map[string]field {
	fields := make(map[string]field, target.NumField())
	for i := range target.NumField() {
		name, options, _ := strings.Cut(target.Type().Field(i).Tag.Get("json"), ",")
		fields[name] = field{target.Field(i), !strings.Contains(options, "omitempty")}
	}
	return fields
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

func (f field) read(m object.Member) error {
	kind := f.Type()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind == rawMessage { // any JSON value, byte for byte
		return json.Unmarshal(m.Value, f.Addr().Interface())
	}
	if hasNull(m.Value) {
		return problem.In(problem.Malformed, m.Name, "must not be null")
	}
	if object.LoneSurrogate(m.Value) {
		return problem.In(problem.Malformed, m.Name, "must not hold half a surrogate pair")
	}
	if err := json.Unmarshal(m.Value, f.Addr().Interface()); err != nil {
		return problem.In(problem.Malformed, m.Name, "must be "+nameOf(kind))
	}
	return nil
}

// hasNull tells whether a value is null, or an array with one in it.
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

// nameOf is what a type is called in a problem.
func nameOf(kind reflect.Type) string {
	switch kind.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array of strings"
	default:
		return "a date and time as in RFC 3339"
	}
}
