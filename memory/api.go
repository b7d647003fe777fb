package memory

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// Found is an entry as a caller sees it, with its entity tag (no quotes).
type Found struct {
	Entry
	ETag string
}

// Preconditions are judged, inside the write's transaction, against what Get
// would return to the caller.
type Preconditions struct {
	// Match, unless nil, holds entity tags of which one must be the entry's;
	// "*" stands for any existing entry.
	Match []string
	// NoneMatch, unless nil, holds entity tags none of which may be the
	// entry's; "*" means that there must be no entry.
	NoneMatch []string
}

// PutRequest writes an entry. Fields that are nil stay as they are.
type PutRequest struct {
	Path        Path
	Value       json.RawMessage
	Type        *string
	Description *string
	Tags        *[]string
	InContext   *bool          // fixed at creation
	Encrypted   *bool          // fixed at creation
	TTL         *time.Duration // 0: no expiry
	TTLIfMay    bool           // whoever may not change the expiry leaves it, in place of acl.ErrDenied
	ExpiresAt   *time.Time     // an instant ahead instead of TTL, for what is copied
	Source      json.RawMessage
	If          Preconditions
	Wait        bool // until a search of this process can return it, at most 10 s
}

// PutResult is the entry as written.
type PutResult struct {
	Found
	Created bool
	Indexed bool // only where Wait was asked for
}

// ListRequest asks for a page of a store.
type ListRequest struct {
	Store  string
	Filter Filter
	Prefix string // of the key
	Limit  int    // 1–100
	Cursor string // "" for the first page
	// WithoutText leaves out values and sources, and does not read them.
	WithoutText bool
}

// Page is a stretch of a longer list.
type Page struct {
	Items []Found
	Next  string // cursor of the next page; "" at the end
}

// RestoreRequest brings an older version of a live entry back as a new one
// (Version > 0), or the latest deleted entry of a path (0).
type RestoreRequest struct {
	Path        Path
	Version     int
	If          Preconditions
	Idempotency *Idempotency // nil: none
}

// RenameRequest moves an entry to another key, and maybe another store.
type RenameRequest struct {
	Path        Path
	To          string // key
	ToStore     string // "": the same
	If          Preconditions
	Idempotency *Idempotency // nil: none
}

// SearchRequest is a question.
type SearchRequest struct {
	Query   string
	Stores  []string // empty: the whole scope
	Chat    string   // named by the request of a surface that does so
	User    string
	Filter  Filter
	Limit   int // 1–100
	Explain bool
}

// Answer is what a search found.
type Answer struct {
	Hits  []Hit
	Label acl.Label // the highest among the hits; zero if there are none
	// Degraded names the legs that failed or timed out: "lexical", "vector".
	Degraded []string
	// Incomplete says that refilling hit its bound: there may be more.
	Incomplete bool
	Took       Took
}

// Took is how long the steps of a search ran. Legs run side by side.
type Took struct {
	Embed, Lexical, Vector, Fetch time.Duration
}

// Hit is one found entry. From a store with level search it carries store,
// key, label, value and score, and the rest is zero.
type Hit struct {
	Entry
	Score   float64
	Level   acl.Level // the caller's on the entry's store
	Explain *Explain  // where asked for and allowed
}

// Explain tells how a hit came to its place.
type Explain struct {
	Lexical, Vector *LegRank // nil: not in that leg's list
	Fused           float64
	Via             acl.Via
	Label           acl.Label
}

// LegRank is a hit's place in one leg.
type LegRank struct {
	Rank  int // from 1
	Score float64
}

// StoreInfo is one store that the caller can reach.
type StoreInfo struct {
	Store     string
	Kind      string // self, grant, chat or user
	Level     acl.Level
	ExpiresAt time.Time // zero: never
}

// ShareRequest grants a store to an agent.
type ShareRequest struct {
	Store, Grantee string
	Level          acl.Level // None: read
	TTL            *time.Duration
	MaxLabel       acl.Label // zero: as high as the caller may give
}

// PurgeResult is what a purge erased.
type PurgeResult struct {
	IDs []uuid.UUID
}
