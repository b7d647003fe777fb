package memory

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/vector"
)

// ScoreReader reads the data for scoring a search's candidates, within a scope. It ignores
// entries outside the scope and deleted ones.
type ScoreReader interface {
	// Evidence yields the data for scoring entries, in no defined order. For each entry, it
	// yields one Evidence per chunk for each fingerprint of the query under which the entry has
	// vectors. For an entry without such vectors, it yields one Evidence without a vector.
	// Slices of a yielded Evidence are valid only until yield returns, and yield must not use
	// the transaction. An error of yield ends the call and is returned.
	Evidence(ctx context.Context, scope acl.Scope, q EvidenceQuery, yield func(Evidence) error) error
	// ChunkCodes returns the token codes of chunks under a fingerprint: one element per chunk,
	// in their order, nil for a chunk without codes.
	ChunkCodes(ctx context.Context, scope acl.Scope, fingerprint string, chunks []vector.ChunkID) ([][]byte, error)
	// VectorChanges returns the entries whose vectors have changed since a position, at most
	// limit. It includes entries of all scopes. They are only for refreshing caches, and must
	// not be shown to anybody.
	VectorChanges(ctx context.Context, after int64, limit int) (VectorChanges, error)
}

// VectorChanges are changes of entries' vectors. Their positions are consecutive, in commit
// order.
type VectorChanges struct {
	Last    int64       // position of the last change in the snapshot; 0: none
	Entries []uuid.UUID // entries of the changes after the given position, each at least once
	// Partial says that Entries is incomplete: there are more changes than the limit, or the
	// records of some were removed.
	Partial bool
}

// EvidenceQuery asks for the data for scoring entries.
type EvidenceQuery struct {
	Fingerprints [2]string // of the vectors, one per model; "": do not read that model's vectors
	Entries      []uuid.UUID
	VectorsOnly  bool // do not read Terms, Length and Codes
}

// Evidence is the data for scoring an entry and one of its chunks.
type Evidence struct {
	Entry uuid.UUID
	// Terms are the terms of a searchable entry, and Length is its length in tokens.
	// lexical.Scorer.Score gives for the counts of a query's terms and Length exactly the score
	// by which Lexical ranks the entry. Only one Evidence of each entry has them: that of its
	// first chunk, or that without a vector. In the others Terms is nil.
	Terms  []lexical.HashedTerm
	Length int
	Model  int         // of the vector: 0 or 1, an index of the query's Fingerprints
	Chunk  int         // from 0
	Vector vector.Half // of the chunk; empty: the entry has no vectors
	// Codes are the token codes of the entry's first chunk. Most entries have only one chunk,
	// and then need no call of ChunkCodes.
	Codes []byte
}
