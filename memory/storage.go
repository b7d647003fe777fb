package memory

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
)

// Errors that a storage returns, wrapped or not. Any other error means that
// the storage failed, and that nothing of the transaction was written.
var (
	// ErrStale: a row is not as the writer read it.
	ErrStale = errors.New("the row has changed since it was read")
	// ErrExists: a live entry with this path, owner and label exists.
	ErrExists = errors.New("a live entry with this path, owner and label exists")
	// ErrKindClash: the id is known as another kind of name.
	ErrKindClash = errors.New("the id is known as another kind of name")
	// ErrUnavailable: the storage cannot be reached for now.
	ErrUnavailable = errors.New("the storage is not available")
)

// Storage keeps rows, history, grants, queue, the lexical leg's postings and
// the vectors of the rows, all in one database. It knows no rule of access:
// it restricts by what it is told. Implementations are safe for concurrent
// use; storage/storagetest holds the suite that each must pass.
type Storage interface {
	// View runs fn over one consistent snapshot.
	View(ctx context.Context, fn func(ReadTx) error) error
	// Update runs fn in one serialisable transaction and commits it if fn
	// returns nil; else nothing is written and fn's error is returned. fn may
	// run more than once and must have no effect but through its Tx. After a
	// storage's own error every further call in the transaction returns one.
	Update(ctx context.Context, fn func(Tx) error) error
	// Close waits for running transactions and releases the database.
	Close() error
}

// ReadTx is what can be read in a transaction. Absent things are zero values
// and empty slices unless a method says otherwise. Nothing here judges
// expiry: what has expired but is not yet swept is returned like the rest,
// except where a method takes the time. Swept and purged entries are never
// returned.
type ReadTx interface {
	acl.Facts
	EntryReader
	LexicalLeg

	// GrantsOn lists the grants of a store, ordered by grantee.
	GrantsOn(ctx context.Context, store string) ([]acl.Grant, error)
	// KindOf is what an id is known as, KindUnknown if it is not.
	KindOf(ctx context.Context, id string) (Kind, error)
	// Meta is a setting of the whole database; nil if it was never set.
	Meta(ctx context.Context, name string) ([]byte, error)
	// IdempotencyRecord returns the record of a key; nil if there is none. In
	// a writing transaction it waits for others that look for the same key.
	IdempotencyRecord(ctx context.Context, key IdempotencyKey) (*IdempotencyRecord, error)
	// Dump yields everything an operator's dump holds, in an order in which
	// it can be loaded. An error of yield ends it and is returned.
	Dump(ctx context.Context, yield func(DumpRecord) error) error
}

// Tx is what can be done in a writing transaction.
type Tx interface {
	ReadTx
	EntryWriter

	// PutGrant writes the grant of (Store, Grantee), replacing any.
	PutGrant(ctx context.Context, grant acl.Grant) error
	// DeleteGrant removes a grant and tells whether there was one.
	DeleteGrant(ctx context.Context, store, grantee string) (bool, error)
	// PutParticipant and PutSession write a membership; one that is not
	// Present removes it.
	PutParticipant(ctx context.Context, chat, agent string, m acl.Membership) error
	PutSession(ctx context.Context, user, agent string, m acl.Membership) error
	// PutSettings writes an agent's switches.
	PutSettings(ctx context.Context, agent string, s acl.Settings) error
	// Claim makes an id known as a kind: ErrKindClash if it is another's.
	Claim(ctx context.Context, id string, kind Kind) error
	// SetMeta writes a setting of the whole database.
	SetMeta(ctx context.Context, name string, value []byte) error
	// PutIdempotencyRecord keeps the outcome of a call; ErrExists if its key
	// has one.
	PutIdempotencyRecord(ctx context.Context, key IdempotencyKey, record IdempotencyRecord) error
	// Load writes one record of a dump as it was, into a database that lacks
	// it; ErrExists if it has it. doc is what a live searchable entry is
	// found by, else empty. An entry is queued, as by Put.
	Load(ctx context.Context, record DumpRecord, doc lexical.Document) error
}

// Kind is what an id is known as.
type Kind string

