package memory

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
)

// Found is an entry as a caller sees it, with its entity tag without quotes.
type Found struct {
	Entry
	ETag string
}

// Preconditions are checked in the write's transaction, against what Get would
// return to the caller.
type Preconditions struct {
	// Match, unless nil, lists entity tags of which one must be the entry's;
	// "*" matches any existing entry.
	Match []string
	// NoneMatch, unless nil, lists entity tags of which none may be the
	// entry's; "*" means that there must be no entry.
	NoneMatch []string
}

// PutRequest writes an entry. Fields that are nil stay as they are.
type PutRequest struct {
	Path         Path
	Value        json.RawMessage
	Type         *string
	Description  *string
	Tags         *[]string
	InContext    *bool          // fixed at creation
	Encrypted    *bool          // fixed at creation
	TTL          *time.Duration // 0: no expiry
	TTLIfAllowed bool           // TTL is ignored, rather than denied, if the caller may not change the expiry
	ExpiresAt    *time.Time     // a future time in place of TTL, for copies
	OccurredAt   *string        // a Moment's text; "": none
	Timezone     string         // of an OccurredAt without zone, as period.Zone takes it; "": UTC
	Source       json.RawMessage
	// Inherit lets an entry that the write creates take the type, description,
	// tags and OccurredAt that are left out, with their authors, from the entry
	// that the path resolves to: one of a lower label.
	Inherit bool
	If      Preconditions
	Wait    bool // until a search in this process can return the entry, at most Options.IndexedWait
	// Similar asks for PutResult.Similar. It waits as Wait does, but without it at most
	// Options.SimilarWait.
	Similar bool
}

// PutResult is the entry as written.
type PutResult struct {
	Found
	Created bool
	Indexed bool // set if Wait or Similar was
	// Similar are entries of the store at other paths that say nearly the same or the
	// opposite, of those that the caller may read, most alike first, at most three. nil:
	// not asked for, or not known, since the entry is never searched, or has no text, or
	// no model makes vectors, or SimilarLate.
	Similar []Near
	// SimilarLate says that Similar is not known since it was not found in time.
	SimilarLate bool
}

// ListRequest asks for a page of a store's entries.
type ListRequest struct {
	Store  string
	Filter Filter
	Prefix string // of the key
	Limit  int    // 1–100
	Cursor string // "" for the first page
	// AsOf, unless "", lists what stood at a time: see Service.GetAsOf. It is read in
	// Filter.Timezone, and does not go with WithoutText.
	AsOf string
	// WithoutText leaves out values and sources. They are not even read.
	WithoutText bool
	// WithTool makes an exception of WithoutText: a source has its tool.
	WithTool bool
}

// TrashRequest asks for a page of a store's deleted entries, or for those of one path.
type TrashRequest struct {
	Store string
	// Path, unless nil, is the path in Store whose latest deleted entry of each label up
	// to the session's is wanted, of those that the caller may restore in a session of
	// that label: the lowest label first, without values and sources, all in one page.
	Path   *Path
	Limit  int    // 1–100; ignored with a Path
	Cursor string // "" for the first page; ignored with a Path
}

// Page is a part of a longer list.
type Page struct {
	Items []Found
	Next  string // cursor of the next page; "" at the end
}

// RestoreRequest brings an older version of a live entry back as a new one, or
// the latest deleted entry of a path.
type RestoreRequest struct {
	Path        Path
	Version     *int // from 1; nil: the latest deleted entry
	If          Preconditions
	Idempotency *Idempotency // nil: none
}

// RenameRequest moves an entry to another key, and maybe another namespace or store.
type RenameRequest struct {
	Path        Path
	To          string  // key
	ToNamespace *string // nil: the same
	ToStore     string  // "": the same
	If          Preconditions
	Idempotency *Idempotency // nil: none
}

// Near is an entry: in Answer.Nearest one that may have nothing to do with the question, with
// its relevance to it; in PutResult.Similar one that is similar, read without its value, with
// how likely it says nearly the same or the opposite, from fusion.MinAlike to 1.
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
	// Unaccepted says that the caller has not accepted the grant: calls that name no
	// store leave it out.
	Unaccepted bool
	// Reading is what Models follows from. It, Models and EveryLanguage are zero if the caller
	// has level search on the store.
	Reading choice.Reading
	// Models are those that read the store's entries: english, multilingual or both, or
	// the fingerprint of an embedder that reads every language, to which Reading does not
	// matter. Of one that does not serve in this process there is none.
	Models []string
	// EveryLanguage says that one embedder reads every language, for each store.
	EveryLanguage bool
	// Progress says how far the multilingual model is with a store that is not
	// Reading.Whole; nil if it is.
	Progress *ReadingProgress
}

// ReadingProgress counts the entries that the multilingual model is to read, and those of
// them that it has read, up to the caller's ceiling.
type ReadingProgress struct{ Done, Total int64 }

// ShareRequest grants a store to an agent.
type ShareRequest struct {
	Store, Grantee string
	Level          acl.Level // None: read
	TTL            *time.Duration
	MaxLabel       acl.Label // zero: the highest that the caller may grant
	Caps           acl.Caps  // of level search alone
}

// PurgeRequest says what to erase.
type PurgeRequest struct {
	Before time.Time // that was deleted or expired before this
	// Wait has the call return once no file of the database holds what it erased, about a
	// minute per GB later, unless a reader keeps it.
	Wait bool
}

// PurgeResult lists the entries that a purge erased.
type PurgeResult struct {
	IDs []uuid.UUID
	// ErasedOnDisk is when no file of the database held them any more; the zero time:
	// not known. See Scrubber.
	ErasedOnDisk time.Time `json:",omitzero"`
}
