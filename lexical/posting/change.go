package posting

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"

	"mneme/acl"
)

// Changes are what one transaction changes in the index, collected in memory:
// an import touches the same blocks and totals with nearly each of its
// entries, and so writes each once.
type Changes struct {
	layout   Layout
	postings map[List][]Posting // in the order in which they were made
	size     int                // of postings
	totals   map[totalKey]counts
}

// Total says by how much the documents of a store at a label change.
type Total struct {
	Store     int64
	Label     acl.Label
	Documents int64
	Length    int64 // in tokens
}

type (
	totalKey struct {
		store int64
		label acl.Label
	}
	counts struct{ documents, length int64 }
)

// Replace replaces what an entry is indexed by: old is the stored forward
// document, next the new one; nil: none. It reports whether they differ.
func (c *Changes) Replace(old, next *Document) (changed bool, err error) {
	if old == next || old != nil && next != nil && old.equal(next) {
		return false, nil
	}
	// Removals before additions: of two changes of one posting the later wins.
	if old != nil {
		if err := c.add(old, -1); err != nil {
			return false, err
		}
	}
	if next != nil {
		return true, c.add(next, 1)
	}
	return true, nil
}

func (d *Document) equal(o *Document) bool {
	return d.DocKey == o.DocKey && d.Label == o.Label && d.Length == o.Length && bytes.Equal(d.Terms, o.Terms)
}

// add notes a document that is added (sign 1) or removed (-1).
func (c *Changes) add(d *Document, sign int64) error {
	if c.postings == nil {
		c.postings = make(map[List][]Posting)
	}
	if c.totals == nil {
		c.totals = make(map[totalKey]counts)
	}
	key := totalKey{d.Store, d.Label}
	t := c.totals[key]
	c.totals[key] = counts{t.documents + sign, t.length + sign*int64(d.Length)}
	length := uint32(min(d.Length, math.MaxUint32))
	return c.layout.DecodeTerms(d.Terms, func(term string, count uint32) {
		if sign < 0 {
			count = 0
		}
		c.size++
		list := List{d.Store, term, d.Label}
		c.postings[list] = append(c.postings[list], Posting{Doc: d.Doc, Count: count, Length: length})
	})
}

// Size is how many postings wait to be flushed, 16 bytes or more each.
func (c *Changes) Size() int { return c.size }

// TakeTotals returns the changed totals, ordered by store and label, and
// forgets them.
func (c *Changes) TakeTotals() []Total {
	var totals []Total
	for key, t := range c.totals {
		if t != (counts{}) {
			totals = append(totals, Total{Store: key.store, Label: key.label, Documents: t.documents, Length: t.length})
		}
	}
	clear(c.totals)
	slices.SortFunc(totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Store, b.Store), cmp.Compare(a.Label, b.Label))
	})
	return totals
}

// forget drops the collected postings.
func (c *Changes) forget() { c.postings, c.size = nil, 0 }

// lists are the changed lists, in order.
func (c *Changes) lists() []List { return slices.SortedFunc(maps.Keys(c.postings), List.compare) }

// sortByDoc keeps the order of changes of one docID.
func sortByDoc(changes []Posting) {
	slices.SortStableFunc(changes, func(a, b Posting) int { return cmp.Compare(a.Doc, b.Doc) })
}
