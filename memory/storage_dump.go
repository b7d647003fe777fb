package memory

import (
	"context"
	"encoding/json"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/lexical"
)

// Dumper reads the whole database.
type Dumper interface {
	// Dump yields the records of a dump, in an order in which they can be loaded. It stops at
	// an error of yield and returns it.
	Dump(ctx context.Context, yield func(DumpRecord) error) error
}

// Loader restores a dump.
type Loader interface {
	// Load writes one record of a dump unchanged. The error is ErrExists if the database has
	// the record already. doc has the terms of the record's entry if that is live and
	// searchable, and is otherwise empty. An entry is also queued for the indexer, as by Put.
	Load(ctx context.Context, record DumpRecord, doc lexical.Document) error
}

// DumpRecord is one line of an operator's dump. Exactly one field is set.
type DumpRecord struct {
	Entry       *Entry          `json:"entry,omitempty"`
	Version     *Entry          `json:"version,omitempty"` // a former version, after its entry
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

// DumpReading says how a store is read: the chosen language, whether the store was Asked, and
// the label from which it is mixed, as in choice.Reading. Which entries the multilingual model
// reads for their language follows from their texts.
type DumpReading struct {
	Store    string
	Language choice.Language
	Asked    bool
	Mixed    acl.Label `json:",omitzero"`
}

// DumpName is an id with its kind.
type DumpName struct {
	ID   string
	Kind Kind
}
