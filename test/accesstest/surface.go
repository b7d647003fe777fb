// Package accesstest tests the access matrix: every operation, by callers in every
// relation to a store, on entries of every label and kind. It derives the expected
// outcomes from the rules, independently of the code that enforces them. The tests
// of every surface run the same matrix.
package accesstest

import (
	"math"
	"time"

	"mneme/acl"
	"mneme/meter"
	"mneme/search"
)

// Operation is one operation that a caller tries.
type Operation struct {
	Name      string // one of the constants below
	Store     string
	Key       string
	Value     string // of a put
	InContext *bool  // of a put
	Encrypted *bool  // of a put
	Version   *int   // of a restore; nil: the latest deleted
	To        string // new key of a rename
	// ToNamespace and ToStore are options of a rename: ToNamespace only for
	// RenameNamespace, ToStore only for RenameStore.
	ToNamespace *string
	ToStore     *string
	Query       string // of a search
	// MinRelevance and Ranking are options of a search; Ranking only of RankedSearch.
	MinRelevance float64
	Ranking      string
	// Option is the option of a RefinedSearch: one of the names below. A List or
	// Export may have "where".
	Option   string
	Other    string    // agent of a share, unshare, join or leave
	Level    acl.Level // of a share
	TTL      time.Duration
	MaxLabel acl.Label // of a share; zero: not given
	// MaxCharge is the maximum charge of a search, in micros; nil: none.
	MaxCharge *int64
	Offer     string // of an OfferSearch or Accept
}

// The operations. Joining and leaving require a platform token.
const (
	Put      = "put"
	Get      = "get"
	List     = "list"
	Versions = "versions"
	Export   = "export"
	Changes  = "changes"
	Search   = "search"
	// RankedSearch is a search with a ranking. RelevantSearch is a search with a
	// minimum relevance.
	RankedSearch   = "search with a ranking"
	RelevantSearch = "search with a minimum relevance"
	// RefinedSearch is a search with one of the options in Options or OpenOptions.
	RefinedSearch = "search with an option"
	// PagedSearch is a search with one hit per page that follows the cursors to the
	// last page.
	PagedSearch = "search in pages"
	// PagedPurchase is a PagedSearch with a maximum charge.
	PagedPurchase = "purchase in pages"
	// OfferSearch searches an offer; Accept accepts it.
	OfferSearch = "offer search"
	Accept      = "accept"
	Delete      = "delete"
	Restore     = "restore"
	Rename      = "rename"
	// RenameNamespace moves an entry to another namespace; RenameStore moves it to
	// another store.
	RenameNamespace = "rename to a namespace"
	RenameStore     = "rename to a store"
	Trash           = "trash"
	Grants          = "grants"
	Share           = "share"
	Unshare         = "unshare"
	// AcceptGrant accepts a granted store; EndGrant ends the caller's own grant.
	AcceptGrant = "accept a grant"
	EndGrant    = "end a grant"
	// SetLanguage selects the models for a store.
	SetLanguage = "set language"
	JoinChat    = "join chat"
	LeaveChat   = "leave chat"
	JoinUser    = "join user"
	LeaveUser   = "leave user"
)

// Options are the search options, by their names in the REST API, that find, order
// and explain hits without excluding entries of the matrix. With "nearest", no hit
// is relevant enough, and Outcome.Keys are the keys of the nearest entries.
var Options = []string{"mode", "queries", "recency", "diversity", "typos", "dates", "as_of", "explain", "where", "timezone", "match", "nearest"}

// ExplainEntry is the option "explain" of a RefinedSearch, with the operation's
// path. It is neither in Options nor in OpenOptions.
const ExplainEntry = "explain of an entry"

// OpenOptions are the options that a caller at level search may use too.
var OpenOptions = []string{"passages", "max_tokens"}

// Where is the condition of a search, list or export with the option "where". All
// entries of the matrix match it, some only by their values.
const Where = `{"or": [{"encrypted": {"eq": true}}, {"not": {"value.none": {"exists": true}}}], "updated_at": {"gte": "2000-01-01"}}`

// AsOf is the time of a search with the option "as_of": the clock's year, which ends in the
// future, so that it means now.
const AsOf = "2026"

// Timezone is the zone of a search with the option "timezone".
const Timezone = "Europe/Berlin"

// Match is the condition on exact words of a search with the option "match". All
// searchable entries of the matrix match it.
const Match = `{"all": ["heliotrope"], "any": ["helio*"], "none": ["heliotrope heliotrope"]}`

// Outcome is the outcome of an operation.
type Outcome struct {
	Status int      // as in REST: 200, 201, 204, 403, 404, 409, 422, …
	Keys   []string // of the entries in the answer, in order
	Label  acl.Label
	Value  string // of a get
	Bare   bool   // of a search: the hits had only key, value, label, store, score and relevance
	Coarse bool   // of a search: the result of the function Coarse for a hit
	Lags   bool   // of a search: the answer reported vector_lag
	Next   string // of a page of a search: the cursor of the next page
	// Charges is the number of charges for a search.
	Charges int
	// Explained is the explained outcome of an entry.
	Explained search.Outcome
	// NoVectors reports that a search's vector leg failed, as without a model,
	// and the answer reports only that.
	NoVectors bool
}

// Coarse reports whether a hit's score and relevance are the same number, rounded to two
// decimals, as for a store at level search.
func Coarse(score, relevance float64) bool {
	return score == relevance && relevance == math.Round(relevance*100)/100
}

// Surface is a surface under test, over a database that no other test uses.
type Surface interface {
	// Do tries an operation as a principal.
	Do(p acl.Principal, op Operation) Outcome
	// Index brings the vector index up to date with the rows.
	Index()
	// Advance moves the service's clock forward.
	Advance(d time.Duration)
	// Offers reports whether the surface has an operation, or an option of a
	// RefinedSearch.
	Offers(name string) bool
	// Market returns the market for searches of the stores behind the surface.
	Market() *meter.Market
}
