package posting

import "mneme/lexical"

// everyByte makes decodeTerms yield all keys: it has every first byte.
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
	first   [256]bool      // first bytes of the keys: most terms of a document begin with other bytes
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

// Count returns the number of occurrences of each query term among the encoded terms of a
// document, as the document's postings have it. It overwrites and returns buffer if the
// buffer has room. The error is ErrTerms if the terms are corrupt.
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

// Keys yields the key of each encoded term of a document, in order; a key is valid until
// yield returns. The error is ErrTerms if the terms are corrupt.
func (c *TermCounter) Keys(terms []byte, yield func(key []byte)) error {
	return c.layout.decodeTerms(terms, &everyByte, func(key []byte, _ uint32) { yield(key) })
}
