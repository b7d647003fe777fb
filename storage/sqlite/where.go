package sqlite

import (
	"encoding/json"

	"mneme/condition"
)

// leaf writes a comparison in SQL, as condition.Node.Formula asks.
func (q *matchQuery) leaf(l *condition.Leaf, wide bool) string {
	switch l.Field {
	case condition.Value:
		if wide {
			return "TRUE"
		}
		return "FALSE"
	case condition.Tags:
		if l.Operator == condition.Exists {
			return q.exists("e.tags", l)
		}
		return "EXISTS (SELECT 1 FROM json_each(e.tags) t WHERE t.value = " + q.arg(l.Operands[0].Text) + ")"
	case condition.EntryType:
		return q.present("nullif(e.type, '')", l)
	case condition.OccurredAt:
		return q.present("(SELECT o.at FROM occurrence o WHERE o.doc = e.doc)", l)
	case condition.ExpiresAt:
		return q.present("e.expires_at", l)
	default:
		return q.compare(columns[l.Field], l)
	}
}

// columns are the columns of fields that are never null.
var columns = map[condition.Field]string{
	condition.Key: "e.key", condition.Namespace: "e.namespace", condition.OwnerID: "e.owner", condition.UpdatedBy: "e.updated_by",
	condition.LabelName: "e.label", condition.Encrypted: "e.encrypted",
	condition.CreatedAt: "e.created_at", condition.UpdatedAt: "e.updated_at",
}

// exists writes Exists of a column that is null if the field is absent.
func (q *matchQuery) exists(column string, l *condition.Leaf) string {
	if l.Operands[0].Bool {
		return column + " IS NOT NULL"
	}
	return column + " IS NULL"
}

// present writes any operator of such a column.
func (q *matchQuery) present(column string, l *condition.Leaf) string {
	switch l.Operator {
	case condition.Exists:
		return q.exists(column, l)
	case condition.Ne, condition.Nin:
		return column + " IS NULL OR " + q.compare(column, l)
	default:
		return column + " IS NOT NULL AND " + q.compare(column, l)
	}
}

// comparisons are the operators of SQL.
var comparisons = map[condition.Operator]string{
	condition.Eq: " = ", condition.Ne: " <> ", condition.Gt: " > ", condition.Gte: " >= ", condition.Lt: " < ", condition.Lte: " <= ",
}

// compare writes an operator of a column that is not null.
func (q *matchQuery) compare(column string, l *condition.Leaf) string {
	switch first := &l.Operands[0]; l.Operator {
	case condition.In, condition.Nin:
		in := " IN "
		if l.Operator == condition.Nin {
			in = " NOT IN "
		}
		return column + in + "(SELECT value FROM json_each(" + q.arg(operandList(l.Operands)) + "))"
	case condition.Prefix:
		range_ := column + " >= " + q.arg(first.Text)
		if next := successor(first.Text); next != nil {
			range_ += " AND " + column + " < " + q.arg(next)
		}
		return range_
	case condition.Contains:
		return "instr(" + column + ", " + q.arg(first.Text) + ") > 0"
	default:
		return column + comparisons[l.Operator] + q.arg(operand(first))
	}
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
