package posting

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"

	"mneme/acl"
)

// Changes are the changes of one transaction to the index, collected in memory.
// Nearly every entry of an import changes the same blocks and totals; each is
// written once.
type Changes struct {
	layout   Layout
	postings map[List][]Posting // in the order of the changes
	size     int                // number of postings
	totals   map[totalKey]counts
}

// Total is the change in the number and total length of a store's documents at
// one label.
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

// Replace replaces the forward document of an entry. old is the stored one, next
// the new one; nil means none. It reports whether they differ. The error is
// ErrTerms if the terms of either are corrupt.
func (c *Changes) Replace(old, next *Document) (changed bool, err error) {
	if old == next || old != nil && next != nil && old.equal(next) {
		return false, nil
	}
	// Removals go first: the last change of a posting wins.
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

// add records that a document is added (sign 1) or removed (-1).
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
	return c.layout.DecodeTerms(d.Terms, func(key []byte, count uint32) {
		if sign < 0 {
			count = 0
		}
		c.size++
		list := List{d.Store, string(key), d.Label}
		c.postings[list] = append(c.postings[list], Posting{Doc: d.Doc, Count: count, Length: length})
	})
}

// addAll adds the changes of o, which were made after those of c. It does not retain
// memory of o.
func (c *Changes) addAll(o *Changes) {
	if c.postings == nil {
		c.postings = make(map[List][]Posting, len(o.postings))
	}
	if c.totals == nil {
		c.totals = make(map[totalKey]counts, len(o.totals))
	}
	for list, postings := range o.postings {
		c.postings[list] = append(c.postings[list], postings...)
	}
	c.size += o.size
	for key, t := range o.totals {
		before := c.totals[key]
		c.totals[key] = counts{before.documents + t.documents, before.length + t.length}
	}
}

// Size returns the number of collected postings, of at least 16 bytes each.
func (c *Changes) Size() int { return c.size }

// TakeTotals returns the non-zero totals, ordered by store and label, and resets
// them.
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

// resetPostings discards the collected postings.
func (c *Changes) resetPostings() { c.postings, c.size = nil, 0 }

// lists returns the changed lists, in order.
func (c *Changes) lists() []List { return slices.SortedFunc(maps.Keys(c.postings), List.compare) }

// sortByDoc sorts changes by docID. Changes of one docID keep their order.
func sortByDoc(changes []Posting) {
	slices.SortStableFunc(changes, func(a, b Posting) int { return cmp.Compare(a.Doc, b.Doc) })
}
