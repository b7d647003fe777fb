package lexical

import "hash/maphash"

// HashedTerm is a term of a document and its count, without the text of the term: to count the
// terms of queries in many documents, and to compare documents. The upper 56 bits are a hash of
// the term, which is another one in each process, and the lower 8 bits the count. Two terms have
// the same hash with a probability of 2⁻⁵⁶.
type HashedTerm uint64

const hashedCountBits = 8

var hashSeed = maphash.MakeSeed()

// NewHashedTerm returns a term with its count, 1 to MaxTermCount.
func NewHashedTerm(text []byte, count int) HashedTerm {
	return HashedTerm(maphash.Bytes(hashSeed, text)<<hashedCountBits | uint64(count))
}

// HashTerms returns the hashed terms of a document, in their order. They are not nil.
func HashTerms(terms []Term) []HashedTerm {
	hashed := make([]HashedTerm, len(terms))
	for i, t := range terms {
		hashed[i] = NewHashedTerm([]byte(t.Text), t.Count)
	}
	return hashed
}

// Hash returns the hash of the term.
func (t HashedTerm) Hash() uint64 { return uint64(t) >> hashedCountBits }

// Count returns how often the document contains the term.
func (t HashedTerm) Count() int { return int(t & MaxTermCount) }

// TermCounter counts the terms of one query in documents. It is safe for concurrent use.
type TermCounter struct {
	terms map[uint64]int // indexes of the query's terms, by hash
	// likely has a bit for each value of the lower bits of a hash. It is set if the query has a
	// term with it, so that most terms of a document need no further look.
	likely [16]uint64
}

// NewTermCounter returns a counter of a query's terms, which must be distinct.
func NewTermCounter(query []QueryTerm) *TermCounter {
	c := &TermCounter{terms: make(map[uint64]int, len(query))}
	for i, t := range query {
		hash := NewHashedTerm([]byte(t.Text), 0).Hash()
		c.terms[hash] = i
		c.likely[hash>>6%16] |= 1 << (hash % 64)
	}
	return c
}

// Count sets counts to how often a document contains each term of the query, in their order.
// counts has an element for each term.
func (c *TermCounter) Count(counts []int, document []HashedTerm) {
	clear(counts)
	for _, t := range document {
		hash := t.Hash()
		if c.likely[hash>>6%16]>>(hash%64)&1 == 0 {
			continue
		}
		if i, ok := c.terms[hash]; ok {
			counts[i] = t.Count()
		}
	}
}
