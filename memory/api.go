package memory

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
)

// Found is an entry as a caller sees it. ETag is without quotes.
type Found struct {
	Entry
	ETag string
}

// Preconditions are checked in the write's transaction, against the entry that Get would return
// to the caller.
type Preconditions struct {
	// Match, unless nil, lists entity tags, one of which must be the entry's. "*" matches any
	// existing entry.
	Match []string
	// NoneMatch, unless nil, lists entity tags, none of which may be the entry's. "*" means
	// that the entry must not exist.
	NoneMatch []string
}

// PutRequest writes an entry. Fields that are nil stay unchanged.
type PutRequest struct {
	Path         Path
	Value        json.RawMessage
	Type         *string
	Description  *string
	Tags         *[]string
	InContext    *bool          // fixed at creation
	Encrypted    *bool          // fixed at creation
	TTL          *time.Duration // 0: no expiry
	TTLIfAllowed bool           // TTL is ignored, not denied, if the caller may not change the expiry
	ExpiresAt    *time.Time     // a future time instead of TTL, for copies
	OccurredAt   *string        // a Moment's text; "": none
	Timezone     string         // of an OccurredAt without zone, as period.Zone takes it; "": UTC
	Source       json.RawMessage
	// Inherit: if the write creates an entry although the path resolves to another one, with a
	// lower label, the new entry copies from that one the type, description, tags and
	// OccurredAt that the request omits, with their authors.
	Inherit bool
	If      Preconditions
	Wait    bool // until a search in this process can return the entry, at most Options.IndexedWait
	// Similar requests PutResult.Similar. The write waits as with Wait, but unless Wait is set
	// too, at most Options.SimilarWait.
	Similar bool
}

// PutResult is the entry as written.
type PutResult struct {
	Found
	Created bool
	Indexed bool // set if Wait or Similar was set
	// Similar are the store's entries at other paths that say nearly the same or the opposite
	// and that the caller may read, most alike first, at most three. It is nil if the request
	// did not set Similar. It is also nil if the result is unknown: the entry is never searched
	// or has no text, no model makes vectors, or SimilarLate is set.
	Similar []Near
	// SimilarLate says that the wait ended before similar entries were found.
	SimilarLate bool
}

// ListRequest asks for a page of a store's entries.
type ListRequest struct {
	Store  string
	Filter Filter
	Prefix string // of the key
	Limit  int    // 1–100
	Cursor string // "" for the first page
	// AsOf, unless "", is a time in the past for which the entries are listed: see
	// Service.GetAsOf. It is interpreted in Filter.Timezone, and cannot be combined with
	// WithoutText.
	AsOf string
	// WithoutText omits values and sources. They are not even read.
	WithoutText bool
	// WithTool makes an exception to WithoutText: sources are included, reduced to their tool.
	WithTool bool
}

// TrashRequest asks for a page of a store's deleted entries, or for the deleted entries of one
// path.
type TrashRequest struct {
	Store string
	// Path, unless nil, is a path in Store. The page then lists deleted entries of this path:
	// for each label up to the session's, the latest one that a session of the caller at that
	// label may restore. It begins with the lowest label, and omits values and sources.
	Path   *Path
	Limit  int    // 1–100; ignored with a Path
	Cursor string // "" for the first page; ignored with a Path
}

// Page is a part of a longer list.
type Page struct {
	Items []Found
	Next  string // cursor of the next page; "" at the end
}

// RestoreRequest restores an older version of a live entry as a new version, or the latest
// deleted entry of a path.
type RestoreRequest struct {
	Path        Path
	Version     *int // from 1; nil: the latest deleted entry
	If          Preconditions
	Idempotency *Idempotency // nil: none
}

// RenameRequest moves an entry to another key, and optionally another namespace or store.
type RenameRequest struct {
	Path        Path
	To          string  // key
	ToNamespace *string // nil: the same
	ToStore     string  // "": the same
	If          Preconditions
	Idempotency *Idempotency // nil: none
}

// Near is an entry with a score. In Answer.Nearest, the entry may have nothing to do with the
// question, and the score is its relevance to the question. In PutResult.Similar, the entry has
// no value, and the score, from fusion.MinAlike to 1, is the likelihood that it says nearly the
// same or the opposite.
type Near struct {
	Entry     Entry
	Relevance float64
}

// StoreInfo describes a store that the caller can reach.
type StoreInfo struct {
	Store     string
	Kind      string // self, grant, chat or user
	Level     acl.Level
	ExpiresAt time.Time // zero: never
	// Unaccepted says that the caller has not accepted the grant: calls that name no store skip
	// it.
	Unaccepted bool
	// Reading determines Models. Reading, Models and EveryLanguage are zero if the
	// caller has level search on the store.
	Reading choice.Reading
	// Models are the models that read the store's entries: english, multilingual or both. If
	// one embedder reads every language, Reading does not matter, and Models has that
	// embedder's fingerprint, or nothing if it does not serve in this process.
	Models []string
	// EveryLanguage reports that one embedder reads every language, in all stores.
	EveryLanguage bool
	// Progress says how many entries the multilingual model has read, in a store that it is
	// still reading. It is nil if the store is Reading.Whole.
	Progress *ReadingProgress
}

// ReadingProgress counts the entries that the multilingual model must read, and how many of
// them it has read, up to the caller's ceiling.
type ReadingProgress struct{ Done, Total int64 }

// ShareRequest grants a store to an agent.
type ShareRequest struct {
	Store, Grantee string
	Level          acl.Level // None: read
	TTL            *time.Duration
	MaxLabel       acl.Label // zero: the highest that the caller may grant
	Caps           acl.Caps  // for level search only
}

// PurgeRequest says what to erase.
type PurgeRequest struct {
	Before time.Time // entries deleted or expired before this time
	// Wait makes the call return once no file of the database contains the erased data. That
	// takes about a minute per GB, and longer while a reader still uses the data.
	Wait bool
}

// PurgeResult lists the entries that a purge erased.
type PurgeResult struct {
	IDs []uuid.UUID
	// ErasedOnDisk is the time from which no file of the database contains the entries; the
	// zero time if that is unknown. See Scrubber.
	ErasedOnDisk time.Time `json:",omitzero"`
}
