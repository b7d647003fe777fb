package memory

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

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
	ScoreReader
	LexicalLeg
	FeedReader
	ExpiryReader
	QueueReader
	Counter
	NameReader
	MetaReader
	IdempotencyReader
	Dumper
}

// Tx reads and writes in a transaction.
type Tx interface {
	ReadTx
	Preparer
	EntryWriter
	DocumentWriter
	Eraser
	Trimmer
	FactWriter
	MetaWriter
	Loader
}

// The interfaces of rows.go, fact.go, feed.go and erase.go, and those below, are the
// types of parameters: a function takes the one that has what it uses. A method that
// answers one question about several kinds takes a query or a record that is one of a
// closed set of types.

// QueueReader reads which entries wait for their vectors.
type QueueReader interface {
	// Waiting reports whether an entry of the query waits for its vectors.
	Waiting(ctx context.Context, query WaitQuery) (bool, error)
}

// WaitQuery is a WaitOf or a WaitIn.
type WaitQuery interface{ waitQuery() }

// WaitOf asks about one entry, whatever its state.
type WaitOf struct{ Entry uuid.UUID }

// WaitIn asks about the entries within a scope that are live at Now and searchable,
// and have waited since before a time. The answer takes no longer for more stores or
// rows while nothing at all waits that long.
type WaitIn struct {
	Scope       acl.Scope
	Before, Now time.Time
}

func (WaitOf) waitQuery() {}
func (WaitIn) waitQuery() {}

// Counter counts rows.
type Counter interface {
	// Count returns how many rows there are of a kind.
	Count(ctx context.Context, what Countable) (int64, error)
}

// Countable is a kind of rows: GrantsOf, OffersOf, Erasable, Searchable, Unembedded,
// StoresRead, StoresUnread, ReadIn or ForeignAt.
type Countable interface{ countable() }

// GrantsOf are the grants of a store at a label, expired ones too until they are swept.
type GrantsOf struct {
	Store string
	Label acl.Label
}

// OffersOf are the open offers that stand on a store, with labels up to a ceiling.
type OffersOf struct {
	Store   string
	Ceiling acl.Label
}

// Erasable are the entries that a Purge with this cutoff would erase in all.
type Erasable struct{ Cutoff time.Time }

// Searchable are the entries that a SearchableQuery with this After lists.
type Searchable struct{ After uuid.UUID }

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

// StoresRead are the stores to which something was ever written and whose
// acl.Reading.Models have a model, LanguageEnglish or LanguageMultilingual.
type StoresRead struct{ By acl.Language }

// StoresUnread are the stores that are not acl.Reading.Whole.
type StoresUnread struct{}

// ReadIn are the searchable entries of a store with labels of a range; with Unread those of
// them that are queued since acl.Reading.Unread was set, or are yet to be.
type ReadIn struct {
	Store         string
	From, Ceiling acl.Label
	Unread        bool
}

// ForeignAt are the searchable entries of a store with a label that have vectors of their
// current revision under the multilingual fingerprint, and none under the main one. To
// count them takes a look at each entry with the label.
type ForeignAt struct {
	Store              string
	Label              acl.Label
	Main, Multilingual string // fingerprints
}

func (ForeignAt) countable()    {}
func (StoresUnread) countable() {}
func (ReadIn) countable()       {}
func (GrantsOf) countable()     {}
func (OffersOf) countable()     {}
func (Erasable) countable()     {}
func (Unembedded) countable()   {}
func (Searchable) countable()   {}
func (StoresRead) countable()   {}

// MetaReader reads settings of the whole database.
type MetaReader interface {
	// Meta returns a setting; nil if it was never set.
	Meta(ctx context.Context, name string) ([]byte, error)
}

// MetaWriter writes settings of the whole database.
type MetaWriter interface {
	SetMeta(ctx context.Context, name string, value []byte) error
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

// DumpRecord is one line of an operator's dump; exactly one field is set.
type DumpRecord struct {
	Entry       *Entry          `json:"entry,omitempty"`
	Version     *Entry          `json:"version,omitempty"` // a former version; its entry precedes it
	Grant       *acl.Grant      `json:"grant,omitempty"`
	Participant *DumpMembership `json:"participant,omitempty"`
	Session     *DumpMembership `json:"session,omitempty"`
	Settings    *DumpSettings   `json:"settings,omitempty"`
	Name        *DumpName       `json:"name,omitempty"`
	Reading     *DumpReading    `json:"reading,omitempty"`
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

// DumpReading is how a store is read: what was chosen, whether it was asked, and from which
// label on it is mixed, as in acl.Reading. Whether the multilingual model reads entries
// follows from their texts.
type DumpReading struct {
	Store    string
	Language acl.Language
	Asked    bool
	Mixed    acl.Label `json:",omitzero"`
}

// DumpName is an id with its kind.
type DumpName struct {
	ID   string
	Kind Kind
}
