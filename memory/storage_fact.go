package memory

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/embed/choice"
)

// acl.Facts reads the facts that decide about access. The interfaces here count and write them.

// GrantCounter counts grants and offers against the limits of a store.
type GrantCounter interface {
	// CountGrants returns the number of grants of a store at a label, including expired ones
	// until they are trimmed.
	CountGrants(ctx context.Context, store string, label acl.Label) (int64, error)
	// CountOffers returns the number of open offers on a store, with labels up to a ceiling.
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
	// PutMembership replaces an agent's participation in a chat (acl.ViaChat) or session with a
	// user (acl.ViaUser). A membership that is not Present removes it.
	PutMembership(ctx context.Context, via acl.Via, of, agent string, m acl.Membership) error
	// PutSettings replaces an agent's settings.
	PutSettings(ctx context.Context, agent string, settings acl.Settings) error
	// TrimFacts removes expired grants, memberships and idempotency records, at most limit of
	// each kind, and reports whether there may be more.
	TrimFacts(ctx context.Context, now time.Time, limit int) (more bool, err error)
}

// ReadingReader counts stores and entries by the models that read them.
type ReadingReader interface {
	// CountStoresRead returns the number of stores that the model for a language,
	// LanguageEnglish or LanguageMultilingual, reads: see choice.Reading.Models. It ignores
	// stores to which nothing was ever written.
	CountStoresRead(ctx context.Context, by choice.Language) (int64, error)
	// CountStoresUnread returns the number of stores that are not choice.Reading.Whole.
	CountStoresUnread(ctx context.Context) (int64, error)
	// CountRead returns the number of a store's searchable entries with labels in a range.
	CountRead(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
	// CountUnread returns how many of the entries that CountRead counts are still unread: they
	// were queued after choice.Reading.Unread was set and still are, or must still be queued.
	CountUnread(ctx context.Context, store string, from, ceiling acl.Label) (int64, error)
}

// ReadingWriter writes which models read a store.
type ReadingWriter interface {
	// PutReading changes which models read a store.
	PutReading(ctx context.Context, change ReadingChange) error
}

// ReadingChange changes which models read a store. Zero fields change nothing.
type ReadingChange struct {
	Store string
	// Language, unless nil, becomes the store's chosen language, and resets
	// choice.Reading.Asked.
	Language *choice.Language
	// Asked, if true, sets choice.Reading.Asked. Multilingual and Mixed, unless 0, are upper
	// bounds for the fields of choice.Reading with these names: a stored label that is higher,
	// or not set, becomes this label.
	Asked        bool
	Multilingual acl.Label
	Mixed        acl.Label
	// QueuedAt, unless zero, makes the store's entries be queued with this time: those whose
	// current revision has no vectors under Lacking, and whose label is at least From. The
	// entries of a large store are only marked; the indexer queues them in steps. If the change
	// makes the multilingual model read entries, the store is not Whole until they are indexed.
	QueuedAt time.Time
	Lacking  string    // a fingerprint; "": all entries
	From     acl.Label // 0: all
	// Indexed, if true, moves choice.Reading.Unread past the labels whose queued entries are
	// all indexed by now.
	Indexed bool
}

// NameReader reads the known kinds of names.
type NameReader interface {
	// KindOf returns the kind of a claimed id, or KindUnknown.
	KindOf(ctx context.Context, id string) (Kind, error)
}

// NameWriter claims names.
type NameWriter interface {
	// ClaimName claims an id for a kind. The error is ErrKindClash if it has another kind.
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
	// IdempotencyRecord returns the record of a key, or nil if there is none. In a writing
	// transaction, it waits for other transactions that have looked up the same key.
	IdempotencyRecord(ctx context.Context, key IdempotencyKey) (*IdempotencyRecord, error)
}

// IdempotencyWriter stores the outcomes of calls.
type IdempotencyWriter interface {
	// PutOutcome stores the outcome of a call. The error is ErrExists if its key has one.
	PutOutcome(ctx context.Context, key IdempotencyKey, outcome IdempotencyRecord) error
	// TrimOutcome removes the record of a key if it has expired.
	TrimOutcome(ctx context.Context, key IdempotencyKey, now time.Time) error
}
