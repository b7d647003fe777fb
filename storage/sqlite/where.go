package sqlite

import (
	"encoding/json"
	"time"

	"mneme/internal/condition"
	"mneme/internal/period"
)

// dialect implements condition.Dialect over the parameters of a query.
type dialect struct{ *arguments }

var (
	occurredAt = texts.Fill("{match.occurred_at}")
	isDated    = texts.Fill("{match.is_dated}")
)

func (dialect) OccurredAt() string { return occurredAt }

func (dialect) Dated() string { return isDated }

func (d dialect) HasTag(tag *condition.Operand) string {
	return "EXISTS (SELECT 1 FROM json_each(e.tags) t WHERE t.value = " + d.Operand(tag) + ")"
}

func (d dialect) Operand(o *condition.Operand) string { return d.Arg(operand(o)) }

func (d dialect) Time(t time.Time) string { return d.Arg(micros(t)) }

func (d dialect) Within(column string, spans []period.Span) string {
	if len(spans) == 1 {
		return column + " BETWEEN " + d.Time(spans[0].From) + " AND " + d.Time(spans[0].Last())
	}
	list := make([][2]int64, len(spans))
	for i, s := range spans {
		list[i] = [2]int64{micros(s.From), micros(s.Last())}
	}
	text, _ := json.Marshal(list) // of integers
	return "EXISTS (SELECT 1 FROM json_each(" + d.Arg(string(text)) + ") s WHERE " + column + " BETWEEN s.value ->> 0 AND s.value ->> 1)"
}

func (d dialect) Among(column string, operands []condition.Operand, negated bool) string {
	among := " IN "
	if negated {
		among = " NOT IN "
	}
	return column + among + "(SELECT value FROM json_each(" + d.Arg(operandList(operands)) + "))"
}

func (d dialect) Position(column string, text *condition.Operand) string {
	return "instr(" + column + ", " + d.Operand(text) + ")"
}

func (dialect) Successor(prefix string) (next string, found bool) {
	next, found = successor(prefix).(string)
	return next, found
}

// operand returns an operand as its column stores it.
func operand(o *condition.Operand) any {
	switch o.Type {
	case condition.LabelType:
		return int64(o.Label)
	case condition.BoolType:
		return o.Bool
	default:
		return o.Text
	}
}

// operandList returns a JSON array of operands.
func operandList(operands []condition.Operand) string {
	list := make([]any, len(operands))
	for i := range operands {
		list[i] = operand(&operands[i])
	}
	text, _ := json.Marshal(list) // of texts and integers
	return string(text)
}
