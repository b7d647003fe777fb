package memory

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/fusion"
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
	Wait    bool // until a search in this process can return the entry, at most 10 s
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
	// WithoutText leaves out values and sources. They are not even read.
	WithoutText bool
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

// RenameRequest moves an entry to another key, and maybe another store.
type RenameRequest struct {
	Path        Path
	To          string // key
	ToStore     string // "": the same
	If          Preconditions
	Idempotency *Idempotency // nil: none
}

// SearchRequest asks for the entries that answer a query.
type SearchRequest struct {
	Query string
	// Queries are 2–8 wordings of the question, in place of Query. The hits of
	// all are fused, and a hit's relevance is its best.
	Queries []string
	Stores  []string // 1–MaxStores; nil: all that the caller may search
	Chat    string   // named by the request, on surfaces that allow it
	User    string
	Filter  Filter
	Limit   int // 1–100
	Ranking Ranking
	// MaxTokens bounds the tokens of the keys, descriptions, and values or
	// passages of the hits that EachHit yields, in order: it ends before the
	// first that does not fit, but cuts the first of all to what fits. One of a
	// store at level search ends the hits of that store alone. At least MinTokens;
	// 0: no bound.
	MaxTokens int
	// Passages shows long values by passages of their text: see Hit.
	Passages bool
	// MinRelevance leaves out hits of less relevance, 0–1. Then only candidates
	// that were ranked by relevance are hits: see rerankDepth.
	MinRelevance float64
	Mode         Mode
	// Recency, unless nil, weighs younger entries more.
	Recency *Recency
	// Nearest is how many entries the answer names in Nearest at most, 0–MaxNearest, if
	// none reaches MinRelevance.
	Nearest int
	// NoTypos looks for the words of the question alone. Otherwise a word that no entry
	// of the scope has, of four letters or more and without digits, also stands for words
	// that differ in one letter, two from eight letters on.
	NoTypos bool
	// NearestByDefault says that the caller did not ask for Nearest: stores at level
	// search are searched all the same.
	NearestByDefault bool `json:"-"` // no part of what a cursor is bound to
	// Diversity, 0–1, moves hits down that resemble a hit before them.
	Diversity float64
	// Cursor asks for the page after an answer: see Service.NextCursor. All
	// other options are those of the first page.
	Cursor string
	// Explain explains the hits, and what the filter dropped: see Answer.Explanation.
	Explain bool
	// ExplainEntry, unless nil, also asks why the entry at a path is not above where
	// it is. It includes Explain.
	ExplainEntry *Path
	// Purchase says what the search may buy from metered stores.
	Purchase Purchase
}

// Mode says which legs of a search look for hits. Relevance is the same in all.
type Mode string

// The modes. The zero value means ModeHybrid.
const (
	ModeHybrid  Mode = "hybrid"  // both legs
	ModeLexical Mode = "lexical" // the words
	ModeVector  Mode = "vector"  // the meaning
)

// Recency orders hits by relevance × (1 − Weight + Weight·2^(−age ÷ HalfLife)).
// It leaves none out, and changes no relevance.
type Recency struct {
	HalfLife time.Duration // > 0
	Weight   float64       // 0–1
}

// Ranking is what orders the hits of a search.
type Ranking string

// The rankings. The zero value means RankingRelevance.
const (
	RankingRelevance Ranking = "relevance" // by relevance: see fusion.Relevance
	RankingRRF       Ranking = "rrf"       // by the ranks in both legs: see fusion.RRF
)

// Answer is the result of a search.
type Answer struct {
	// Hits are the hits, best first. Only the first of them, up to 512 kB of
	// values, have their values: Service.EachHit reads the others.
	Hits  []Hit
	Label acl.Label // the highest of the hits and of Nearest; zero if there are none
	// Nearest, best first, come closest where there are no hits, as many as the request
	// asks for: entries that the caller may read.
	Nearest []Near
	// NoWords says that there are no hits since the question has no words.
	NoWords bool
	// Degraded names the legs that failed or timed out: "lexical", "vector".
	// "rerank" says that the Reranker did, and that the order is that without it.
	// "vector_lag" says that entries which the caller may see wait for their
	// vectors for more than five seconds, so that the vector leg lacks them.
	Degraded []string
	// Incomplete says that the search gave up looking for more visible hits.
	Incomplete bool
	// Tokens is set by EachHit if the request has MaxTokens: of what it yielded.
	Tokens int
	Took   Took
	// Explanation is nil unless the request has Explain.
	Explanation *Explanation
	// Bill is what the search cost, and which metered stores it left out.
	Bill Bill

	// done is set by EachHit: how many of Hits it yielded or found that the
	// caller no longer sees.
	done    int
	loaded  int // number of Hits that have their values
	query   *searchQuery
	rest    frozen // the candidates after Hits
	unpaged bool   // no page follows, whatever is left

	unsold *unsold // until Hits are decided with what they cost
	sold   bool    // Hits were decided so: see Service.sell
	over   int     // hits beyond Hits for which there was no room in MaxTokens
}

