// Package posting is an inverted index for BM25 whose blocks a storage stores as rows of a
// database. The package encodes blocks and forward documents, evaluates queries, and
// collects the changes of a transaction. The storage reads and writes blocks, and resolves
// docIDs to entries.
//
// Every posting list belongs to one store, one term and one label. A query is
// evaluated exhaustively over the lists of its scope: the storage feeds their
// blocks to an [Evaluation], which counts and scores them. Document frequencies
// are therefore exact, and documents outside the scope do not influence a
// score.
//
// A transaction collects its changes in a [PackedWriter] or an
// [AlignedWriter], one for each [Layout], and flushes them before it commits.
// The writer decides which blocks are appended to, rewritten or deleted.
//
// docs/decisions/0018-posting-engine.md explains why there are two layouts.
package posting

import (
	"cmp"
	"errors"
	"strings"

	"mneme/acl"
	"mneme/lexical"
)

// Errors for stored data that cannot be decoded.
var (
	ErrBlock = errors.New("corrupt block of postings")
	ErrTerms = errors.New("corrupt terms of a document")
)

// DocKey identifies a document by the number of its store and its docID. DocIDs
// are not negative and never reused. They are unique at least within a store.
type DocKey struct{ Store, Doc int64 }

// List identifies a posting list. Term is a key made by [Layout.TermKey].
type List struct {
	Store int64
	Term  string
	Label acl.Label
}

// compare orders lists as a storage's primary key does, so that blocks are
// written in the order of their pages.
func (l List) compare(o List) int {
	return cmp.Or(cmp.Compare(l.Store, o.Store), strings.Compare(l.Term, o.Term), cmp.Compare(l.Label, o.Label))
}

// Posting records that a document contains a term.
type Posting struct {
	Doc    int64
	Count  uint32 // occurrences of the term; 0 in a change removes the posting
	Length uint32 // length of the document in tokens
}

// Block is a contiguous part of a posting list. Start is a lower bound of its
// docIDs, and greater than all docIDs of the preceding blocks.
type Block struct {
	List
	Start int64
	Data  []byte
}

// Document is a forward document: the terms by which an entry is indexed. A storage stores
// it with the entry, so that its postings can be removed later.
type Document struct {
	DocKey
	Label  acl.Label
	Length int    // in tokens
	Terms  []byte // encoded by Layout.EncodeTerms
}

// Layout is an encoding of blocks and of forward documents: [Packed] or
// [Aligned].
type Layout interface {
	// TermKey returns the stored form of a term.
	TermKey(term string) string
	// EncodeTerms encodes terms, which must be sorted by Text. The result is
	// never nil.
	EncodeTerms(terms []lexical.Term) []byte
	// DecodeTerms calls yield with the key and count of each term, in order. A
	// key is valid during the call only. The error is ErrTerms if data is
	// corrupt; terms before the corruption may have been yielded.
	DecodeTerms(data []byte, yield func(key []byte, count uint32)) error
	// DecodeBlock appends the postings of the block that starts at start to
	// dst. The error is ErrBlock if data is corrupt.
	DecodeBlock(dst []Posting, start int64, data []byte) ([]Posting, error)
}

// AppendHashed appends the encoded terms of a document in hashed form; the result is not nil. The
// error is ErrTerms if they are corrupt.
func AppendHashed(dst []lexical.HashedTerm, layout Layout, terms []byte) ([]lexical.HashedTerm, error) {
	if dst == nil {
		dst = []lexical.HashedTerm{}
	}
	err := layout.DecodeTerms(terms, func(key []byte, count uint32) {
		dst = append(dst, lexical.NewHashedTerm(key, int(min(count, lexical.MaxTermCount))))
	})
	return dst, err
}
