package condition

// Keys are field values of every entry that fits a condition, by which a storage may find
// the entries. Zero fields are not fixed.
type Keys struct {
	Namespace, Key *string
	Type           string
	Tags           []string // all of them
	NotEncrypted   bool
}

// Keys returns the keys of a condition; zero for nil.
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

// ValuePart returns the conjuncts of a condition that read values: they decide once a
// query checks the other conjuncts. alone reports whether they read no other field except
// whether the entry is encrypted.
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
