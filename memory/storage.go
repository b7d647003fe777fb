package memory

import (
	"context"
	"errors"
	"time"

	"mneme/acl"
)

// Errors of storages, possibly wrapped. Any other error means that the storage failed and
// wrote no part of the transaction.
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

// Storage stores rows, history, grants, queue, postings and vectors in one database. It knows
// no access rules: it applies the scopes and labels that it is given. Implementations must be
// safe for concurrent use and pass the suite of package storagetest.
type Storage interface {
	// View runs fn on one consistent snapshot.
	View(ctx context.Context, fn func(ReadTx) error) error
	// Update runs fn in one serialisable transaction and commits it if fn returns nil.
	// Otherwise nothing is written and Update returns fn's error. fn may run more than once,
	// and must have no effects except through its Tx. After an error of the storage, every
	// further call of the transaction fails.
	Update(ctx context.Context, fn func(Tx) error) error
	// UpdateBatched is Update for a transaction that writes a few rows. The storage may commit
	// it in one batch with others that are waiting: fn then sees their writes, and fails if the
	// commit fails, but otherwise has its own outcome.
	UpdateBatched(ctx context.Context, fn func(Tx) error) error
	Scrubber
	// Readers returns the number of calls of View that run concurrently, at least 1. Further
	// calls wait. While callers stay within this number, and within Writers for Update, no call
	// waits for a connection.
	Readers() int
	// Writers returns the limits for concurrent writing transactions.
	Writers() WriterLimits
	// Close waits for running transactions and releases the database.
	Close() error
}

// ErrHeld: erased data is still in the write-ahead log, because a reader holds an older state
// of the database.
var ErrHeld = errors.New("erased data is still in the write-ahead log: a program is reading an older state of the database")

// Scrubber removes erased data from the files of the database. For databases that do so by
// themselves at their own times, it does nothing and returns the zero time.
type Scrubber interface {
	// Unscrubbed reports what is left to scrub. Every process gets the same result.
	Unscrubbed(ctx context.Context) (Unscrubbed, error)
	// Scrub removes erased data from the files: what transactions erased before the call, such
	// as purged entries, former versions, words of expired entries and old records. It returns
	// the time, by the clock now, from which no file contains that data; the zero time if that
	// is unknown. The error is ErrHeld if a reader still uses the data; another call may then
	// succeed. Readers continue meanwhile; writers may wait, for about a minute per GB. If
	// Scrub fails or the process ends, no data is lost, and another call completes the work.
	Scrub(ctx context.Context, now func() time.Time) (time.Time, error)
}

// Unscrubbed describes erased data that the database's files may still contain.
type Unscrubbed struct {
	Pending bool      // files may still contain erased data
	Urgent  bool      // some of that data was erased by a purge
	Last    time.Time // the last time when no file contained any; the zero time: never
}

// ReadTx reads in a transaction. Methods return a zero value or an empty slice for what does
// not exist, unless they say otherwise. Until an expired entry is swept, they return it like
// others, except methods with a parameter for the time. They never return swept and purged
// entries.
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

// The interfaces in the files storage_*.go, and those below, are parameter types: a function
// takes the interface with the methods that it uses. Each method answers one question, and its
// comment states its contract.

// MetaReader reads settings of the whole database.
type MetaReader interface {
	// Meta returns a setting, or nil if it was never set.
	Meta(ctx context.Context, name string) ([]byte, error)
}

// MetaWriter writes settings of the whole database.
type MetaWriter interface {
	// SetMeta sets or replaces a setting.
	SetMeta(ctx context.Context, name string, value []byte) error
}
