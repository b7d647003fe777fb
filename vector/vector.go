// Package vector defines the interface of a vector index. Its implementations
// are vector/flat, an exact scan in the process, and vector/milvus, a Milvus
// server. Each must pass the conformance suite in vector/vectortest.
package vector

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
)

// Record is the vector of one chunk of one entry.
type Record struct {
	Entry  uuid.UUID
	Chunk  int       // from 0
	Store  int64     // the store's internal number, > 0
	Label  acl.Label // the entry's label
	Vector Half      // unit length, of the index's dimension
	// Codes are the codes of the chunk's tokens (see embed.Passage); nil if there are none or
	// if they were not read. The database stores them with the vector; an index does not.
	Codes []byte
}

// ChunkID identifies one chunk of one entry.
type ChunkID struct {
	Entry uuid.UUID
	Chunk int // from 0
}

// Query asks for the entries nearest to a vector.
type Query struct {
	Vector []float32   // unit length, of the index's dimension
	Limit  int         // number of entries to return, > 0
	Only   []uuid.UUID // if not nil, the only entries to consider, at most MaxOnly
}

// MaxOnly is the maximum length of Query.Only.
const MaxOnly = 1000

// Hit is one entry with the cosine of its best chunk, in [-1, 1].
type Hit struct {
	Entry uuid.UUID
	Score float64
	Chunk int // of the best chunk; if several have this score, any of them
}

// Index finds the nearest entries. It is derived from the database and may lag behind it, so
// callers must check its results against the database. An index holds vectors of one
// fingerprint only. Implementations must be safe for concurrent use.
type Index interface {
	// Upsert replaces the vectors of the records' entries. Chunks of these
	// entries that are not among the records are removed. All records of one
	// entry must come in one call.
	Upsert(ctx context.Context, records []Record) error

	// Delete removes every chunk of the entries. Unknown entries are ignored.
	Delete(ctx context.Context, entries []uuid.UUID) error

	// Search returns the entries of the scope that are nearest to the query, best first. Each
	// is returned once, with the score and number of its best chunk. Entries outside the scope
	// are excluded by store and label before anything is ranked or counted. An exact index
	// returns Limit entries and all that tie with the last of them; equal ones have no defined
	// order. An approximate index may miss some. An empty scope gives no hits.
	Search(ctx context.Context, scope acl.Scope, query Query) ([]Hit, error)
}

// Bounded is an Index whose searches consider a bounded number of chunks, so that they may
// return fewer than Limit entries even if there are more.
type Bounded interface {
	// SearchBounded is Search. cut reports whether hits may be missing that would be missing
	// even with a greater Limit.
	SearchBounded(ctx context.Context, scope acl.Scope, query Query) (hits []Hit, cut bool, err error)
}

// Local is an Index in this process, whose searches end soon after their context does.
type Local interface {
	// AtMost reports whether a search in the scope can begin at once and compares at most n
	// chunks.
	AtMost(scope acl.Scope, n int) bool
}

// IndexedEntry identifies what an index holds of one entry.
type IndexedEntry struct {
	Entry uuid.UUID
	// Digest is the sum of the digests of the entry's records in the index,
	// modulo 2^64.
	Digest uint64
}

// Lister is an Index that can list its contents for comparison with the rows.
type Lister interface {
	// List calls yield once for each entry, ordered by id. It stops at the
	// first error of yield and returns it. Entries written or deleted during
	// the call may or may not be listed.
	List(ctx context.Context, yield func(IndexedEntry) error) error
}

// Settler is an Index whose searches may lag behind its writes.
type Settler interface {
	// Settle blocks until searches see every write that returned before it
	// was called.
	Settle(ctx context.Context) error
}
