package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Storage stores the queue and the vectors in the database of the rows. Its transactions follow
// memory.Storage: View runs fn over one consistent snapshot; Update runs fn in one serialisable
// transaction, maybe more than once, and commits it if fn returns nil. A storage returns it
// from its method ForIndexer. Package storage/storagetest has the conformance suite.
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
	// Get is memory.EntryReader.Get.
	Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error)
	// StoreFacts is acl.Facts.StoreFacts. The indexer uses the numbers that stand for stores'
	// names in indexes, and the models that read the stores.
	StoreFacts(ctx context.Context, stores []string) (map[string]acl.StoreFacts, error)
	// Unembedded returns entries that lack vectors, ordered by id: at most limit entries after
	// a given id, which is uuid.Nil for the first call.
	Unembedded(ctx context.Context, lacking Unembedded, after uuid.UUID, limit int) ([]memory.Entry, error)
	// UnembeddedAmong returns those of the given entries that lack vectors, in no defined
	// order.
	UnembeddedAmong(ctx context.Context, lacking Unembedded, ids []uuid.UUID) ([]memory.Entry, error)
	// CountUnembedded returns the number of entries that lack vectors.
	CountUnembedded(ctx context.Context, lacking Unembedded) (int64, error)
	// CountRead is memory.ReadingReader.CountRead.
	CountRead(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
	// CountUnread is memory.ReadingReader.CountUnread.
	CountUnread(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
	// CountForeign returns the number of a store's entries that have vectors of only the
	// multilingual model. It reads each entry with the label.
	CountForeign(ctx context.Context, at ForeignAt) (int64, error)
}

// Unembedded selects searchable entries, live at Now, without vectors of their current revision
// under a fingerprint. It excludes entries that have such vectors under Other and no vectors of
// any revision under Replaced.
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
