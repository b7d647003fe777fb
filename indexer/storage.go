package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
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
	// CountRead and CountUnread are those of memory.ReadingReader.
	CountRead(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
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

// QueueReader reads the queue, which has one row for each entry whose vectors are out of
// date. Writing an entry adds its row, with the cost that Chunks estimates; an entry that
// waits already keeps the time at which it was queued.
type QueueReader interface {
	// Waiting reports whether an entry waits for its vectors, whatever its state.
	Waiting(ctx context.Context, entry uuid.UUID) (bool, error)
	// QueueDepth counts queue rows, and how long they have waited.
	QueueDepth(ctx context.Context, now time.Time) (rows int64, waits Waits, err error)
	// Reread returns the work left in stores whose facts changed which models read them.
	Reread(ctx context.Context) (Reread, error)
}

// Reread names stores that models read again, in their order.
type Reread struct {
	Unqueued []Unqueued // what facts have left to QueueRest
	Indexed  []string   // a memory.ReadingChange that says so would move acl.Reading.Unread
}

// Unqueued are entries of a large store that a memory.ReadingChange left to be queued: in
// the order of their IDs, those that follow After.
type Unqueued struct {
	Store    string
	QueuedAt time.Time
	Lacking  string // as in the fact
	After    uuid.UUID
	From     acl.Label `json:",omitzero"` // as in the fact
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
	//
	// Renew and Finish know a lease by its entry and revision. A fact may queue a row
	// again at the same revision, and another worker lease it: they take its lease for
	// this one.
	Renew(ctx context.Context, leases []Lease, until time.Time) error
	// Finish ends a lease, unless its row was queued again since: it removes the row,
	// or after a failure gives it back.
	Finish(ctx context.Context, lease Lease, failure *Failure) error
	// QueueRest queues those of the ids, in their order, that a fact would queue, and
	// records the last as After; or with none, that nothing is left. It does nothing and
	// returns false if Unqueued is not what is left of the store any more.
	QueueRest(ctx context.Context, of Unqueued, ids []uuid.UUID) (bool, error)
}

// Failure says why and for how long a row is given back.
type Failure struct {
	Until  time.Time // it is taken again from then on
	Reason string    // an error's class, never text of a memory
}

// VectorReader reads the vectors stored with the rows, from which vector
// indexes are derived.
type VectorReader interface {
	// Vectors yields vectors under a fingerprint, without codes, each entry's chunks
	// together if it yields all. yield must not use the transaction. An error of it ends
	// the call and is returned.
	Vectors(ctx context.Context, query VectorQuery, yield func(vector.Record) error) error
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
	// VectorChanges is that of memory.ScoreReader.
	VectorChanges(ctx context.Context, after int64, limit int) (memory.VectorChanges, error)
	// Dropped returns the fingerprints that DropVectors dropped and that RemoveDropped
	// has yet to forget.
	Dropped(ctx context.Context) ([]Dropped, error)
}

// VectorQuery asks for the vectors of entries, or of all, under a fingerprint.
type VectorQuery struct {
	Fingerprint string
	Entries     []uuid.UUID
	All         bool
}

// vectorsOf returns the vectors of entries under a fingerprint.
func vectorsOf(ctx context.Context, tx VectorReader, fingerprint string, entries []uuid.UUID) (records []vector.Record, err error) {
	err = tx.Vectors(ctx, VectorQuery{Fingerprint: fingerprint, Entries: entries}, func(r vector.Record) error {
		records = append(records, r)
		return nil
	})
	return records, err
}

// lastChange returns the position of the last change of vectors; 0: there is none.
func lastChange(ctx context.Context, tx VectorReader) (int64, error) {
	changes, err := tx.VectorChanges(ctx, 0, 0)
	return changes.Last, err
}

// Dropped is a fingerprint whose vectors were dropped.
type Dropped struct {
	Name        string // in place of the fingerprint
	Fingerprint string
	Again       bool // set if the fingerprint has other vectors since
}

// Change says that an entry's vectors may have changed.
type Change struct {
	Position int64
	Entry    uuid.UUID
}

// VectorWriter writes the vectors stored with the rows.
type VectorWriter interface {
	// PrepareVectors says that vectors of entries are about to be saved, if settings of the
	// database stay as they are. It changes the result of no other call, but Meta of these
	// may be answered from what was read, and none is set before the transaction ends.
	PrepareVectors(ctx context.Context, entries []uuid.UUID, settings []string) error
	// SaveVectors replaces an entry's vectors and codes under a fingerprint, if the row
	// is still at the revision from which they were made, and reports whether
	// it did. No records removes them.
	SaveVectors(ctx context.Context, id uuid.UUID, revision int64, fingerprint string, records []vector.Record) (bool, error)
	// DropVectors drops all vectors of other fingerprints than these: no fingerprint
	// has them any more, and RemoveDropped removes them.
	DropVectors(ctx context.Context, keep []string) error
	// RemoveDropped removes the vectors of dropped fingerprints, by their names, from
	// the limit entries that follow one in the order of their IDs, and returns the last
	// of these. If none follows, it forgets the names and returns uuid.Nil.
	RemoveDropped(ctx context.Context, dropped []string, after uuid.UUID, limit int) (last uuid.UUID, err error)
	// TrimChanges removes records of changes of before a time, limit or so of them, and
	// reports whether there may be more. A record of later than now, which was written by a
	// clock that was ahead, is as old as those around it.
	TrimChanges(ctx context.Context, before, now time.Time, limit int) (more bool, err error)
}
