package posting

import "mneme/lexical"

// TermCounter counts the terms of one query in forward documents. It is safe for
// concurrent use.
type TermCounter struct {
	layout  Layout
	indexes map[string]int // of the query's terms, by key
}

// NewTermCounter returns a counter of a query's terms in documents of a layout.
func NewTermCounter(layout Layout, terms []lexical.QueryTerm) *TermCounter {
	c := &TermCounter{layout: layout, indexes: make(map[string]int, len(terms))}
	for i, t := range terms {
		c.indexes[layout.TermKey(t.Text)] = i
	}
	return c
}

// Count returns how often each term of the query is among the encoded terms of a
// document: the counts that the document's postings have. The error is ErrTerms if
// the terms are corrupt.
func (c *TermCounter) Count(terms []byte) ([]int, error) {
	counts := make([]int, len(c.indexes))
	err := c.layout.DecodeTerms(terms, func(key []byte, count uint32) {
		if i, ok := c.indexes[string(key)]; ok {
			counts[i] = int(count)
		}
	})
	return counts, err
}