// Near is an entry, read without its value: in Answer.Nearest one that may have nothing to
// do with the question, with its relevance to it; in PutResult.Similar one that is similar,
// with how likely it says nearly the same or the opposite, from fusion.MinAlike to 1.
type Near struct {
	Entry     Entry
	Relevance float64
}

// Took holds how long the steps of a search took. The legs run concurrently.
// Queue is the wait until the search could begin.
//
// Filter is the time in which the storage looked for the entries that pass the
// request's Filter, before the legs. Rank, the reading and the arithmetic of the
// relevance, is a part of Fetch.
type Took struct {
	Queue, Filter, Embed, Lexical, Vector, Rank, Fetch time.Duration
	Rerank                                             time.Duration // choosing what the Reranker judges, and its answer
	Total                                              time.Duration // of the search, the wait for its turn included
}

// Hit is an entry that a search found. From a store on which the caller has
// level search it has store, key, label, value, score and relevance alone, the
// last two the same number of two digits.
//
// EachHit shows a long value by Passages in its place, if the request has
// Passages or the first hit is too long for MaxTokens.
type Hit struct {
	Entry
	// Passages are the stretches of the value's text that answer the query best,
	// best first and apart; at least one if Truncated.
	Passages  []Passage
	Truncated bool // Value is nil, and Passages replace it
	// Highlights are the byte ranges of lexical.TextOf(Value) that have words of
	// the query, if the request has Passages, the value is whole and the caller's
	// level is above search.
	Highlights [][2]int
	// Score orders the hits of an answer, but for those beyond rerankDepth:
	// fusion.Relevance's, or with RankingRRF that of the fusion.
	Score float64
	// Relevance is how likely the entry answers the query, 0–1. It has the same
	// meaning for every query, store and ranking, and depends on no other hit; but
	// whether a Reranker was asked about the hit does, which is part of it then.
	Relevance float64
	Level     acl.Level // the caller's on the store
	Explain   *Explain  // nil unless asked for and allowed

	// SECURITY: what follows is for this package alone.
	query *searchQuery
	found *candidate
	whole Entry        // the entry, whatever the caller's level
	codes []chunkCodes // of the chunks nearest to the query, for passages
	// sold says that the hit is as it was sold, with its value or passages, which
	// have so many tokens if the request has MaxTokens.
	sold   bool
	tokens int
}

// Explain says how a hit was ranked and why the caller may see it.
type Explain struct {
	Lexical, Vector *LegRank     // nil: the leg did not find it, or a page after the first
	Fused           *float64     // score by Reciprocal Rank Fusion; nil on a page after the first
	Parts           fusion.Parts // what the relevance is made of
	// Summands are the numbers whose sum is the score by relevance.
	Summands []fusion.Summand
	// Wording is the index of the wording that Lexical, Vector, Parts and
	// Summands are for: that to which the hit is most relevant.
	Wording int
	// Rerank is what the Reranker said of the hit; nil: nothing.
	Rerank *Judgement
	// Recency is the factor of the relevance in the score, 0–1; nil: none.
	Recency *float64
	// Similarity is the greatest to a hit before this one, 0–1, for Diversity;
	// nil: not compared.
	Similarity *float64
	Via        acl.Via
	Label      acl.Label
}

// LegRank is a hit's rank and score in one leg.
type LegRank struct {
	Rank  int // from 1
	Score float64
}

// Judgement is what a Reranker said of a hit.
type Judgement struct {
	Rank  int     // among those that it judged, from 1; 0 on a page after the first
	Score float64 // the probability that the hit answers the query, 0–1
}

// StoreInfo describes a store that the caller can reach.
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
	MaxLabel       acl.Label // zero: the highest that the caller may grant
	Caps           acl.Caps  // of level search alone
}

// PurgeResult lists the entries that a purge erased.
type PurgeResult struct {
	IDs []uuid.UUID
	// ErasedOnDisk is when no file of the database held them any more; the zero time:
	// not known. See Scrubber.
	ErasedOnDisk time.Time `json:",omitzero"`
}
