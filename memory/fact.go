package memory

import (
	"context"
	"time"

	"mneme/acl"
)

// NameReader reads what kinds of names are known.
type NameReader interface {
	// KindOf returns the kind that an id is claimed as; KindUnknown if none.
	KindOf(ctx context.Context, id string) (Kind, error)
}

// IdempotencyReader reads the outcomes of calls.
type IdempotencyReader interface {
	// IdempotencyRecord returns the record of a key; nil if there is none. In
	// a writing transaction it waits for others that look for the same key.
	IdempotencyRecord(ctx context.Context, key IdempotencyKey) (*IdempotencyRecord, error)
}

// FactWriter writes the facts of access that acl.Facts reads, and the names and
// outcomes of calls.
type FactWriter interface {
	// PutFact writes a fact.
	PutFact(ctx context.Context, fact Fact) error
}

// Fact is a GrantFact, MemberFact, SettingsFact, NameFact, OutcomeFact or ReadingFact.
type Fact interface{ fact() }

// GrantFact replaces the grant of (Store, Grantee, Label). Level None removes it.
type GrantFact acl.Grant

// MemberFact replaces an agent's participation in a chat (acl.ViaChat) or its session
// with a user (acl.ViaUser). One that is not Present removes it.
type MemberFact struct {
	Via       acl.Via
	Of, Agent string
	acl.Membership
}

// SettingsFact replaces an agent's settings.
type SettingsFact struct {
	Agent string
	acl.Settings
}

// NameFact claims an id for a kind; ErrKindClash if it has another one.
type NameFact struct {
	ID   string
	Kind Kind
}

// OutcomeFact keeps the outcome of a call; ErrExists if its key has one.
type OutcomeFact struct {
	Key IdempotencyKey
	IdempotencyRecord
}

// ReadingFact changes which models read a store. What it does not name stays.
type ReadingFact struct {
	Store string
	// Language, unless nil, replaces the choice, and withdraws that the store was Asked.
	Language *acl.Language
	// Asked, if true, becomes true, and Multilingual and Mixed, unless 0, become at most
	// this: see acl.Reading.
	Asked        bool
	Multilingual acl.Label
	Mixed        acl.Label
	// QueuedAt, unless zero, queues the store's entries from then on, as by Put: those
	// whose revision has no vectors under Lacking, and whose label is at least From. Those
	// of a large store are left to the indexer, which queues them in steps. Until they are
	// indexed the store is not Whole, if the multilingual model is to read them because of
	// what the fact names.
	QueuedAt time.Time
	Lacking  string    // a fingerprint; "": all entries
	From     acl.Label // 0: all
	// Indexed, if true, moves Unread past the labels of which all that was queued is
	// indexed.
	Indexed bool
}

func (ReadingFact) fact()  {}
func (GrantFact) fact()    {}
func (MemberFact) fact()   {}
func (SettingsFact) fact() {}
func (NameFact) fact()     {}
func (OutcomeFact) fact()  {}

// Kind is the kind of a name.
type Kind string

// The kinds. An id has at most one.
const (
	KindUnknown Kind = ""
	KindCaller  Kind = "caller" // an agent or a user
	KindChat    Kind = "chat"
)
