package memory

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed"
	"mneme/vector"
)

// Indexer keeps the vectors up to date with the rows. Package indexer
// implements it.
type Indexer interface {
	// Serving returns the models that answer questions now: that of English or of
	// everything, and if it has made vectors, that of what the first cannot read. There
	// is none while the first does not serve.
	Serving() []Model
	// Wake says that rows were written whose vectors must follow. It never
	// blocks.
	Wake()
	// Hold has the making of vectors give way to a write in progress, until Release has
	// been called as often. It keeps a share of the processors. Neither blocks.
	Hold()
	Release()
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
	EnglishOnly bool // another model reads what is foreign to this one
	// MaxLabel is the highest label of entries that the embedder is sent, and of sessions
	// whose questions it is; 0: of all.
	MaxLabel acl.Label
}

// Reads reports whether the embedder is sent texts of a label.
func (m Model) Reads(label acl.Label) bool { return m.MaxLabel == 0 || label.CanFlowTo(m.MaxLabel) }

// noIndexer is the Indexer of a Service that was given none.
type noIndexer struct{}

func (noIndexer) Serving() []Model                                 { return nil }
func (noIndexer) Wake()                                            {}
func (noIndexer) Hold()                                            {}
func (noIndexer) Release()                                         {}
func (noIndexer) WaitIndexed(context.Context, uuid.UUID) bool      { return false }
func (noIndexer) RemoveVectors(context.Context, []uuid.UUID) error { return nil }
