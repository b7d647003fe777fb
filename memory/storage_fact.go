package memory

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/embed/choice"
)

// Facts of access are read by acl.Facts, and counted and written by the interfaces here.

// GrantCounter counts what a limit on a store bounds.
type GrantCounter interface {
	// CountGrants returns how many grants of a store there are at a label, expired ones
	// too until they are swept.
	CountGrants(ctx context.Context, store string, label acl.Label) (int64, error)
	// CountOffers returns how many open offers stand on a store, with labels up to a
	// ceiling.
	CountOffers(ctx context.Context, store string, ceiling acl.Label) (int64, error)
}

// GrantWriter writes grants.
type GrantWriter interface {
	// PutGrant replaces the grant of (Store, Grantee, Label). Level None removes it.
	PutGrant(ctx context.Context, grant acl.Grant) error
	// TrimGrants removes the grants of a store that have expired.
	TrimGrants(ctx context.Context, store string, now time.Time) error
}

// FactWriter writes the facts of access.
type FactWriter interface {
	GrantWriter
	// PutMembership replaces an agent's participation in a chat (acl.ViaChat) or its
	// session with a user (acl.ViaUser). One that is not Present removes it.
	PutMembership(ctx context.Context, via acl.Via, of, agent string, m acl.Membership) error
	// PutSettings replaces an agent's settings.
	PutSettings(ctx context.Context, agent string, settings acl.Settings) error
	// TrimFacts removes grants, memberships and idempotency records that have expired,
	// limit of each kind, and reports whether there may be more.
	TrimFacts(ctx context.Context, now time.Time, limit int) (more bool, err error)
}

// ReadingReader counts stores and entries by the models that read them.
type ReadingReader interface {
	// CountStoresRead returns how many stores have a model, LanguageEnglish or
	// LanguageMultilingual, among their choice.Reading.Models. Stores to which nothing was
	// ever written do not count.
	CountStoresRead(ctx context.Context, by choice.Language) (int64, error)
	// CountStoresUnread returns how many stores are not choice.Reading.Whole.
	CountStoresUnread(ctx context.Context) (int64, error)
	// CountRead returns how many searchable entries a store has at labels of a range.
	CountRead(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
	// CountUnread returns how many of them are queued since choice.Reading.Unread was set, or
	// are yet to be.
	CountUnread(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
}

// ReadingWriter writes which models read a store.
type ReadingWriter interface {
	// PutReading changes which models read a store.
	PutReading(ctx context.Context, change ReadingChange) error
}

// ReadingChange changes which models read a store. What it does not name stays.
type ReadingChange struct {
	Store string
	// Language, unless nil, replaces the choice, and withdraws that the store was Asked.
	Language *choice.Language
	// Asked, if true, becomes true, and Multilingual and Mixed, unless 0, become at most
	// this: see choice.Reading.
	Asked        bool
	Multilingual acl.Label
	Mixed        acl.Label
	// QueuedAt, unless zero, queues the store's entries from then on, as by Put: those
	// whose revision has no vectors under Lacking, and whose label is at least From. Those
	// of a large store are left to the indexer, which queues them in steps. Until they are
	// indexed the store is not Whole, if the multilingual model is to read them because of
	// what the change names.
	QueuedAt time.Time
	Lacking  string    // a fingerprint; "": all entries
	From     acl.Label // 0: all
	// Indexed, if true, moves Unread past the labels of which all that was queued is
	// indexed.
	Indexed bool
}

// NameReader reads what kinds of names are known.
type NameReader interface {
	// KindOf returns the kind that an id is claimed as; KindUnknown if none.
	KindOf(ctx context.Context, id string) (Kind, error)
}

// NameWriter claims names.
type NameWriter interface {
	// ClaimName claims an id for a kind; ErrKindClash if it has another one.
	ClaimName(ctx context.Context, id string, kind Kind) error
}

// Kind is the kind of a name.
type Kind string

// The kinds. An id has at most one.
const (
	KindUnknown Kind = ""
	KindCaller  Kind = "caller" // an agent or a user
	KindChat    Kind = "chat"
)

// IdempotencyReader reads the outcomes of calls.
type IdempotencyReader interface {
	// IdempotencyRecord returns the record of a key; nil if there is none. In
	// a writing transaction it waits for others that look for the same key.
	IdempotencyRecord(ctx context.Context, key IdempotencyKey) (*IdempotencyRecord, error)
}

// IdempotencyWriter keeps the outcomes of calls.
type IdempotencyWriter interface {
	// PutOutcome keeps the outcome of a call; ErrExists if its key has one.
	PutOutcome(ctx context.Context, key IdempotencyKey, outcome IdempotencyRecord) error
	// TrimOutcome removes the record of a key if it has expired.
	TrimOutcome(ctx context.Context, key IdempotencyKey, now time.Time) error
}
