package condition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error reports what is wrong in the text of a condition, and where. It does not contain
// operands.
type Error struct {
	Place string // "" is the whole condition; otherwise for example .and[1].updated_at.gte
	Rule  string
}

func (e *Error) Error() string { return "where" + e.Place + ": " + e.Rule }

func wrong(place, format string, args ...any) error {
	return &Error{Place: place, Rule: fmt.Sprintf(format, args...)}
}

// Parse parses a condition, a JSON object. A member is a field with an object of
// operators, all of which must hold, "and" or "or" with a list of conditions, or
// "not" with one. All members must hold. Its errors are *Error.
func Parse(text []byte) (*Condition, error) {
	if len(text) > MaxBytes {
		return nil, wrong("", "must have at most %d bytes", MaxBytes)
	}
	if !utf8.Valid(text) {
		return nil, wrong("", "must be valid UTF-8")
	}
	r := reader{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber()
	tree, err := r.read("", 0)
	if err != nil {
		return nil, err
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, wrong("", "must be one JSON object and nothing after it")
	}
	var p parser
	root, err := p.condition(tree, "", nesting{})
	if err != nil {
		return nil, err
	}
	return newCondition(root), nil
}

// maxNesting bounds the nesting of the JSON text. Conditions of MaxDepth need less, except
// lists of one element.
const maxNesting = 64

// jsonTree is a JSON value: an objectTree, a []jsonTree, or another value as json.Decoder
// returns it.
type jsonTree any

// objectTree is an object with its members ordered by name.
type objectTree []member

type member struct {
	name  string
	value jsonTree
}

// reader reads a JSON text. Unlike encoding/json it rejects repeated members, NUL and
// unpaired surrogates.
type reader struct {
	text    []byte
	decoder *json.Decoder
}

func (r *reader) token(place string) (json.Token, error) {
	start := r.decoder.InputOffset()
	token, err := r.decoder.Token()
	if err != nil {
		return nil, wrong(place, "must be JSON")
	}
	if s, ok := token.(string); ok {
		return token, checkString(s, r.text[start:r.decoder.InputOffset()], place)
	}
	return token, nil
}

// checkString returns an error if a decoded string has a NUL, or if source, its JSON, has an
// unpaired surrogate.
func checkString(s string, source []byte, place string) error {
	if strings.IndexByte(s, 0) >= 0 {
		return wrong(place, "must have no NUL")
	}
	const replacement = string(utf8.RuneError)
	if n := strings.Count(s, replacement); n > 0 {
		written := bytes.Count(source, []byte(replacement)) + bytes.Count(bytes.ToLower(source), []byte(`\ufffd`))
		if n > written {
			return wrong(place, "must have no unpaired surrogates")
		}
	}
	return nil
}

func (r *reader) read(place string, depth int) (jsonTree, error) {
	token, err := r.token(place)
	if err != nil {
		return nil, err
	}
	opening, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth == maxNesting {
		return nil, wrong(place, "nests too deep")
	}
	var tree jsonTree
	if opening == '{' {
		tree, err = r.readObject(place, depth)
	} else {
		tree, err = r.readList(place, depth)
	}
	if err != nil {
		return nil, err
	}
	_, err = r.token(place) // the closing delimiter
	return tree, err
}

func (r *reader) readObject(place string, depth int) (jsonTree, error) {
	tree := objectTree{}
	seen := make(map[string]bool)
	for r.decoder.More() {
		token, err := r.token(place)
		if err != nil {
			return nil, err
		}
		name := token.(string) // the decoder accepts only strings as names
		at := place + "." + shown(name)
		if seen[name] {
			return nil, wrong(at, "is repeated")
		}
		seen[name] = true
		value, err := r.read(at, depth+1)
		if err != nil {
			return nil, err
		}
		tree = append(tree, member{name, value})
	}
	slices.SortFunc(tree, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return tree, nil
}

func (r *reader) readList(place string, depth int) (jsonTree, error) {
	list := []jsonTree{}
	for r.decoder.More() {
		value, err := r.read(fmt.Sprintf("%s[%d]", place, len(list)), depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

// shown returns a member's name as Error.Place contains it: at most 64 bytes, quoted unless all
// are printable.
func shown(name string) string {
	const most = 64
	cut := name
	if len(cut) > most {
		cut = strings.ToValidUTF8(cut[:most], "")
	}
	if cut != "" && !strings.ContainsFunc(cut, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
		if len(cut) < len(name) {
			return cut + "…"
		}
		return cut
	}
	return strconv.Quote(cut)
}

// nesting is the position of a condition in a tree.
type nesting struct {
	level int  // number of and, or and not around it
	inAnd bool // whether the innermost of these is an and
}

// under returns the nesting of the parts of a junction. A junction of a single part, or an
// and within an and, adds no level.
func (n nesting) under(kind Kind, parts int) nesting {
	if kind != Not && parts == 1 || kind == And && n.inAnd {
		return n
	}
	return nesting{level: n.level + 1, inAnd: kind == And}
}

// parser turns a JSON tree into a condition.
type parser struct{ leaves int }

func (p *parser) condition(tree jsonTree, place string, at nesting) (Node, error) {
	members, ok := tree.(objectTree)
	if !ok {
		return Node{}, wrong(place, `must be an object of fields, "and", "or" and "not"`)
	}
	if len(members) == 0 {
		return Node{}, wrong(place, `must have a field, "and", "or" or "not"`)
	}
	inner := at.under(And, len(members))
	if inner.level > MaxDepth {
		return Node{}, tooDeep(place)
	}
	parts := make([]Node, len(members))
	for i, m := range members {
		var err error
		if parts[i], err = p.member(m, place+"."+shown(m.name), inner); err != nil {
			return Node{}, err
		}
	}
	return join(And, parts), nil
}

func tooDeep(place string) error {
	return wrong(place, "and, or and not must nest at most %d deep", MaxDepth)
}

func (p *parser) member(m member, place string, at nesting) (Node, error) {
	switch m.name {
	case "and":
		return p.junction(And, m.value, place, at)
	case "or":
		return p.junction(Or, m.value, place, at)
	case "not":
		inner := at.under(Not, 1)
		if inner.level > MaxDepth {
			return Node{}, tooDeep(place)
		}
		part, err := p.condition(m.value, place, inner)
		return Node{Kind: Not, Parts: []Node{part}}, err
	}
	return p.field(m, place, at)
}

func (p *parser) junction(kind Kind, tree jsonTree, place string, at nesting) (Node, error) {
	list, ok := tree.([]jsonTree)
	if !ok || len(list) == 0 {
		return Node{}, wrong(place, "must be a list of at least one condition")
	}
	inner := at.under(kind, len(list))
	if inner.level > MaxDepth {
		return Node{}, tooDeep(place)
	}
	parts := make([]Node, len(list))
	for i, part := range list {
		var err error
		if parts[i], err = p.condition(part, fmt.Sprintf("%s[%d]", place, i), inner); err != nil {
			return Node{}, err
		}
	}
	return join(kind, parts), nil
}

func (p *parser) field(m member, place string, at nesting) (Node, error) {
	rule, path, ok := ruleOf(m.name)
	if !ok {
		return Node{}, wrong(place, "is not a field: the fields are %s", fieldNames())
	}
	if err := checkPath(path, place); err != nil {
		return Node{}, err
	}
	operators, ok := m.value.(objectTree)
	if !ok || len(operators) == 0 {
		return Node{}, wrong(place, `must be an object of operators, such as {"%s": …}`, rule.Operators[0])
	}
	if at.under(And, len(operators)).level > MaxDepth {
		return Node{}, tooDeep(place)
	}
	parts := make([]Node, len(operators))
	for i, o := range operators {
		leaf, err := p.leaf(rule, path, o, place+"."+shown(o.name))
		if err != nil {
			return Node{}, err
		}
		parts[i] = Node{Leaf: leaf}
	}
	return join(And, parts), nil
}

func checkPath(path []string, place string) error {
	total := len(path)
	for _, name := range path {
		if total += len(name); name == "" {
			return wrong(place, "must name a member of the value between any two dots")
		}
	}
	if total > MaxText {
		return wrong(place, "must have at most %d bytes", MaxText)
	}
	return nil
}

func (p *parser) leaf(rule FieldRule, path []string, m member, place string) (Leaf, error) {
	operator := Operator(m.name)
	if !slices.Contains(rule.Operators, operator) {
		return Leaf{}, wrong(place, "is not an operator of this field: it takes %s", operatorNames(rule.Operators))
	}
	if p.leaves++; p.leaves > MaxLeaves {
		return Leaf{}, wrong(place, "a condition must have at most %d comparisons", MaxLeaves)
	}
	operands, err := parseOperands(rule, operator, m.value, place)
	return Leaf{Field: rule.Field, Path: path, Operator: operator, Operands: operands}, err
}
