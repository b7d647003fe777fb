package postgres

import (
	"time"

	"mneme/internal/condition"
	"mneme/internal/period"
)

// dialect implements condition.Dialect over the parameters of a query.
type dialect struct{ *arguments }

func (dialect) OccurredAt() string { return "e.occurred_at" }

func (dialect) Dated() string { return "e.occurred_date" }

func (d dialect) HasTag(tag *condition.Operand) string {
	return "e.tags IS NOT NULL AND e.tags @> ARRAY[" + d.Operand(tag) + "]"
}

func (d dialect) Operand(o *condition.Operand) string {
	return d.Arg(operand(o)) + "::" + types[o.Type]
}

func (d dialect) Time(t time.Time) string { return d.Arg(t) + "::timestamptz" }

func (d dialect) Within(column string, spans []period.Span) string {
	if len(spans) == 1 {
		return column + " BETWEEN " + d.Time(spans[0].From) + " AND " + d.Time(spans[0].Last())
	}
	from, last := make([]time.Time, len(spans)), make([]time.Time, len(spans))
	for i, s := range spans {
		from[i], last[i] = s.From, s.Last()
	}
	return "EXISTS (SELECT 1 FROM unnest(" + d.Arg(from) + "::timestamptz[], " + d.Arg(last) + "::timestamptz[]) s (a, b) WHERE " +
		column + " BETWEEN s.a AND s.b)"
}

func (d dialect) Among(column string, operands []condition.Operand, negated bool) string {
	among := " = ANY ("
	if negated {
		among = " <> ALL ("
	}
	return column + among + d.Arg(operandList(operands)) + "::" + types[operands[0].Type] + "[])"
}

func (d dialect) Position(column string, text *condition.Operand) string {
	return "strpos(" + column + ", " + d.Operand(text) + ")"
}

func (dialect) Successor(prefix string) (next string, found bool) {
	next, found = successor(prefix).(string)
	return next, found
}

// types are the column types of operands.
var types = map[condition.Type]string{
	condition.TextType: "text", condition.BoolType: "boolean", condition.LabelType: "smallint",
}

// operand returns an operand as stored in its column.
func operand(o *condition.Operand) any {
	switch o.Type {
	case condition.LabelType:
		return int16(o.Label)
	case condition.BoolType:
		return o.Bool
	default:
		return o.Text
	}
}

// operandList returns operands of one type as an array parameter.
func operandList(operands []condition.Operand) any {
	switch operands[0].Type {
	case condition.LabelType:
		return listOf(operands, func(o *condition.Operand) int16 { return int16(o.Label) })
	case condition.BoolType:
		return listOf(operands, func(o *condition.Operand) bool { return o.Bool })
	default:
		return listOf(operands, func(o *condition.Operand) string { return o.Text })
	}
}

func listOf[T any](operands []condition.Operand, value func(*condition.Operand) T) []T {
	list := make([]T, len(operands))
	for i := range operands {
		list[i] = value(&operands[i])
	}
	return list
}
