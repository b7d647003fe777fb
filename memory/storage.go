package memory

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mneme/acl"
	"mneme/lexical"
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
	Scrubber
	// Readers returns how many calls of View run at a time, at least 1. Others wait.
	Readers() int
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
	// Scrub returns the time, now or an earlier one, at which no file held what
	// transactions had erased that were committed before the call: purged entries,
	// former versions, words of what expired, old records. The zero time: not known.
	// ErrHeld: a reader kept it, and another call may succeed. Others read and write
	// meanwhile.
	Scrub(ctx context.Context, now time.Time) (time.Time, error)
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
	FeedReader
	ScoreReader
	LexicalLeg
	LagReader
	GrantReader
	NameReader
	MetaReader
	IdempotencyReader
	Dumper
}

// Tx reads and writes in a transaction.
type Tx interface {
	ReadTx
	Prefetcher
	EntryWriter
	DocumentWriter
	HistoryTrimmer
	Sweeper
	FeedTrimmer
	Purger
	PurgeCounter
	FactWriter
	NameWriter
	MetaWriter
	IdempotencyWriter
	Loader
}

// The interfaces below are the types of parameters: a function takes the one
// that has what it uses.

// LagReader reads which entries wait for their vectors.
type LagReader interface {
	// Lagging reports whether an entry within the scope that is live at now and
	// searchable waits for its vectors since before a time. It takes no longer
	// for more stores or rows while nothing at all waits that long.
	Lagging(ctx context.Context, scope acl.Scope, before, now time.Time) (bool, error)
}

// GrantReader reads the grants of a store.
type GrantReader interface {
	// GrantsOn lists the grants of a store, ordered by grantee.
	GrantsOn(ctx context.Context, store string) ([]acl.Grant, error)
	// CountGrants counts the grants of a store, expired ones too until they
	// are swept.
	CountGrants(ctx context.Context, store string) (int64, error)
	// Selling reports whether a store has an open offer.
	Selling(ctx context.Context, store string) (bool, error)
}

// FactWriter writes the facts of access that acl.Facts reads.
type FactWriter interface {
	// PutGrant writes the grant of (Store, Grantee), replacing any.
	PutGrant(ctx context.Context, grant acl.Grant) error
	// DeleteGrant removes a grant and reports whether there was one.
	DeleteGrant(ctx context.Context, store, grantee string) (bool, error)
	// PutParticipant and PutSession write a membership; one that is not
	// Present removes it.
	PutParticipant(ctx context.Context, chat, agent string, m acl.Membership) error
	PutSession(ctx context.Context, user, agent string, m acl.Membership) error
	// PutSettings writes an agent's settings.
	PutSettings(ctx context.Context, agent string, s acl.Settings) error
}

// NameReader reads what kinds of names are known.
type NameReader interface {
	// KindOf returns the kind that an id is claimed as; KindUnknown if none.
	KindOf(ctx context.Context, id string) (Kind, error)
}

// NameWriter claims names.
type NameWriter interface {
	// Claim records the kind of an id; ErrKindClash if it has another one.
	Claim(ctx context.Context, id string, kind Kind) error
}

// MetaReader reads settings of the whole database.
type MetaReader interface {
	// Meta returns a setting; nil if it was never set.
	Meta(ctx context.Context, name string) ([]byte, error)
}

// MetaWriter writes settings of the whole database.
type MetaWriter interface {
	SetMeta(ctx context.Context, name string, value []byte) error
}

// IdempotencyReader reads the outcomes of calls.
type IdempotencyReader interface {
	// IdempotencyRecord returns the record of a key; nil if there is none. In
	// a writing transaction it waits for others that look for the same key.
	IdempotencyRecord(ctx context.Context, key IdempotencyKey) (*IdempotencyRecord, error)
}

// IdempotencyWriter keeps the outcomes of calls.
type IdempotencyWriter interface {
	// PutIdempotencyRecord keeps the outcome of a call; ErrExists if its key
	// has one.
	PutIdempotencyRecord(ctx context.Context, key IdempotencyKey, record IdempotencyRecord) error
}

// Dumper reads the whole database.
type Dumper interface {
	// Dump yields the records of a dump, in an order in which they can be
	// loaded. It stops at an error of yield and returns it.
	Dump(ctx context.Context, yield func(DumpRecord) error) error
}

// Loader restores a dump.
type Loader interface {
	// Load writes one record of a dump unchanged; ErrExists if the database
	// has it. doc holds the terms of a live searchable entry, else it is empty.
	// An entry is queued, as by Put.
	Load(ctx context.Context, record DumpRecord, doc lexical.Document) error
}

// Kind is the kind of a name.
type Kind string

// The kinds. An id has at most one.
const (
	KindUnknown Kind = ""
	KindCaller  Kind = "caller" // an agent or a user
	KindChat    Kind = "chat"
)

// DumpRecord is one line of an operator's dump; exactly one field is set.
type DumpRecord struct {
	Entry       *Entry          `json:"entry,omitempty"`
	Version     *Entry          `json:"version,omitempty"` // a former version; its entry precedes it
	Grant       *acl.Grant      `json:"grant,omitempty"`
	Participant *DumpMembership `json:"participant,omitempty"`
	Session     *DumpMembership `json:"session,omitempty"`
	Settings    *DumpSettings   `json:"settings,omitempty"`
	Name        *DumpName       `json:"name,omitempty"`
	// Meter is a record of package meter: see Meter.VerifyLoaded.
	Meter json.RawMessage `json:"meter,omitempty"`
}

// DumpMembership is an agent's membership of a chat, or session with a user.
type DumpMembership struct {
	Of, Agent string
	acl.Membership
}

// DumpSettings are the settings of an agent.
type DumpSettings struct {
	Agent string
	acl.Settings
}

// DumpName is an id with its kind.
type DumpName struct {
	ID   string
	Kind Kind
}
