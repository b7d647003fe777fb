package condition

// Keys are the values that some fields have in every entry that fits a condition. With them a
// storage can find the entries by an index. A zero field: entries with different values may
// fit.
type Keys struct {
	Namespace, Key *string
	Type           string
	Tags           []string // all of them
	NotEncrypted   bool
}

// Keys returns the Keys of a condition; the zero Keys for nil.
func (c *Condition) Keys() (k Keys) {
	if c == nil {
		return k
	}
	for _, l := range c.conjuncts() {
		switch o := &l.Operands[0]; {
		case l.Field == Tags && l.Operator == Contains:
			k.Tags = append(k.Tags, o.Text)
		case l.Operator != Eq:
		case l.Field == Namespace:
			k.Namespace = &o.Text
		case l.Field == Key:
			k.Key = &o.Text
		case l.Field == EntryType:
			k.Type = o.Text
		case l.Field == Encrypted:
			k.NotEncrypted = !o.Bool
		}
	}
	return k
}

// conjuncts returns the comparisons that must all hold for the condition to hold.
func (c *Condition) conjuncts() (leaves []*Leaf) {
	nodes := []Node{c.root}
	if c.root.Kind == And {
		nodes = c.root.Parts
	}
	for i := range nodes {
		if nodes[i].Kind == Comparison {
			leaves = append(leaves, &nodes[i].Leaf)
		}
	}
	return leaves
}

// ValuePart returns the conjuncts of a condition that read values. For entries that a query has
// selected by the other conjuncts, they decide whether the entry fits. alone reports whether
// they read no field but the value, apart from whether it is encrypted.
func (c *Condition) ValuePart() (part *Condition, alone bool) {
	nodes := []Node{c.root}
	if c.root.Kind == And {
		nodes = c.root.Parts
	}
	var parts []Node
	alone = true
	for i := range nodes {
		reads, others := false, false
		nodes[i].eachLeaf(func(l *Leaf) {
			reads = reads || l.Field == Value
			others = others || l.Field != Value && l.Field != Encrypted
		})
		if reads {
			parts = append(parts, nodes[i])
			alone = alone && !others
		}
	}
	return newCondition(join(And, parts).clone()), alone
}
