package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Storage stores the queue and the vectors in the database of the rows. Its transactions are as
// in memory.Storage: View runs fn over one consistent snapshot; Update runs fn in one
// serialisable transaction, maybe more than once, and commits it if fn returns nil. A storage's
// method ForIndexer returns its Storage. Package storage/storagetest has the conformance suite.
type Storage interface {
	View(ctx context.Context, fn func(ReadTx) error) error
	Update(ctx context.Context, fn func(Tx) error) error
}

// ReadTx holds the indexer's reads in a transaction.
type ReadTx interface {
	RowReader
	QueueReader
	VectorReader
	memory.MetaReader
}

// Tx holds the indexer's operations in a writing transaction.
type Tx interface {
	ReadTx
	QueueWriter
	VectorWriter
	memory.MetaWriter
	memory.ReadingWriter
}

// RowReader reads the rows from which vectors are made.
type RowReader interface {
	// Get is as in memory.EntryReader.
	Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error)
	// StoreFacts is as in acl.Facts. The indexer uses two facts of a store: its number, which
	// stands for its name in indexes, and which models read its entries.
	StoreFacts(ctx context.Context, stores []string) (map[string]acl.StoreFacts, error)
	// Unembedded returns entries that lack vectors, ordered by id: at most limit entries after
	// a given id, which is uuid.Nil for the first call.
	Unembedded(ctx context.Context, lacking Unembedded, after uuid.UUID, limit int) ([]memory.Entry, error)
	// UnembeddedAmong returns those of the given entries that lack vectors, in no defined
	// order.
	UnembeddedAmong(ctx context.Context, lacking Unembedded, ids []uuid.UUID) ([]memory.Entry, error)
	// CountUnembedded returns the number of entries that lack vectors.
	CountUnembedded(ctx context.Context, lacking Unembedded) (int64, error)
	// CountRead is as in memory.ReadingReader.
	CountRead(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
	// CountUnread is as in memory.ReadingReader.
	CountUnread(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
	// CountForeign counts the entries that at selects: foreign ones, which only the
	// multilingual model has embedded. It reads each entry of the store with the label.
	CountForeign(ctx context.Context, at ForeignAt) (int64, error)
}

// Unembedded selects searchable entries, live at Now, that have no vectors of their current
// revision under Fingerprint. It leaves out an entry that has current vectors under Other,
// unless the entry also has vectors, of any revision, under Replaced.
type Unembedded struct {
	Fingerprint string
	Other       string    // "": there is none
	Replaced    string    // "": there is none
	Ceiling     acl.Label // the highest label of the entries; 0: any
	Now         time.Time
}

// ForeignAt selects the searchable entries of a store at a label that have vectors of their
// current revision under the multilingual fingerprint and none under the main one.
type ForeignAt struct {
	Store              string
	Label              acl.Label
	Main, Multilingual string // fingerprints
}
