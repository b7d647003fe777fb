package condition

import "strings"

// Formula writes the node in a query language with AND, OR, NOT and parentheses, whose
// formulas are true or false, never null. leaf writes a comparison. If leaf cannot write
// it exactly, it writes a formula that holds at least where the comparison does if wide is
// set, and otherwise one that holds at most where it does. The result then holds at least
// where the node does.
func (n *Node) Formula(leaf func(l *Leaf, wide bool) string) string {
	var b strings.Builder
	n.write(&b, leaf, true)
	return b.String()
}

func (n *Node) write(b *strings.Builder, leaf func(*Leaf, bool) string, wide bool) {
	b.WriteByte('(')
	switch n.Kind {
	case Comparison:
		b.WriteString(leaf(&n.Leaf, wide))
	case Not:
		b.WriteString("NOT ")
		n.Parts[0].write(b, leaf, !wide)
	case And, Or:
		for i := range n.Parts {
			switch {
			case i == 0:
			case n.Kind == And:
				b.WriteString(" AND ")
			default:
				b.WriteString(" OR ")
			}
			n.Parts[i].write(b, leaf, wide)
		}
	}
	b.WriteByte(')')
}
