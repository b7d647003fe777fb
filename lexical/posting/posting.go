// Package posting is an inverted index for BM25 whose blocks another package
// keeps, as rows of a database. It owns the encoding of blocks and of forward
// documents, the evaluation of a question, and the changes that a transaction
// makes. The storage reads and writes blocks, and resolves document IDs to
// entries.
//
// Every posting list belongs to one store, one term and one label. A question
// is evaluated exhaustively over the lists of its scope: the storage feeds
// their blocks to an [Evaluation], which counts and scores them. So document
// frequencies are exact, and documents outside the scope have no part in a
// score.
//
// A transaction collects its changes in a [PackedWriter] or an
// [AlignedWriter], one for each [Layout], and flushes them before it commits.
// The writer decides which blocks are appended to, rewritten or deleted.
//
// docs/decisions/0018-posting-engine.md says why there are two layouts.
package posting

import (
	"cmp"
	"errors"
	"strings"

	"mneme/acl"
	"mneme/lexical"
)

// Errors of stored data that cannot be decoded.
var (
	ErrBlock = errors.New("a block of postings is damaged")
	ErrTerms = errors.New("a document's terms are damaged")
)

// DocKey identifies a document: the number of its store, and its docID there.
// DocIDs are not negative and never reused. They are unique within a store,
// or within the database.
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

// Posting says that a document holds a term.
type Posting struct {
	Doc    int64
	Count  uint32 // of the term in the document; 0 in a change: the posting is removed
	Length uint32 // of the document, in tokens
}

// Block is a stretch of a posting list. Start is a lower bound of its docIDs,
// and above those of the blocks before it.
type Block struct {
	List
	Start int64
	Data  []byte
}

// Document is a forward document: what an entry is indexed by. A storage keeps
// it with the entry, so that exactly these postings can be removed again.
type Document struct {
	DocKey
	Label  acl.Label
	Length int    // in tokens
	Terms  []byte // by Layout.EncodeTerms
}

// Layout is an encoding of blocks and of forward documents: [Packed] or
// [Aligned].
type Layout interface {
	// TermKey is the form in which the storage keeps a term.
	TermKey(term string) string
	// EncodeTerms encodes terms that are sorted by Text. The result is not nil.
	EncodeTerms(terms []lexical.Term) []byte
	// DecodeTerms calls yield with the key and the count of each term, in
	// order. Its error is ErrTerms.
	DecodeTerms(data []byte, yield func(term string, count uint32)) error
	// DecodeBlock appends the postings of a block to dst. Its error is
	// ErrBlock.
	DecodeBlock(dst []Posting, start int64, data []byte) ([]Posting, error)
}
