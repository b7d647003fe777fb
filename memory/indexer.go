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
	// Serving returns the models that can embed questions now: first the main model, for
	// English or for every language, then the model for texts that the main one cannot read, if
	// it has made vectors. It returns none while the main model does not serve.
	Serving() []Model
	// Wake announces that rows were written whose vectors must be updated. It never blocks.
	Wake()
	// Hold makes embedding yield to a write in progress. It ends when Release has been called
	// as often as Hold. Meanwhile embedding still gets a share of the CPUs. Neither call
	// blocks.
	Hold()
	Release()
	// WaitIndexed waits until a search in this process can return an entry or the entry no
	// longer exists, and reports whether that happened before ctx ended.
	WaitIndexed(ctx context.Context, id uuid.UUID) bool
	// RemoveVectors removes entries from the serving index.
	RemoveVectors(ctx context.Context, ids []uuid.UUID) error
}

// Model is an embedder with the index of its vectors.
type Model struct {
	Embedder    embed.Embedder
	Fingerprint string // of the vectors in Index
	Index       vector.Index
	EnglishOnly bool // texts in other languages are read by another model
	// MaxLabel is the highest label of the entries, and of the sessions with questions, whose
	// texts the embedder receives. 0 means all labels.
	MaxLabel acl.Label
}

// Reads reports whether the embedder receives texts of a label.
func (m Model) Reads(label acl.Label) bool { return m.MaxLabel == 0 || label.CanFlowTo(m.MaxLabel) }

// noIndexer is the Indexer of a Service without one.
type noIndexer struct{}

func (noIndexer) Serving() []Model                                 { return nil }
func (noIndexer) Wake()                                            {}
func (noIndexer) Hold()                                            {}
func (noIndexer) Release()                                         {}
func (noIndexer) WaitIndexed(context.Context, uuid.UUID) bool      { return false }
func (noIndexer) RemoveVectors(context.Context, []uuid.UUID) error { return nil }
