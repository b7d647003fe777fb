package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Storage keeps the queue and the vectors in the database that keeps the
// rows. Its transactions are those of memory.Storage: View runs fn over one
// consistent snapshot; Update runs fn in one serialisable transaction, maybe
// more than once, and commits it if fn returns nil. The method ForIndexer of
// a storage returns it, and storage/storagetest holds its suite.
type Storage interface {
	View(ctx context.Context, fn func(ReadTx) error) error
	Update(ctx context.Context, fn func(Tx) error) error
}

// ReadTx is what the indexer reads in a transaction.
type ReadTx interface {
	RowReader
	QueueReader
	VectorReader
	memory.MetaReader
}

// Tx is what the indexer does in a writing transaction.
type Tx interface {
	ReadTx
	QueueWriter
	VectorWriter
	memory.MetaWriter
	memory.ReadingWriter
}

// RowReader reads the rows that vectors are made of.
type RowReader interface {
	// Get is that of memory.EntryReader.
	Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error)
	// StoreFacts is that of acl.Facts: the numbers that indexes keep in place of stores'
	// names, and which models read them.
	StoreFacts(ctx context.Context, stores []string) (map[string]acl.StoreFacts, error)
	// Unembedded returns entries that lack vectors, in the order of their ids: at most
	// limit of those that follow an id, uuid.Nil for the first ones.
	Unembedded(ctx context.Context, lacking Unembedded, after uuid.UUID, limit int) ([]memory.Entry, error)
	// UnembeddedAmong returns those of some entries that lack vectors, in no defined order.
	UnembeddedAmong(ctx context.Context, lacking Unembedded, ids []uuid.UUID) ([]memory.Entry, error)
	// CountUnembedded returns how many entries lack vectors.
	CountUnembedded(ctx context.Context, lacking Unembedded) (int64, error)
	// CountRead is that of memory.ReadingReader.
	CountRead(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
	// CountUnread is that of memory.ReadingReader.
	CountUnread(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
	// CountForeign returns how many entries of a store have vectors of the multilingual
	// model alone. It takes a look at each entry with the label.
	CountForeign(ctx context.Context, at ForeignAt) (int64, error)
}

// Unembedded are the searchable entries, live at Now, without vectors of their
// current revision under a fingerprint. Those that have such vectors under Other, and
// none of any revision under Replaced, are not among them.
type Unembedded struct {
	Fingerprint string
	Other       string    // "": there is none
	Replaced    string    // "": there is none
	Ceiling     acl.Label // their highest label; 0: any
	Now         time.Time
}

// ForeignAt are the searchable entries of a store with a label that have vectors of their
// current revision under the multilingual fingerprint, and none under the main one.
type ForeignAt struct {
	Store              string
	Label              acl.Label
	Main, Multilingual string // fingerprints
}
