package posting

import "mneme/lexical"

// everyByte is for those who ask for all keys.
var everyByte = func() (all [256]bool) {
	for i := range all {
		all[i] = true
	}
	return all
}()

// TermCounter counts the terms of one query in forward documents. It is safe for
// concurrent use.
type TermCounter struct {
	layout  Layout
	indexes map[string]int // of the query's terms, by key
	first   [256]bool      // the first bytes of keys: most terms of a document begin otherwise
}

// NewTermCounter returns a counter of a query's terms in documents of a layout.
func NewTermCounter(layout Layout, terms []lexical.QueryTerm) *TermCounter {
	c := &TermCounter{layout: layout, indexes: make(map[string]int, len(terms))}
	for i, t := range terms {
		key := layout.TermKey(t.Text)
		c.indexes[key] = i
		if key != "" {
			c.first[key[0]] = true
		}
	}
	return c
}

// Count returns how often each term of the query is among the encoded terms of a
// document: the counts that the document's postings have. They are in buffer, whose
// content is dropped, if it has room. The error is ErrTerms if the terms are corrupt.
func (c *TermCounter) Count(buffer []int, terms []byte) ([]int, error) {
	if buffer == nil || cap(buffer) < len(c.indexes) {
		buffer = make([]int, len(c.indexes))
	}
	counts := buffer[:len(c.indexes)]
	clear(counts)
	err := c.layout.decodeTerms(terms, &c.first, func(key []byte, count uint32) {
		if i, ok := c.indexes[string(key)]; ok {
			counts[i] = int(count)
		}
	})
	return counts, err
}

// Keys yields the key of each of the encoded terms of a document, in their order; each is
// valid until yield returns. The error is ErrTerms if the terms are corrupt.
func (c *TermCounter) Keys(terms []byte, yield func(key []byte)) error {
	return c.layout.decodeTerms(terms, &everyByte, func(key []byte, _ uint32) { yield(key) })
}
