package postgres

import (
	"time"

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
		return "e.tags IS NOT NULL AND e.tags @> ARRAY[" + q.arg(l.Operands[0].Text) + "::text]"
	case condition.EntryType:
		return q.present("nullif(e.type, '')", l)
	case condition.OccurredAt:
		return q.present("e.occurred_at", l)
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

// types are the types of operands as columns have them.
var types = map[condition.Type]string{
	condition.TextType: "text", condition.BoolType: "boolean", condition.LabelType: "smallint", condition.TimeType: "timestamptz",
}

// compare writes an operator of a column that is not null. Texts are compared in
// the collation of the column, "C".
func (q *matchQuery) compare(column string, l *condition.Leaf) string {
	first := &l.Operands[0]
	cast := "::" + types[first.Type]
	switch l.Operator {
	case condition.In:
		return column + " = ANY (" + q.arg(operandList(l.Operands)) + cast + "[])"
	case condition.Nin:
		return column + " <> ALL (" + q.arg(operandList(l.Operands)) + cast + "[])"
	case condition.Prefix:
		within := column + " >= " + q.arg(first.Text) + cast
		if next := successor(first.Text); next != nil {
			within += " AND " + column + " < " + q.arg(*next) + cast
		}
		return within
	case condition.Contains:
		return "strpos(" + column + ", " + q.arg(first.Text) + cast + ") > 0"
	default:
		return column + comparisons[l.Operator] + q.arg(operand(first)) + cast
	}
}

// operand returns an operand as its column has it.
func operand(o *condition.Operand) any {
	switch o.Type {
	case condition.LabelType:
		return int16(o.Label)
	case condition.TimeType:
		return o.Time
	case condition.BoolType:
		return o.Bool
	default:
		return o.Text
	}
}

// operandList returns operands, which have one type, as an array parameter.
func operandList(operands []condition.Operand) any {
	switch operands[0].Type {
	case condition.LabelType:
		return listOf(operands, func(o *condition.Operand) int16 { return int16(o.Label) })
	case condition.TimeType:
		return listOf(operands, func(o *condition.Operand) time.Time { return o.Time })
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
