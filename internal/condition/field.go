package condition

import (
	"slices"
	"strings"
)

// Field is a field of an entry.
type Field string

// The fields. Value is any member of a value that is a JSON object: its name in a
// condition is followed by the member's path, as value.a.b.
const (
	Key        Field = "key"
	Namespace  Field = "namespace"
	EntryType  Field = "type"
	Tags       Field = "tags"
	OwnerID    Field = "owner_id"
	UpdatedBy  Field = "updated_by"
	LabelName  Field = "label"
	Encrypted  Field = "encrypted"
	CreatedAt  Field = "created_at"
	UpdatedAt  Field = "updated_at"
	OccurredAt Field = "occurred_at"
	ExpiresAt  Field = "expires_at"
	Value      Field = "value"
)

// Operator compares a field with its operands.
type Operator string

// The operators. An absent field fits only Ne, Nin and Exists false.
const (
	Eq       Operator = "eq"
	Ne       Operator = "ne"
	In       Operator = "in"
	Nin      Operator = "nin"
	Gt       Operator = "gt"
	Gte      Operator = "gte"
	Lt       Operator = "lt"
	Lte      Operator = "lte"
	Prefix   Operator = "prefix"
	Contains Operator = "contains" // a substring; an element of tags or of a JSON array
	Exists   Operator = "exists"
)

// Type is the type of an operand.
type Type int

// The types. A member of a value may be compared with texts, numbers and booleans; AnyType
// is any of these.
const (
	TextType Type = iota
	NumberType
	BoolType
	LabelType
	TimeType
	AnyType
)

// FieldRule defines the operands and operators of a field.
type FieldRule struct {
	Field     Field
	Operand   Type
	Operators []Operator
}

// Fields returns the rules of all fields.
func Fields() []FieldRule { return slices.Clone(fieldList) }

var (
	equality  = []Operator{Eq, Ne, In, Nin}
	ordered   = append(slices.Clone(equality), Gt, Gte, Lt, Lte)
	texts     = append(slices.Clone(ordered), Prefix, Contains)
	existing  = func(operators []Operator) []Operator { return append(slices.Clone(operators), Exists) }
	fieldList = []FieldRule{
		{Key, TextType, texts},
		{Namespace, TextType, texts},
		{EntryType, TextType, existing(equality)},
		{Tags, TextType, []Operator{Contains, Exists}},
		{OwnerID, TextType, texts},
		{UpdatedBy, TextType, texts},
		{LabelName, LabelType, ordered},
		{Encrypted, BoolType, []Operator{Eq, Ne}},
		{CreatedAt, TimeType, ordered},
		{UpdatedAt, TimeType, ordered},
		{OccurredAt, TimeType, existing(ordered)},
		{ExpiresAt, TimeType, existing(ordered)},
		{Value, AnyType, existing(texts)},
	}
)

// isName reports whether the field holds names given by the writer: entries store them in
// Unicode normalization form C, whatever the form in which they were written.
func (r FieldRule) isName() bool {
	return r.Field == Key || r.Field == Namespace || r.Field == Tags
}

// ruleOf returns the rule of a field by its name in a condition, and for a Value the path.
// ok is false if the field does not exist.
func ruleOf(name string) (rule FieldRule, path []string, ok bool) {
	name, member, isPath := strings.Cut(name, ".")
	i := slices.IndexFunc(fieldList, func(r FieldRule) bool { return string(r.Field) == name })
	if i < 0 || isPath != (fieldList[i].Field == Value) {
		return FieldRule{}, nil, false
	}
	if isPath {
		path = strings.Split(member, ".")
	}
	return fieldList[i], path, true
}

// Name returns the field's name in a condition.
func (l *Leaf) Name() string {
	if l.Field == Value {
		return string(Value) + "." + strings.Join(l.Path, ".")
	}
	return string(l.Field)
}

// fieldNames lists the fields in errors.
func fieldNames() string {
	var names []string
	for _, r := range fieldList {
		if r.Field != Value {
			names = append(names, string(r.Field))
		}
	}
	return strings.Join(names, ", ") + ", value.NAME"
}

// operatorNames lists operators in errors.
func operatorNames(operators []Operator) string {
	names := make([]string, len(operators))
	for i, o := range operators {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}
