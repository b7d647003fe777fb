// Package vector holds what every vector index has in common. Its children
// are the indexes: vector/flat scans exactly inside the process,
// vector/milvus asks a Milvus server; vector/vectortest is the suite that
// each must pass.
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
}

// Query asks for the entries nearest to a vector.
type Query struct {
	Vector []float32   // unit length, of the index's dimension
	Limit  int         // how many entries, > 0
	Only   []uuid.UUID // nil: all; else only these, at most MaxOnly of them
}

// MaxOnly is the most ids that Query.Only may have.
const MaxOnly = 1000

// Hit is one entry with the cosine of its best chunk, in [-1, 1].
type Hit struct {
	Entry uuid.UUID
	Score float64
}

// Index finds the nearest entries. It is derived from the rows, which decide:
// it may lag behind them, so what it returns is a hint to be checked there.
// An index holds vectors of one fingerprint. Implementations are safe for
// concurrent use.
type Index interface {
	// Upsert makes records the vectors of their entries: chunks of these
	// entries that records lacks are removed. All records of one entry come
	// in one call.
	Upsert(ctx context.Context, records []Record) error

	// Delete removes every chunk of the entries; unknown ones are no error.
	Delete(ctx context.Context, entries []uuid.UUID) error

	// Search returns the entries of the scope nearest to the query, best
	// first, each once with its best chunk. Store and label restrict before
	// anything is ranked or counted. An exact index returns the first Limit
	// and every further one that ties with the last of them, in no defined
	// order among equals; an approximate one may miss some. An empty scope
	// gives no hits.
	Search(ctx context.Context, scope acl.Scope, query Query) ([]Hit, error)
}

// Held is what an index holds of one entry.
type Held struct {
	Entry  uuid.UUID
	Chunks int
	Store  int64     // as written with the vectors, perhaps since outdated
	Label  acl.Label // likewise
	// Mixed says that the entry's chunks differ in store or label: an upsert
	// was cut off. Store and Label are those of one of them.
	Mixed bool
}

// Lister is an Index that can tell what it holds, so that it can be compared
// with the rows.
type Lister interface {
	// List calls yield once for each entry, in the order of their ids, and
	// ends at its first error, which it returns. An entry that is written or
	// deleted meanwhile may be told of or not.
	List(ctx context.Context, yield func(Held) error) error
}

// Settler is an Index whose searches may lag behind its writes.
type Settler interface {
	// Settle returns once searches see everything that was written before.
	Settle(ctx context.Context) error
}
