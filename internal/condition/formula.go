package condition

import "strings"

// Formula writes the node in a query language with AND, OR, NOT and parentheses, in which a
// formula is true or false, never null. leaf writes one comparison. If leaf cannot express the
// comparison exactly, it approximates it. With wide, the approximation must be true wherever
// the comparison is; without wide (below a NOT), it must be false wherever the comparison is.
// The result is then true for every entry that fits the node, and perhaps for others.
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
