package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/vector"
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
	// Meta returns a setting of the whole database; nil if it was never set.
	Meta(ctx context.Context, name string) ([]byte, error)
}

// Tx is what the indexer does in a writing transaction.
type Tx interface {
	ReadTx
	QueueWriter
	VectorWriter
	// SetMeta writes a setting of the whole database.
	SetMeta(ctx context.Context, name string, value []byte) error
}

// RowReader reads the rows that vectors are made of.
type RowReader interface {
	// Get returns the entries with these ids that are in the database,
	// deleted ones too, in no defined order.
	Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error)
	// Unembedded returns searchable entries, live at now, without vectors of
	// their current revision under a fingerprint, in id order after an id.
	Unembedded(ctx context.Context, fingerprint string, now time.Time, after uuid.UUID, limit int) ([]memory.Entry, error)
	// CountUnembedded counts the entries that Unembedded lists.
	CountUnembedded(ctx context.Context, fingerprint string, now time.Time) (int64, error)
	// StoreNumbers returns the numbers that indexes keep in place of stores'
	// names. A store without entries has none.
	StoreNumbers(ctx context.Context, stores []string) (map[string]int64, error)
}

// QueueReader reads the queue, which has one row for each entry whose vectors
// are out of date. Writing an entry adds its row, with the cost that Chunks
// estimates; an entry that waits already keeps the time at which it was queued.
type QueueReader interface {
	// Pending reports whether an entry waits in the queue.
	Pending(ctx context.Context, id uuid.UUID) (bool, error)
	// QueueDepth counts queue rows, and how long they have waited.
	QueueDepth(ctx context.Context, now time.Time) (rows int64, waits Waits, err error)
}

// QueueWriter takes work from the queue.
type QueueWriter interface {
	// Lease takes rows that are due, as a turn says, and hides them from other
	// workers until a time. last is the store at which the next turn goes on.
	// Rows that come back after a failure or a lost lease are due like others,
	// at the time at which they were queued first. So are rows that would come
	// back later than MaxDelay.
	Lease(ctx context.Context, now, until time.Time, turn Turn) (leases []Lease, last int64, err error)
	// Renew moves the end of leases to until, of those rows that were not
	// queued again since. An end that has passed gives them back.
	Renew(ctx context.Context, leases []Lease, until time.Time) error
	// Done removes a queue row if it is still at the revision of the lease.
	Done(ctx context.Context, lease Lease) error
	// Retry gives a leased row back, to be taken again at notBefore. reason
	// is an error's class, never text of a memory.
	Retry(ctx context.Context, lease Lease, notBefore time.Time, reason string) error
}

// VectorReader reads the vectors stored with the rows, from which vector
// indexes are derived.
type VectorReader interface {
	// Vectors returns the vectors of entries under a fingerprint, without codes.
	Vectors(ctx context.Context, fingerprint string, ids []uuid.UUID) ([]vector.Record, error)
	// AllVectors yields every vector under a fingerprint, without codes, each
	// entry's chunks together. An error of yield ends it and is returned.
	AllVectors(ctx context.Context, fingerprint string, yield func(vector.Record) error) error
	// Stores returns the numbers of all stores.
	Stores(ctx context.Context) ([]int64, error)
	// StoreEntries returns the live entries of a store that may have vectors, in
	// no defined order.
	StoreEntries(ctx context.Context, store int64) ([]uuid.UUID, error)
	// Changes returns what happened to vectors after a position, oldest
	// first, at most limit. Positions grow in commit order. reset=true means
	// that the changes after the position are no longer all known, or that it
	// lies beyond the last, as after a restored backup: the reader must start
	// from the rows.
	Changes(ctx context.Context, after int64, limit int) (changes []Change, reset bool, err error)
	// LastChange returns the latest position; 0 if there is none.
	LastChange(ctx context.Context) (int64, error)
}

// Change says that an entry's vectors may have changed.
type Change struct {
	Position int64
	Entry    uuid.UUID
}

// VectorWriter writes the vectors stored with the rows.
type VectorWriter interface {
	// LockEntries says that vectors of these entries are about to be saved. It
	// changes no result.
	LockEntries(ctx context.Context, ids []uuid.UUID) error
	// SaveVectors replaces an entry's vectors and codes under a fingerprint, if the row
	// is still at the revision from which they were made, and reports whether
	// it did. No records removes them.
	SaveVectors(ctx context.Context, id uuid.UUID, revision int64, fingerprint string, records []vector.Record) (bool, error)
	// DropVectors removes all vectors of other fingerprints than these.
	DropVectors(ctx context.Context, keep []string) error
	// TrimChanges removes change records older than a time.
	TrimChanges(ctx context.Context, before time.Time) error
}
