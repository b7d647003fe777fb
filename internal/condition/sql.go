package condition

import (
	"slices"
	"time"

	"mneme/internal/period"
)

// Dialect writes the parts of comparisons that differ between storages' SQL. The alias of
// the entry's row is e; its columns have the same names in every storage.
type Dialect interface {
	// OccurredAt returns an expression of that time, null if the entry has none.
	OccurredAt() string
	// Dated returns an expression that reports whether OccurredAt is a year, month or day;
	// true, false, or null if the entry has none.
	Dated() string
	// HasTag writes that the entry has a tag.
	HasTag(tag *Operand) string
	// Operand writes an operand in the form of the columns of its type.
	Operand(o *Operand) string
	// Time writes an instant in the form of time columns.
	Time(t time.Time) string
	// Among writes that a column, which is not null, equals one of several operands of one
	// type, or, if negated, none of them.
	Among(column string, operands []Operand, negated bool) string
	// Within writes that a time column, which is not null, is in one of several spans.
	Within(column string, spans []period.Span) string
	// Position writes the character position at which a text begins in a column, 0 if
	// nowhere.
	Position(column string, text *Operand) string
	// Successor returns the text that follows all texts with a prefix, if one exists.
	Successor(prefix string) (next string, found bool)
}

// SQL returns a function that writes comparisons for Node.Formula. Rows have no columns for the
// members of values: it writes a comparison of one of these as a constant, true if wide and
// false otherwise.
func SQL(d Dialect) func(l *Leaf, wide bool) string {
	return func(l *Leaf, wide bool) string {
		switch l.Field {
		case Value:
			if wide {
				return "TRUE"
			}
			return "FALSE"
		case Tags:
			if l.Operator == Exists {
				return exists("e.tags", l)
			}
			return d.HasTag(&l.Operands[0])
		case EntryType:
			return nullable("nullif(e.type, '')", l, func(column string) string { return compare(d, column, l) })
		case OccurredAt:
			return nullable(d.OccurredAt(), l, func(column string) string { return occurred(d, column, l) })
		case ExpiresAt:
			return nullable("e.expires_at", l, func(column string) string { return compareTime(d, column, l, false) })
		case CreatedAt, UpdatedAt:
			return compareTime(d, columns[l.Field], l, false)
		default:
			return compare(d, columns[l.Field], l)
		}
	}
}

// columns are the columns of fields that are never null.
var columns = map[Field]string{
	Key: "e.key", Namespace: "e.namespace", OwnerID: "e.owner", UpdatedBy: "e.updated_by",
	LabelName: "e.label", Encrypted: "e.encrypted", CreatedAt: "e.created_at", UpdatedAt: "e.updated_at",
}

// exists writes operator Exists for a column that is null if the entry lacks the field.
func exists(column string, l *Leaf) string {
	if l.Operands[0].Bool {
		return column + " IS NOT NULL"
	}
	return column + " IS NULL"
}

// nullable writes any operator for a column that is null if the entry lacks the field. compare
// writes the operator for a column that is not null.
func nullable(column string, l *Leaf, compare func(column string) string) string {
	switch l.Operator {
	case Exists:
		return exists(column, l)
	case Ne, Nin:
		return column + " IS NULL OR " + compare(column)
	default:
		return column + " IS NOT NULL AND " + compare(column)
	}
}

// occurred writes an operator for OccurredAt. Entries whose OccurredAt is only a year, month or
// day are compared with the operands' Dated, other entries with their Time.
func occurred(d Dialect, column string, l *Leaf) string {
	if !slices.ContainsFunc(l.Operands, func(o Operand) bool { return !o.Time.Equal(o.Dated) }) {
		return compareTime(d, column, l, false)
	}
	return "CASE WHEN " + d.Dated() + " THEN " + compareTime(d, column, l, true) + " ELSE " + compareTime(d, column, l, false) + " END"
}

// compareTime writes an operator for a time column that is not null. It compares the column
// with the operands' Dated if dated is set, and otherwise with their Time.
func compareTime(d Dialect, column string, l *Leaf, dated bool) string {
	spans := make([]period.Span, len(l.Operands))
	for i := range l.Operands {
		spans[i] = l.Operands[i].span(dated)
	}
	switch span := spans[0]; l.Operator {
	case In, Eq:
		return d.Within(column, spans)
	case Nin, Ne:
		return "NOT (" + d.Within(column, spans) + ")"
	case Gt:
		return column + " >= " + d.Time(span.Until)
	case Gte:
		return column + " >= " + d.Time(span.From)
	case Lt:
		return column + " < " + d.Time(span.From)
	default: // Lte
		return column + " < " + d.Time(span.Until)
	}
}

// comparisons maps operators to SQL.
var comparisons = map[Operator]string{Eq: " = ", Ne: " <> ", Gt: " > ", Gte: " >= ", Lt: " < ", Lte: " <= "}

// compare writes an operator for a column that is not null. The column's collation must compare
// texts by their bytes.
func compare(d Dialect, column string, l *Leaf) string {
	switch first := &l.Operands[0]; l.Operator {
	case In, Nin:
		return d.Among(column, l.Operands, l.Operator == Nin)
	case Prefix:
		within := column + " >= " + d.Operand(first)
		if next, found := d.Successor(first.Text); found {
			within += " AND " + column + " < " + d.Operand(new(Text(next)))
		}
		return within
	case Contains:
		return d.Position(column, first) + " > 0"
	default:
		return column + comparisons[l.Operator] + d.Operand(first)
	}
}
