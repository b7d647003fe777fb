// Package accesstest holds the access matrix of the product: every operation,
// from every relation to a store, on entries of every label and kind. What is
// expected is worked out from the rules here, apart from the code that
// enforces them; every surface runs the same matrix.
package accesstest

import (
	"time"

	"mneme/acl"
)

// Operation is one thing that a caller tries.
type Operation struct {
	Name      string // one of the constants below
	Store     string
	Key       string
	Value     string    // of a put
	InContext *bool     // of a put
	Encrypted *bool     // of a put
	Version   int       // of a restore; 0: the latest deleted
	To        string    // new key of a rename
	Query     string    // of a search
	Other     string    // agent of a share, unshare, join or leave
	Level     acl.Level // of a share
	TTL       time.Duration
	MaxLabel  acl.Label // of a share; zero: not said
}

// Operations that a surface carries out. Join and leave are a platform's.
const (
	Put       = "put"
	Get       = "get"
	List      = "list"
	Versions  = "versions"
	Export    = "export"
	Search    = "search"
	Delete    = "delete"
	Restore   = "restore"
	Rename    = "rename"
	Trash     = "trash"
	Grants    = "grants"
	Share     = "share"
	Unshare   = "unshare"
	JoinChat  = "join chat"
	LeaveChat = "leave chat"
	JoinUser  = "join user"
	LeaveUser = "leave user"
)

// Outcome is what came of it.
type Outcome struct {
	Status int      // as of REST: 200, 201, 204, 403, 404, 409, 422, …
	Keys   []string // of the entries that it showed, in order
	Label  acl.Label
	Value  string // of a get
	Bare   bool   // of a search: the hits carried key, value, label, store and score alone
}

// Surface is one way into the service, over a database that nothing else uses.
type Surface interface {
	// Do tries an operation as a principal.
	Do(p acl.Principal, op Operation) Outcome
	// Index brings the vector index into step with what was written.
	Index()
	// Pass lets time pass for the service's clock.
	Pass(d time.Duration)
	// Offers tells whether the surface has the operation at all.
	Offers(operation string) bool
}
