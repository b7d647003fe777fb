package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// DecodeStruct decodes the object in text into a struct, to which target points,
// by the JSON names of its fields. Members without omitempty are required. A
// member that is a struct, other than a time, or a list of structs is decoded
// likewise; errors name its members as in "recency.weight" and "items[3].key".
func (r Rules) DecodeStruct(text []byte, target any) error {
	value := reflect.ValueOf(target).Elem()
	known := cachedFields(value.Type())
	given, err := r.decode(text, func(name string) any {
		if i, ok := known.index[name]; ok {
			return value.Field(i).Addr().Interface()
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range known.required {
		if !given[name] {
			return &FieldError{Name: name, Fault: Missing}
		}
	}
	return nil
}

// structFields are the fields of a struct as DecodeStruct uses them.
type structFields struct {
	index    map[string]int // by JSON name
	required []string
}

// fieldCache maps each reflect.Type to its structFields: parsing the tags of twenty
// fields takes longer than decoding a small body.
var fieldCache sync.Map

func cachedFields(kind reflect.Type) *structFields {
	if cached, ok := fieldCache.Load(kind); ok {
		return cached.(*structFields)
	}
	fields := &structFields{index: make(map[string]int, kind.NumField())}
	for i := range kind.NumField() {
		name, options, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		fields.index[name] = i
		if !strings.Contains(options, "omitempty") {
			fields.required = append(fields.required, name)
		}
	}
	fieldCache.Store(kind, fields)
	return fields
}

// readObject decodes a member that is an object into a struct, or into a pointer
// to one.
func (r Rules) readObject(m Member, target any, kind reflect.Type) error {
	object := reflect.New(kind)
	err := r.DecodeStruct(m.Value, object.Interface())
	var inner *FieldError
	switch {
	case errors.As(err, &inner):
		return &FieldError{Name: m.Name + "." + inner.Name, Fault: inner.Fault, Kind: inner.Kind}
	case err != nil:
		return &FieldError{Name: m.Name, Fault: WrongType, Kind: "an object"}
	}
	if into := reflect.ValueOf(target).Elem(); into.Kind() == reflect.Pointer {
		into.Set(object)
	} else {
		into.Set(object.Elem())
	}
	return nil
}

// readObjects decodes a member that is a list of objects into a slice of structs.
func (r Rules) readObjects(m Member, target any, kind reflect.Type) error {
	var texts []json.RawMessage
	if json.Unmarshal(m.Value, &texts) != nil || string(m.Value) == "null" {
		return &FieldError{Name: m.Name, Fault: WrongType, Kind: "an array of objects"}
	}
	list := reflect.MakeSlice(kind, len(texts), len(texts))
	for i, text := range texts {
		object := Member{Name: fmt.Sprintf("%s[%d]", m.Name, i), Value: text}
		if err := r.readObject(object, list.Index(i).Addr().Interface(), kind.Elem()); err != nil {
			return err
		}
	}
	reflect.ValueOf(target).Elem().Set(list)
	return nil
}
