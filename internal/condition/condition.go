// Package condition defines the conditions by which searches, listings and exports select
// entries: a tree of comparisons under and, or and not.
//
// Parse reads a condition from JSON. Storages translate it into their query language by
// Node.Formula. Fits evaluates it for one entry, and defines its meaning.
package condition

import (
	"encoding/json"
	"time"

	"mneme/acl"
	"mneme/internal/period"
)

// Limits of a condition.
const (
	MaxBytes  = 65_536 // of its JSON text
	MaxLeaves = 64
	MaxDepth  = 8   // levels of and, or and not; an object of several members counts as an and
	MaxList   = 100 // operands of in and nin
	MaxText   = 512 // bytes of a string operand, and of the path of a member of the value
)

// Condition is a parsed condition. It is immutable.
type Condition struct {
	root    Node
	members *members // the members of the value that the condition reads
	paths   int      // number of members
}

// newCondition returns the condition of a tree. It numbers the members of the value that
// the tree reads.
func newCondition(root Node) *Condition {
	c := &Condition{root: root, members: &members{index: -1}}
	c.root.eachLeaf(func(l *Leaf) {
		if l.Field == Value {
			l.member = c.members.add(l.Path, &c.paths)
		}
	})
	return c
}

// Kind is the kind of a node.
type Kind int

// The kinds of nodes.
const (
	Comparison Kind = iota
	And             // all of Parts
	Or              // any of Parts
	Not             // not Parts[0]
)

// Node is a node of a condition.
type Node struct {
	Kind  Kind
	Parts []Node
	Leaf  Leaf // of a Comparison
}

// Leaf compares a field.
type Leaf struct {
	Field    Field
	Path     []string // of a Value: the names of the members, outermost first
	Operator Operator
	Operands []Operand // one; 1 to MaxList of In and Nin, all of one type

	member int // number of Path in Condition.members
}

// Operand is a value with which a field is compared. Its Type says which of the other fields
// has the value.
type Operand struct {
	Type   Type
	Text   string
	Number Number
	Bool   bool
	Label  acl.Label
	Time   period.Span // in UTC until At, which also sets relative times
	// Dated replaces Time in comparisons with an OccurredAt that is only a year, month or day:
	// these are the same in every zone.
	Dated period.Span

	relative bool // Time is now plus offset
	offset   time.Duration
	given    period.Period // unless relative
	written  string        // the time as it was written
}

// Root returns the root of the tree, which must not be changed.
func (c *Condition) Root() *Node { return &c.root }

// ReadsValue reports whether the condition compares members of the value.
func (c *Condition) ReadsValue() bool { return c.paths > 0 }

// Compare returns the condition of one comparison, unchecked.
func Compare(field Field, operator Operator, operands ...Operand) *Condition {
	return newCondition(Node{Leaf: Leaf{Field: field, Operator: operator, Operands: operands}})
}

// All returns the conjunction of conditions, in which nil always holds; nil if all are
// nil.
func All(conditions ...*Condition) *Condition {
	var parts []Node
	for _, c := range conditions {
		if c != nil {
			parts = append(parts, c.root)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return newCondition(join(And, parts).clone())
}

// Any returns the disjunction of conditions.
func Any(conditions ...*Condition) *Condition {
	parts := make([]Node, len(conditions))
	for i, c := range conditions {
		parts[i] = c.root
	}
	return newCondition(join(Or, parts).clone())
}

// At returns the condition with its relative times, such as now-7d, resolved at an
// instant, and its dates and times without zone in a zone.
func (c *Condition) At(now time.Time, zone *time.Location) *Condition {
	if c == nil {
		return nil
	}
	at := newCondition(c.root.clone())
	at.root.eachLeaf(func(l *Leaf) {
		for i := range l.Operands {
			switch o := &l.Operands[i]; {
			case o.relative:
				t := now.Add(o.offset).UTC().Truncate(time.Microsecond)
				*o = timeOperand(t.Format(time.RFC3339Nano), period.Of(t))
			case o.Type == TimeType:
				o.Time = o.given.In(zone)
			}
		}
	})
	return at
}

// join returns the junction of parts, or the part if there is only one. An And merges the
// parts of Ands among its parts.
func join(kind Kind, parts []Node) Node {
	if len(parts) == 1 {
		return parts[0]
	}
	n := Node{Kind: kind}
	for _, part := range parts {
		if kind == And && part.Kind == And {
			n.Parts = append(n.Parts, part.Parts...)
		} else {
			n.Parts = append(n.Parts, part)
		}
	}
	return n
}

func (n Node) clone() Node {
	n.Leaf.Operands = append([]Operand(nil), n.Leaf.Operands...)
	parts := make([]Node, len(n.Parts))
	for i, part := range n.Parts {
		parts[i] = part.clone()
	}
	n.Parts = parts
	return n
}

func (n *Node) eachLeaf(visit func(*Leaf)) {
	if n.Kind == Comparison {
		visit(&n.Leaf)
	}
	for i := range n.Parts {
		n.Parts[i].eachLeaf(visit)
	}
}

// MarshalJSON returns the canonical text of the condition: Parse returns the same
// condition for it, and conditions with the same text have the same meaning. Relative
// times stay relative.
func (c *Condition) MarshalJSON() ([]byte, error) { return json.Marshal(c.root.tree()) }

// tree returns a node in the form that encoding/json marshals.
func (n *Node) tree() any {
	if n.Kind == Comparison {
		return map[string]any{n.Leaf.Name(): map[string]any{string(n.Leaf.Operator): n.Leaf.operand()}}
	}
	parts := make([]any, len(n.Parts))
	for i := range n.Parts {
		parts[i] = n.Parts[i].tree()
	}
	switch n.Kind {
	case Not:
		return map[string]any{"not": parts[0]}
	case Or:
		return map[string]any{"or": parts}
	default:
		return map[string]any{"and": parts}
	}
}

func (l *Leaf) operand() any {
	if l.Operator != In && l.Operator != Nin {
		return l.Operands[0].json()
	}
	list := make([]any, len(l.Operands))
	for i := range l.Operands {
		list[i] = l.Operands[i].json()
	}
	return list
}

func (o *Operand) json() any {
	switch o.Type {
	case NumberType:
		return json.Number(o.Number.text)
	case BoolType:
		return o.Bool
	case LabelType:
		return o.Label
	case TimeType:
		return o.written
	default:
		return o.Text
	}
}
