package memory

import (
	"context"
	"errors"
	"time"

	"mneme/acl"
)

// Errors of storages, possibly wrapped. Any other error means that the storage
// failed and that nothing of the transaction was written.
var (
	// ErrStale: a row has changed since the writer read it.
	ErrStale = errors.New("the row has changed since it was read")
	// ErrExists: a live entry with this path, owner and label exists.
	ErrExists = errors.New("a live entry with this path, owner and label exists")
	// ErrKindClash: the id is known as another kind of name.
	ErrKindClash = errors.New("the id is known as another kind of name")
	// ErrUnavailable: the storage cannot be reached at the moment.
	ErrUnavailable = errors.New("the storage is not available")
)

// Storage keeps rows, history, grants, queue, postings and vectors in one
// database. It knows no access rules: it restricts by the scopes and labels
// that it is given. Implementations must be safe for concurrent use and pass
// the suite of package storagetest.
type Storage interface {
	// View runs fn on one consistent snapshot.
	View(ctx context.Context, fn func(ReadTx) error) error
	// Update runs fn in one serialisable transaction and commits it if fn
	// returns nil. Otherwise nothing is written and fn's error is returned. fn
	// may run more than once, and must have no effects except through its Tx.
	// After an error of the storage, every further call of the transaction
	// fails.
	Update(ctx context.Context, fn func(Tx) error) error
	// UpdateTogether is Update for a transaction that writes a few rows. It may be
	// committed together with others that are waiting: then fn sees what they have
	// written, and fails if they do, but has an outcome of its own otherwise.
	UpdateTogether(ctx context.Context, fn func(Tx) error) error
	Scrubber
	// Readers returns how many calls of View run at a time, at least 1. Others wait.
	// While no more of them are made, and no more of Update than Writers says, none waits
	// for a connection.
	Readers() int
	// Writers returns how many transactions that write may be given to it at a time.
	Writers() WriterLimits
	// Close waits for running transactions and releases the database.
	Close() error
}

// ErrHeld: what was erased is still in the write-ahead log, since somebody reads an
// older state of the database.
var ErrHeld = errors.New("what was erased is still in the write-ahead log: a program reads an older state of the database")

// Scrubber removes what was erased from the files of the database. Databases that do
// so by themselves, at times of their own, have nothing to do, and no time to report.
type Scrubber interface {
	// Unscrubbed reports what is left to do. Every process sees the same.
	Unscrubbed(ctx context.Context) (Unscrubbed, error)
	// Scrub returns the time, by the clock now, at which no file held what
	// transactions had erased that were committed before the call: purged entries,
	// former versions, words of what expired, old records. The zero time: not known.
	// ErrHeld: a reader kept it, and another call may succeed. Others read meanwhile, and
	// writers may wait, for about a minute per GB. If it fails, or the process ends,
	// nothing is lost, and another call does it.
	Scrub(ctx context.Context, now func() time.Time) (time.Time, error)
}

// Unscrubbed is what a database has erased and may still have in its files.
type Unscrubbed struct {
	Pending bool      // there may be something
	Urgent  bool      // a purge is part of it
	Last    time.Time // when there was nothing; the zero time: never
}

// ReadTx reads in a transaction. What does not exist is a zero value or an empty
// slice, unless a method says otherwise. Expired entries are returned like
// others until they are swept, except by methods that take the time. Swept and
// purged entries are never returned.
type ReadTx interface {
	acl.Facts
	EntryReader
	CandidateReader
	BulkReader
	ExpiryReader
	LexicalLeg
	ScoreReader
	FeedReader
	QueueReader
	GrantCounter
	ReadingReader
	NameReader
	IdempotencyReader
	MetaReader
	Dumper
}

// Tx reads and writes in a transaction.
type Tx interface {
	ReadTx
	EntryWriter
	HistoryTrimmer
	DocumentWriter
	Eraser
	FeedTrimmer
	FactWriter
	ReadingWriter
	NameWriter
	IdempotencyWriter
	MetaWriter
	Loader
}

// The interfaces of the files storage_*.go, and those below, are the types of parameters:
// a function takes the one that has what it uses. A method answers one question, and says
// in its comment what it promises.

// MetaReader reads settings of the whole database.
type MetaReader interface {
	// Meta returns a setting; nil if it was never set.
	Meta(ctx context.Context, name string) ([]byte, error)
}

// MetaWriter writes settings of the whole database.
type MetaWriter interface {
	// SetMeta sets or replaces a setting.
	SetMeta(ctx context.Context, name string, value []byte) error
}
