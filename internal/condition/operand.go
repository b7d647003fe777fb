package condition

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"mneme/acl"
	"mneme/internal/period"
)

// Text returns an operand for a text field, or for tags.
func Text(s string) Operand { return Operand{Type: TextType, Text: s} }

// Bool returns an operand for a boolean field or Exists.
func Bool(b bool) Operand { return Operand{Type: BoolType, Bool: b} }

// EntryTypes are the types that an entry may have. An entry may also have none.
var EntryTypes = []string{"user", "feedback", "project", "reference"}

func parseOperands(rule FieldRule, operator Operator, tree jsonTree, place string) ([]Operand, error) {
	if operator == Exists {
		b, ok := tree.(bool)
		if !ok {
			return nil, wrong(place, "must be true or false")
		}
		return []Operand{Bool(b)}, nil
	}
	if operator != In && operator != Nin {
		o, err := parseOperand(rule, operator, tree, place)
		return []Operand{o}, err
	}
	list, ok := tree.([]jsonTree)
	if !ok || len(list) < 1 || len(list) > MaxList {
		return nil, wrong(place, "must be a list of 1 to %d", MaxList)
	}
	operands := make([]Operand, len(list))
	for i, item := range list {
		at := fmt.Sprintf("%s[%d]", place, i)
		var err error
		if operands[i], err = parseOperand(rule, operator, item, at); err != nil {
			return nil, err
		}
		if operands[i].Type != operands[0].Type {
			return nil, wrong(at, "must be of the type of the first item")
		}
	}
	return operands, nil
}

func parseOperand(rule FieldRule, operator Operator, tree jsonTree, place string) (Operand, error) {
	switch rule.Operand {
	case BoolType:
		if b, ok := tree.(bool); ok {
			return Bool(b), nil
		}
		return Operand{}, wrong(place, "must be true or false")
	case LabelType:
		s, _ := tree.(string)
		label, err := acl.ParseLabel(s)
		if err != nil {
			return Operand{}, wrong(place, "must be PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED")
		}
		return Operand{Type: LabelType, Label: label}, nil
	case TimeType:
		s, _ := tree.(string)
		return parseTime(s, place)
	case AnyType:
		return parseAny(operator, tree, place)
	default:
		s, ok := tree.(string)
		if !ok {
			return Operand{}, wrong(place, "must be a string")
		}
		if rule.Field == EntryType && !slices.Contains(EntryTypes, s) {
			return Operand{}, wrong(place, "must be one of %s", strings.Join(EntryTypes, ", "))
		}
		if rule.isName() {
			s = norm.NFC.String(s) // the form in which entries store them
		}
		return parseText(operator, s, place)
	}
}

// parseAny parses an operand for a member of a value.
func parseAny(operator Operator, tree jsonTree, place string) (Operand, error) {
	switch v := tree.(type) {
	case string:
		return parseText(operator, v, place)
	case bool:
		if operator == Eq || operator == Ne || operator == In || operator == Nin || operator == Contains {
			return Bool(v), nil
		}
	case json.Number:
		if operator != Prefix {
			return parseNumberOperand(v.String(), place)
		}
	}
	switch operator {
	case Prefix:
		return Operand{}, wrong(place, "must be a string")
	case Gt, Gte, Lt, Lte:
		return Operand{}, wrong(place, "must be a string or a number")
	default:
		return Operand{}, wrong(place, "must be a string, a number, true or false")
	}
}

func parseText(operator Operator, s, place string) (Operand, error) {
	if len(s) > MaxText {
		return Operand{}, wrong(place, "must have at most %d bytes", MaxText)
	}
	if s == "" && (operator == Prefix || operator == Contains) {
		return Operand{}, wrong(place, "must not be empty")
	}
	return Text(s), nil
}

func parseNumberOperand(s, place string) (Operand, error) {
	n := parseNumber(s)
	if len(s) > maxDigits || n.exponent > maxExponent || n.exponent < -maxExponent {
		return Operand{}, wrong(place, "must have at most %d digits and an exponent from -%d to %d", maxDigits, maxExponent, maxExponent)
	}
	return Operand{Type: NumberType, Number: n}, nil
}

// relativeTime matches now, now-7d and now+12h.
var relativeTime = regexp.MustCompile(`^now(?:([+-])([0-9]{1,9})([smhdw]))?$`)

// maxOffset bounds relative times.
const maxOffset = 100 * 365 * 24 * time.Hour

var timeUnits = map[string]time.Duration{
	"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

// timeOperand returns an operand of a period, in UTC.
func timeOperand(written string, p period.Period) Operand {
	span := p.In(time.UTC)
	return Operand{Type: TimeType, Time: span, Dated: span, given: p, written: written}
}

// Between returns an operand for the times in span, and for the years, months and days
// whose first instant is in dated.
func Between(span, dated period.Span) Operand {
	return Operand{Type: TimeType, Time: span, Dated: dated, given: period.Of(span.From)}
}

func parseTime(s, place string) (Operand, error) {
	o := Operand{Type: TimeType, written: s}
	if match := relativeTime.FindStringSubmatch(s); match != nil {
		o.relative = true
		if match[1] == "" {
			return o, nil
		}
		n, _ := strconv.ParseInt(match[2], 10, 64) // at most nine digits
		unit := timeUnits[match[3]]
		if n > int64(maxOffset/unit) {
			return Operand{}, wrong(place, "must be at most 100 years from now")
		}
		if o.offset = time.Duration(n) * unit; match[1] == "-" {
			o.offset = -o.offset
		}
		return o, nil
	}
	if p, ok := period.Parse(s); ok {
		return timeOperand(s, p), nil
	}
	return Operand{}, wrong(place, "must be a time: RFC 3339, without zone as 2026-05-01T09:00, a date as 2026-05-01, 2026-05 or 2026, or relative as now-7d (s, m, h, d, w)")
}
