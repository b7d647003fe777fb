package memory

import (
	"context"

	"github.com/google/uuid"

	"mneme/embed"
	"mneme/vector"
)

// Indexer keeps the vectors up to date with the rows. Package indexer
// implements it.
type Indexer interface {
	// Serving returns the model that answers questions now; ok is false while
	// there is none.
	Serving() (model Model, ok bool)
	// Wake says that rows were written whose vectors must follow. It never
	// blocks.
	Wake()
	// WaitIndexed waits until a search in this process can return an entry,
	// or the entry is gone, and reports whether that happened before ctx
	// ended.
	WaitIndexed(ctx context.Context, id uuid.UUID) bool
	// RemoveVectors removes entries from the index that serves.
	RemoveVectors(ctx context.Context, ids []uuid.UUID) error
}

// Model is an embedder with the index that holds the vectors it made.
type Model struct {
	Embedder    embed.Embedder
	Fingerprint string // of the vectors in Index
	Index       vector.Index
}

// noIndexer is the Indexer of a Service that was given none.
type noIndexer struct{}

func (noIndexer) Serving() (Model, bool)                           { return Model{}, false }
func (noIndexer) Wake()                                            {}
func (noIndexer) WaitIndexed(context.Context, uuid.UUID) bool      { return false }
func (noIndexer) RemoveVectors(context.Context, []uuid.UUID) error { return nil }
