package condition

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"mneme/acl"
	"mneme/internal/period"
)

// Entry has the fields of an entry that conditions read. Nil times, an empty Type and
// empty Tags are absent.
type Entry struct {
	Key, Namespace, Type  string
	Tags                  []string
	OwnerID, UpdatedBy    string
	Label                 acl.Label
	Encrypted             bool
	CreatedAt, UpdatedAt  time.Time
	OccurredAt, ExpiresAt *time.Time
	Dated                 bool // OccurredAt is the first instant of a year, month or day
	// Value is a JSON value; nil if it is unknown.
	Value json.RawMessage
}

// Verdict is the result of a condition for an entry.
type Verdict int8

// The verdicts. An entry whose Value is nil may be Unknown.
const (
	No Verdict = iota
	Unknown
	Yes
)

func verdictOf(fits bool) Verdict {
	if fits {
		return Yes
	}
	return No
}

// Fits reports whether an entry with a known Value fits the condition.
func (c *Condition) Fits(e *Entry) bool { return c.Judge(e) == Yes }

// Judge returns the verdict for an entry. It is Unknown if it depends on the value and the
// entry's Value is nil.
func (c *Condition) Judge(e *Entry) Verdict {
	var found [][][]byte
	if c.paths > 0 && e.Value != nil && !e.Encrypted {
		found = c.members.find(e.Value, c.paths)
	}
	return c.root.judge(e, found)
}

// judge evaluates a node. found has the members of the value by number, as members.find
// returns them.
func (n *Node) judge(e *Entry, found [][][]byte) Verdict {
	switch n.Kind {
	case And:
		verdict := Yes
		for i := range n.Parts {
			if verdict = min(verdict, n.Parts[i].judge(e, found)); verdict == No {
				break
			}
		}
		return verdict
	case Or:
		verdict := No
		for i := range n.Parts {
			if verdict = max(verdict, n.Parts[i].judge(e, found)); verdict == Yes {
				break
			}
		}
		return verdict
	case Not:
		return Yes - n.Parts[0].judge(e, found)
	default:
		return n.Leaf.judge(e, found)
	}
}

func (l *Leaf) judge(e *Entry, found [][][]byte) Verdict {
	switch l.Field {
	case Key:
		return l.judgeText(e.Key, true)
	case Namespace:
		return l.judgeText(e.Namespace, true)
	case EntryType:
		return l.judgeText(e.Type, e.Type != "")
	case Tags:
		return verdictOf(l.Operator == Exists && l.Operands[0].Bool == (len(e.Tags) > 0) ||
			l.Operator == Contains && slices.Contains(e.Tags, l.Operands[0].Text))
	case OwnerID:
		return l.judgeText(e.OwnerID, true)
	case UpdatedBy:
		return l.judgeText(e.UpdatedBy, true)
	case LabelName:
		return verdictOf(l.holds(true, func(o *Operand) int { return cmp.Compare(e.Label, o.Label) }))
	case Encrypted:
		return verdictOf((e.Encrypted == l.Operands[0].Bool) == (l.Operator == Eq))
	case CreatedAt:
		return l.judgeTime(&e.CreatedAt, false)
	case UpdatedAt:
		return l.judgeTime(&e.UpdatedAt, false)
	case OccurredAt:
		return l.judgeTime(e.OccurredAt, e.Dated)
	case ExpiresAt:
		return l.judgeTime(e.ExpiresAt, false)
	case Value:
		switch {
		case e.Encrypted:
			return l.judgeMember(nil)
		case e.Value == nil:
			return Unknown
		case found == nil:
			return l.judgeMember(nil)
		}
		return l.judgeMembers(found[l.member])
	}
	return No
}

