// Package accesstest holds the access matrix: every operation, from every
// relation to a store, on entries of every label and kind. It derives the
// expected outcomes from the rules, independently of the code that enforces
// them. Every surface runs the same matrix.
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
	// ToNamespace and ToStore are options of a rename; ToNamespace only of
	// RenameNamespace, and ToStore of RenameStore.
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
	// MaxCharge is what a search may cost, in micros; nil: it may cost nothing.
	MaxCharge *int64
	Offer     string // of an OfferSearch or Accept
}

// The operations. Joining and leaving take a platform token.
const (
	Put      = "put"
	Get      = "get"
	List     = "list"
	Versions = "versions"
	Export   = "export"
	Changes  = "changes"
	Search   = "search"
	// RankedSearch is a search that names a ranking, and RelevantSearch one that
	// names a least relevance.
	RankedSearch   = "search with a ranking"
	RelevantSearch = "search with a least relevance"
	// RefinedSearch is a search with one of the options in Options or OpenOptions.
	RefinedSearch = "search with an option"
	// PagedSearch is a search that shows one hit a page, and follows the cursors to
	// the last.
	PagedSearch = "search in pages"
	// PagedPurchase is a PagedSearch that may cost something.
	PagedPurchase = "purchase in pages"
	// OfferSearch is a search of an offer, and Accept accepts it.
	OfferSearch = "offer search"
	Accept      = "accept"
	Delete      = "delete"
	Restore     = "restore"
	Rename      = "rename"
	// RenameNamespace moves an entry to another namespace, and RenameStore to another
	// store.
	RenameNamespace = "rename to a namespace"
	RenameStore     = "rename to a store"
	Trash           = "trash"
	Grants          = "grants"
	Share           = "share"
	Unshare         = "unshare"
	// AcceptGrant accepts a store, and EndGrant ends the caller's own grant of it.
	AcceptGrant = "accept a grant"
	EndGrant    = "end a grant"
	// SetLanguage chooses which models read a store.
	SetLanguage = "set language"
	JoinChat    = "join chat"
	LeaveChat   = "leave chat"
	JoinUser    = "join user"
	LeaveUser   = "leave user"
)

// Options are the options of a search, by their names in the REST API, that find,
// order and explain hits and leave none of the matrix out. With "nearest" no hit is
// relevant enough, and the keys are those of what comes closest.
var Options = []string{"mode", "queries", "recency", "diversity", "typos", "dates", "as_of", "explain", "where", "timezone", "match", "nearest"}

// ExplainEntry is the option "explain" of a RefinedSearch with the path of the
// operation. It is in neither list.
const ExplainEntry = "explain of an entry"

// OpenOptions are those that a store at level search takes too.
var OpenOptions = []string{"passages", "max_tokens"}

// Where is the condition of a search, list or export with the option "where". All
// entries of the matrix fit it, some only by their values.
const Where = `{"or": [{"encrypted": {"eq": true}}, {"not": {"value.none": {"exists": true}}}], "updated_at": {"gte": "2000-01-01"}}`

// AsOf is the time of a search with the option "as_of": the clock's year, whose end is yet to
// come, so that it means now.
const AsOf = "2026"

// Timezone is the zone of a search with the option "timezone".
const Timezone = "Europe/Berlin"

// Match are the exact words of a search with the option "match". All searchable
// entries of the matrix have them.
const Match = `{"all": ["heliotrope"], "any": ["helio*"], "none": ["heliotrope heliotrope"]}`

// Outcome is the outcome of an operation.
type Outcome struct {
	Status int      // as in REST: 200, 201, 204, 403, 404, 409, 422, …
	Keys   []string // of the entries in the answer, in order
	Label  acl.Label
	Value  string // of a get
	Bare   bool   // of a search: the hits had key, value, label, store, score and relevance alone
	Coarse bool   // of a search: Coarse of a hit
	Lags   bool   // of a search: the answer said vector_lag
	Next   string // of a page of a search: the cursor of the next one
	// Charges is how often a search was charged for.
	Charges int
	// Explained is what became of the entry that a search explained.
	Explained search.Outcome
	// NoVectors: the vector leg of a search failed, as without a model, and an
	// answer says no more than that.
	NoVectors bool
}

// Coarse reports whether a hit's score and relevance are the same number of two
// digits, as from a store at level search.
func Coarse(score, relevance float64) bool {
	return score == relevance && relevance == math.Round(relevance*100)/100
}

// Surface is a surface under test, over a database that nothing else uses.
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
	// Market is what sells searches of the stores behind the surface.
	Market() *meter.Market
}
