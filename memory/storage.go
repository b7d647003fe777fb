package memory

import (
	"context"
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
	// Close waits for running transactions and releases the database.
	Close() error
}

// ReadTx reads in a transaction. What does not exist is a zero value or an empty
// slice, unless a method says otherwise. Expired entries are returned like
// others until they are swept, except by methods that take the time. Swept and
// purged entries are never returned.
type ReadTx interface {
	acl.Facts
	EntryReader
	LexicalLeg

	// GrantsOn lists the grants of a store, ordered by grantee.
	GrantsOn(ctx context.Context, store string) ([]acl.Grant, error)
	// KindOf returns the kind that an id is claimed as; KindUnknown if none.
	KindOf(ctx context.Context, id string) (Kind, error)
	// Meta returns a setting of the whole database; nil if it was never set.
	Meta(ctx context.Context, name string) ([]byte, error)
	// IdempotencyRecord returns the record of a key; nil if there is none. In
	// a writing transaction it waits for others that look for the same key.
	IdempotencyRecord(ctx context.Context, key IdempotencyKey) (*IdempotencyRecord, error)
	// Dump yields the records of a dump, in an order in which they can be
	// loaded. It stops at an error of yield and returns it.
	Dump(ctx context.Context, yield func(DumpRecord) error) error
}

// Tx reads and writes in a transaction.
type Tx interface {
	ReadTx
	EntryWriter

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
	// Claim records the kind of an id; ErrKindClash if it has another one.
	Claim(ctx context.Context, id string, kind Kind) error
	// SetMeta writes a setting of the whole database.
	SetMeta(ctx context.Context, name string, value []byte) error
	// PutIdempotencyRecord keeps the outcome of a call; ErrExists if its key
	// has one.
	PutIdempotencyRecord(ctx context.Context, key IdempotencyKey, record IdempotencyRecord) error
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

// EntryReader reads rows.
type EntryReader interface {
	// At returns every entry at path that is not deleted, of any label and
	// owner, in no defined order.
	At(ctx context.Context, path Path) ([]Entry, error)
	// Get returns the entries with these ids that are in the database,
	// deleted ones too, in no defined order.
	Get(ctx context.Context, ids []uuid.UUID) ([]Entry, error)
	// Scan returns the in-context entries of a store that are not deleted,
	// without Value and Source, in (namespace, key, label, owner) order.
	// Labels are ordered by rank here.
	Scan(ctx context.Context, query ScanQuery) ([]Entry, error)
	// Trash returns deleted entries of a store, those that are not in context
	// too, without Value and Source, latest deletion first, ties by id
	// descending.
	Trash(ctx context.Context, query TrashQuery) ([]Entry, error)
	// History returns the versions of an entry before a version (0: all),
	// newest first, at most limit. The current row is the newest of them.
	History(ctx context.Context, id uuid.UUID, before, limit int) ([]Entry, error)
	// Siblings returns, without Value and Source, every in-context entry of
	// the scope that is not deleted and has the path of one of ids: what is
	// needed to resolve these paths. Ids outside the scope are ignored. In no
	// defined order, each once.
	Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]Entry, error)
	// Matching returns the ids of the searchable, undeleted entries of the
	// scope that pass the filter, in no defined order. If there are more than
	// limit it returns none of them, and more is true.
	Matching(ctx context.Context, scope acl.Scope, filter Filter, limit int) (ids []uuid.UUID, more bool, err error)
	// Usage counts the live entries of an owner in a store at a label, and
	// the bytes of their values. Entries expired at now do not count.
	Usage(ctx context.Context, store, owner string, label acl.Label, now time.Time) (Usage, error)
}

// Usage counts the entries of an owner in a store at one label.
type Usage struct {
	Entries int64
	Bytes   int64 // of their values
}

// ScanQuery asks for a range of a store's entries.
type ScanQuery struct {
	Store     string
	Ceiling   acl.Label // the highest label returned
	Namespace *string   // nil: all
	Prefix    string    // of the key
	// AfterNamespace and AfterKey, if After is set, are the path after which
	// the range begins.
	After                    bool
	AfterNamespace, AfterKey string
	Limit                    int
}

// TrashQuery asks for a range of a store's deleted entries.
type TrashQuery struct {
	Store string
	Label acl.Label // exactly
	Owner string    // "": any; else this owner's, in-context or not
	// AfterTime and AfterID, if AfterTime is set, are the deletion time and id
	// of the entry after which the range begins.
	AfterTime time.Time
	AfterID   uuid.UUID
	Limit     int
	Path      *Path // nil: all
}

// Filter restricts a search or a listing. The zero value passes everything.
type Filter struct {
	Namespace *string  // nil: all
	Tags      []string // all of them
	Type      string   // "": any
}

// Empty reports whether the filter passes everything.
func (f Filter) Empty() bool { return f.Namespace == nil && len(f.Tags) == 0 && f.Type == "" }

// EntryWriter writes rows.
type EntryWriter interface {
	// Put writes the new state of an entry that was created, edited, renamed,
	// deleted or restored: the row, its history, its lexical terms and a queue
	// row. doc is empty unless the entry is searchable and not deleted.
	// Revision must be one more than the row's, 0 for none, and the entry must
	// not be swept, else ErrStale. If Version grew, the row's former state
	// becomes history. A deleted entry loses its terms and vectors at once.
	// ErrExists if another undeleted entry has its path, owner and label.
	Put(ctx context.Context, entry Entry, doc lexical.Document) error
	// Expired lists expired entries, deleted ones too, that were not swept yet,
	// oldest first.
	Expired(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error)
	// Sweep removes the terms and vectors of expired entries and hides their
	// rows until a purge. It raises the revision and queues the entry, so that
	// it leaves the vector index too. Entries not expired at now are left
	// alone.
	Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error
	// SweepFacts removes grants, memberships and idempotency records that have
	// expired.
	SweepFacts(ctx context.Context, now time.Time) error
	// Purge erases up to limit entries that were deleted or expired before
	// cutoff, exclusively: row, history, terms, vectors, queue rows, and the
	// idempotency records that name them. It returns their ids. Call it until
	// it returns none.
	Purge(ctx context.Context, cutoff time.Time, limit int) ([]uuid.UUID, error)
}

// LexicalLeg ranks entries by the words of a query.
type LexicalLeg interface {
	// Lexical returns the entries of the scope that share a term with the
	// query, scored by lexical.Scorer, best first: the first Limit, and all
	// that tie with the last of these. Equal scores have no defined order.
	// Term and document counts are those of the scope's searchable entries.
	// Entries expired at Now are neither counted nor returned.
	Lexical(ctx context.Context, scope acl.Scope, query LexicalQuery) ([]lexical.Hit, error)
}

// LexicalQuery is a query of the lexical leg.
type LexicalQuery struct {
	Terms []lexical.QueryTerm
	Limit int         // > 0
	Only  []uuid.UUID // nil: all; else only these are returned (counts are not changed)
	Now   time.Time
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