// The kinds of names that must not meet.
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
	// the scope that is not deleted and stands at the path of one of ids:
	// what decides which of them the caller sees. Ids whose rows are outside
	// the scope bring nothing. In no defined order, each once.
	Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]Entry, error)
	// Matching returns the ids of the searchable, undeleted entries of the
	// scope that pass the filter, in no defined order; more=true, and no ids,
	// if there are more than limit.
	Matching(ctx context.Context, scope acl.Scope, filter Filter, limit int) (ids []uuid.UUID, more bool, err error)
	// Usage counts the live entries of an owner in a store at a label, and
	// the bytes of their values. Entries expired at now do not count.
	Usage(ctx context.Context, store, owner string, label acl.Label, now time.Time) (Usage, error)
}

// Usage is what an owner has in a store at one label.
type Usage struct {
	Entries int64
	Bytes   int64
}

// ScanQuery asks for a stretch of a store.
type ScanQuery struct {
	Store     string
	Ceiling   acl.Label // the highest label returned
	Namespace *string   // nil: all
	Prefix    string    // of the key
	// AfterNamespace and AfterKey, if After is set, name the last path that
	// the caller has: entries beyond it are returned.
	After                    bool
	AfterNamespace, AfterKey string
	Limit                    int
}

// TrashQuery asks for a stretch of a store's deleted entries.
type TrashQuery struct {
	Store string
	Label acl.Label // exactly
	Owner string    // "": any; else this owner's, in-context or not
	// AfterTime and AfterID, if AfterTime is set, name the last entry that
	// the caller has.
	AfterTime time.Time
	AfterID   uuid.UUID
	Limit     int
	Path      *Path // nil: all
}

// Filter narrows a search or a listing. The zero value passes everything.
type Filter struct {
	Namespace *string  // nil: all
	Tags      []string // all of them
	Type      string   // "": any
}

// Empty tells whether the filter passes everything.
func (f Filter) Empty() bool { return f.Namespace == nil && len(f.Tags) == 0 && f.Type == "" }

// EntryWriter writes rows.
type EntryWriter interface {
	// Put writes an entry as it is now: created, edited, renamed, deleted or
	// restored. The row, its history, its lexical terms (doc; empty unless
	// the entry is searchable and not deleted) and a queue row commit
	// together. Revision must be one more than the row's (0 for none), else
	// ErrStale, as for an entry that was swept. If Version grew, the row's
	// former state becomes history. A deleted entry loses its terms and its
	// vectors at once. ErrExists if another undeleted entry has its path,
	// owner and label.
	Put(ctx context.Context, entry Entry, doc lexical.Document) error
	// Expired lists entries, deleted ones too, whose time has come and that
	// were not swept yet, oldest first.
	Expired(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error)
	// Sweep hides expired entries for good: terms and vectors go, the row
	// stays until it is purged. It raises the revision and queues the entry,
	// so that an index outside forgets it too. What is not expired at now is
	// left alone.
	Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error
	// SweepFacts removes grants, memberships and idempotency records that have
	// expired.
	SweepFacts(ctx context.Context, now time.Time) error
	// Purge erases entries that were deleted or expired before cutoff, not at
	// it: row, history, terms, vectors, queue rows, and the idempotency records
	// that name them. It returns their ids, at most limit; call until it
	// returns none.
	Purge(ctx context.Context, cutoff time.Time, limit int) ([]uuid.UUID, error)
}

// LexicalLeg ranks by words.
type LexicalLeg interface {
	// Lexical returns the entries of the scope that share a term with the
	// query, best first by lexical.Scorer: the first Limit and every further
	// one that ties with the last of them, in no defined order among equals.
	// Term and document counts are those of the scope's searchable entries,
	// less those expired at Now, which are not returned either.
	Lexical(ctx context.Context, scope acl.Scope, query LexicalQuery) ([]lexical.Hit, error)
}

// LexicalQuery asks the lexical leg.
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

// DumpMembership is an agent's place in a chat or session with a user.
type DumpMembership struct {
	Of, Agent string
	acl.Membership
}

// DumpSettings are one agent's switches.
type DumpSettings struct {
	Agent string
	acl.Settings
}

// DumpName is what an id is known as.
type DumpName struct {
	ID   string
	Kind Kind
}
