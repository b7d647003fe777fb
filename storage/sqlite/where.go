package sqlite

import (
	"encoding/json"

	"mneme/condition"
)

// dialect implements condition.Dialect over the parameters of a query.
type dialect struct{ *matchQuery }

func (dialect) OccurredAt() string { return "(SELECT o.at FROM occurrence o WHERE o.doc = e.doc)" }

func (d dialect) HasTag(tag *condition.Operand) string {
	return "EXISTS (SELECT 1 FROM json_each(e.tags) t WHERE t.value = " + d.Operand(tag) + ")"
}

func (d dialect) Operand(o *condition.Operand) string { return d.arg(operand(o)) }

func (d dialect) Among(column string, operands []condition.Operand, negated bool) string {
	among := " IN "
	if negated {
		among = " NOT IN "
	}
	return column + among + "(SELECT value FROM json_each(" + d.arg(operandList(operands)) + "))"
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
	case condition.TimeType:
		return micros(o.Time)
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