// holds evaluates every operator except Prefix and Contains. compare compares a present
// field with an operand.
func (l *Leaf) holds(present bool, compare func(*Operand) int) bool {
	if l.Operator == Exists {
		return l.Operands[0].Bool == present
	}
	if !present {
		return l.Operator == Ne || l.Operator == Nin
	}
	switch l.Operator {
	case In, Nin:
		among := slices.ContainsFunc(l.Operands, func(o Operand) bool { return compare(&o) == 0 })
		return among == (l.Operator == In)
	case Eq:
		return compare(&l.Operands[0]) == 0
	case Ne:
		return compare(&l.Operands[0]) != 0
	case Gt:
		return compare(&l.Operands[0]) > 0
	case Gte:
		return compare(&l.Operands[0]) >= 0
	case Lt:
		return compare(&l.Operands[0]) < 0
	case Lte:
		return compare(&l.Operands[0]) <= 0
	default:
		return false
	}
}

func (l *Leaf) judgeText(text string, present bool) Verdict {
	switch l.Operator {
	case Prefix:
		return verdictOf(present && strings.HasPrefix(text, l.Operands[0].Text))
	case Contains:
		return verdictOf(present && strings.Contains(text, l.Operands[0].Text))
	default:
		return verdictOf(l.holds(present, func(o *Operand) int { return strings.Compare(text, o.Text) }))
	}
}

func (l *Leaf) judgeTime(t *time.Time, dated bool) Verdict {
	return verdictOf(l.holds(t != nil, func(o *Operand) int { return o.span(dated).Compare(*t) }))
}

// span returns the span of a TimeType operand for an entry.
func (o *Operand) span(dated bool) period.Span {
	if dated {
		return o.Dated
	}
	return o.Time
}

// judgeMembers compares the members at one path, several if the path crosses an array: one
// of them must fit, or all of them for a negative operator.
func (l *Leaf) judgeMembers(found [][]byte) Verdict {
	if len(found) == 0 {
		return l.judgeMember(nil)
	}
	all := l.Operator == Ne || l.Operator == Nin || l.Operator == Exists && !l.Operands[0].Bool
	for _, text := range found {
		if fits := l.judgeMember(text) == Yes; fits != all {
			return verdictOf(fits)
		}
	}
	return verdictOf(all)
}

// judgeMember compares a member of a value, in JSON; nil or null is absent. A member of
// another type than the operands fits only Exists.
func (l *Leaf) judgeMember(text []byte) Verdict {
	if len(text) == 0 || text[0] == 'n' || l.Operator == Exists {
		return verdictOf(l.holds(len(text) > 0 && text[0] != 'n', nil))
	}
	switch {
	case typeOf(text) == jsonArray:
		return verdictOf(l.Operator == Contains && anyElement(text, func(element []byte) bool {
			return l.sameType(element) && l.compareMember(element)(&l.Operands[0]) == 0
		}))
	case !l.sameType(text):
		return No
	case l.Operands[0].Type == TextType:
		return l.judgeText(unquote(text), true)
	}
	return verdictOf(l.holds(true, l.compareMember(text)))
}

// sameType reports whether a JSON value is of the type of the operands.
func (l *Leaf) sameType(text []byte) bool { return typeOf(text) == jsonTypes[l.Operands[0].Type] }

// compareMember returns the comparison of a JSON value with operands of its type.
func (l *Leaf) compareMember(text []byte) func(*Operand) int {
	switch l.Operands[0].Type {
	case NumberType:
		n := parseNumber(string(text))
		return func(o *Operand) int { return n.compare(o.Number) }
	case BoolType:
		b := text[0] == 't'
		return func(o *Operand) int {
			if b == o.Bool {
				return 0
			}
			return 1
		}
	default:
		s := unquote(text)
		return func(o *Operand) int { return strings.Compare(s, o.Text) }
	}
}

// unquote decodes a JSON string.
func unquote(text []byte) string {
	if len(text) >= 2 && bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	var s string
	_ = json.Unmarshal(text, &s) // a value that is not JSON compares like ""
	return s
}
