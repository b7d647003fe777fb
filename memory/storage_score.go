package memory

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/vector"
)

// ScoreReader reads what a search's candidates are scored by, within a scope.
// Entries outside the scope and deleted ones are ignored.
type ScoreReader interface {
	// Evidence yields what entries are scored by, in no defined order: for each
	// entry one Evidence per chunk and fingerprint of the query that it has a vector
	// under, or one without a vector. What a yielded Evidence refers to
	// is valid only until yield returns, and yield must not use the
	// transaction. An error of yield ends it and is returned.
	Evidence(ctx context.Context, scope acl.Scope, q EvidenceQuery, yield func(Evidence) error) error
	// ChunkCodes returns the codes of the tokens of chunks under a fingerprint,
	// in the order of chunks: nil for one that has none.
	ChunkCodes(ctx context.Context, scope acl.Scope, fingerprint string, chunks []vector.ChunkID) ([][]byte, error)
	// TermCounter returns what counts a query's terms in the Terms of Evidence that this
	// storage yielded, in this transaction or in an earlier one.
	TermCounter(query []lexical.QueryTerm) TermCounter
	// VectorChanges returns which entries' vectors have changed since a position, at
	// most limit of them. Entries of all scopes are among them: they say what to read
	// again, and must be shown to nobody.
	VectorChanges(ctx context.Context, after int64, limit int) (VectorChanges, error)
}

// TermCounter counts a query's terms in the terms of entries.
type TermCounter interface {
	// Count returns how often each term of the query is among an entry's terms, as
	// Evidence.Counts does, in buffer if that has room. It fails if the terms are damaged.
	Count(buffer []int, terms []byte) ([]int, error)
	// Keys yields a key of each of an entry's terms, in the storage's order: terms are the
	// same if their keys are. A key is valid until yield returns. It fails if the terms are
	// damaged.
	Keys(terms []byte, yield func(key []byte)) error
}

// VectorChanges are changes of entries' vectors. Positions count them, in the order in
// which they were committed.
type VectorChanges struct {
	Last    int64       // the position of the last change in the snapshot; 0: there is none
	Entries []uuid.UUID // what the changes after the given position were of, each at least once
	// Partial says that the entries are not known: there are more than the limit, or the
	// records of some were removed.
	Partial bool
}

// EvidenceQuery asks for what entries are scored by.
type EvidenceQuery struct {
	Terms        []lexical.QueryTerm
	Fingerprints [2]string // of the vectors, by model; "": none are read
	Entries      []uuid.UUID
	VectorsOnly  bool // neither Counts, Length nor Codes are read
}

// Evidence is what an entry and one of its chunks are scored by.
type Evidence struct {
	Entry uuid.UUID
	// Counts are how often a searchable entry contains each of the query's
	// terms, and Length is its length in tokens. lexical.Scorer.Score of them
	// has the bits of the score by which Lexical ranks the entry. They come
	// with the entry's first chunk, or without any; Counts is nil otherwise.
	Counts []int
	Length int
	// Terms are all terms of the entry, as the storage encodes them, where Counts is not
	// nil: see ScoreReader.TermCounter.
	Terms  []byte
	Model  int         // of the vector: 0 or 1, by the query's Fingerprints
	Chunk  int         // from 0
	Vector vector.Half // of the chunk; empty: the entry has no vectors
	// Codes are those of the chunk's tokens if it is the first one, so that
	// entries of one chunk, which are most, are read at once.
	Codes []byte
}
