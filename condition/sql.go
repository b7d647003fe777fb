package condition

// Dialect writes what comparisons have of a storage's own SQL. The row of the
// entry is e, whose columns have the same names in every storage.
type Dialect interface {
	// OccurredAt returns an expression of that time, null if there is none.
	OccurredAt() string
	// HasTag writes that the entry has a tag.
	HasTag(tag *Operand) string
	// Operand writes an operand as the columns of its type have it.
	Operand(o *Operand) string
	// Among writes that a column, which is not null, is one of several operands of
	// one type, or if negated that it is none of them.
	Among(column string, operands []Operand, negated bool) string
	// Position writes at which character of a column a text begins, 0 if nowhere.
	Position(column string, text *Operand) string
	// Successor returns the text that follows all those with a prefix, if one does.
	Successor(prefix string) (next string, found bool)
}

// SQL returns a function that writes comparisons for Node.Formula. Of members of
// values, which no row has, it writes what is true or false of all.
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
			return nullable(d, "nullif(e.type, '')", l)
		case OccurredAt:
			return nullable(d, d.OccurredAt(), l)
		case ExpiresAt:
			return nullable(d, "e.expires_at", l)
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

// exists writes Exists of a column that is null if the field is absent.
func exists(column string, l *Leaf) string {
	if l.Operands[0].Bool {
		return column + " IS NOT NULL"
	}
	return column + " IS NULL"
}

// nullable writes any operator of such a column.
func nullable(d Dialect, column string, l *Leaf) string {
	switch l.Operator {
	case Exists:
		return exists(column, l)
	case Ne, Nin:
		return column + " IS NULL OR " + compare(d, column, l)
	default:
		return column + " IS NOT NULL AND " + compare(d, column, l)
	}
}

// comparisons are the operators of SQL.
var comparisons = map[Operator]string{Eq: " = ", Ne: " <> ", Gt: " > ", Gte: " >= ", Lt: " < ", Lte: " <= "}

// compare writes an operator of a column that is not null. Texts are compared as
// the column's collation does, which is by bytes.
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
