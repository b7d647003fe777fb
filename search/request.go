package search

import (
	"time"

	"mneme/memory"
)

// Request is a request for the entries that answer a query.
type Request struct {
	Query string
	// Queries are 2–8 wordings of the question, in place of Query. The hits of all
	// wordings are fused, and a hit has its best relevance for any of them.
	Queries []string
	Stores  []string // empty: all that the caller may search
	Chat    string   // named by the request, on surfaces that allow it
	User    string
	Filter  memory.Filter
	Limit   int // 1–100
	Ranking Ranking
	// MaxTokens bounds the tokens of the keys, descriptions, and values or
	// passages of the hits that Values yields, in order. Values ends before the
	// first hit that does not fit, but cuts the very first to what fits. A hit of a
	// store at level search that does not fit ends only the hits of that store. At
	// least MinTokens; 0: no bound.
	MaxTokens int
	// Passages replaces long values by passages of their text: see Hit.
	Passages bool
	// MinRelevance, 0–1, leaves out hits of less relevance. Then only the first hundred
	// candidates, which are ordered by relevance, can be hits.
	MinRelevance float64
	Mode         Mode
	// Recency, unless nil, gives younger entries more weight.
	Recency *Recency
	// Nearest bounds the entries in Answer.Nearest, 0–MaxNearest, if no entry reaches
	// MinRelevance. All but the first must fit in MaxTokens.
	Nearest int
	// MaxUnsure bounds the hits with a relevance below Unsure, of stores that the caller
	// may read. 0: no bound.
	MaxUnsure int `json:"-"` // set by a surface, not by the caller: cursors are not bound to it
	// Passing also returns entries that pass the filter's Where and Match but do not reach
	// MinRelevance, of stores that the caller may read.
	Passing bool `json:"-"` // like MaxUnsure
	// NoTypos turns off the correction of typing errors. Otherwise a word that no entry of
	// the scope has, of four letters or more and without digits, also matches words that
	// differ in one letter, or in two if it has eight letters or more.
	NoTypos bool
	// NoDates treats the dates in the question as mere words. Otherwise entries of the time
	// that the question names are candidates, and their time counts as evidence.
	NoDates bool
	// NearestByDefault says that the caller did not ask for Nearest: stores at level
	// search are searched all the same.
	NearestByDefault bool `json:"-"` // cursors are not bound to it
	// AsOf, unless "", searches the entries as they were at a time: see
	// memory.Service.GetAsOf. It is parsed in Filter.Timezone. The search then treats the
	// dates in the question as mere words and does not call the Reranker.
	AsOf string `json:",omitempty"`
	// Diversity, 0–1, moves hits down that resemble an earlier hit.
	Diversity float64
	// Cursor asks for the page after an answer: see Values.Next. All
	// other options are those of the first page.
	Cursor string
	// Explain explains the hits, and what the filter dropped: see Answer.Explanation.
	Explain bool
	// ExplainEntry, unless nil, also asks why the entry at a path does not rank higher.
	// It includes Explain.
	ExplainEntry *memory.Path
	// Purchase bounds what the search may buy from metered stores.
	Purchase Purchase
}

// Mode selects the legs that search for hits. Relevance is the same in all modes.
type Mode string

// The modes. The zero value means ModeHybrid.
const (
	ModeHybrid  Mode = "hybrid"  // both legs
	ModeLexical Mode = "lexical" // the words
	ModeVector  Mode = "vector"  // the meaning
)

// Recency orders hits by relevance × (1 − Weight + Weight·2^(−age ÷ HalfLife)).
// It removes no hits, and does not change their relevance.
type Recency struct {
	HalfLife time.Duration // > 0
	Weight   float64       // 0–1
}

// Ranking selects how a search orders its hits.
type Ranking string

// The rankings. The zero value means RankingRelevance.
const (
	RankingRelevance Ranking = "relevance" // by relevance: see fusion.Relevance
	RankingRRF       Ranking = "rrf"       // by the ranks in both legs: see fusion.RRF
)

// normal returns the request with its names in the normal form that entries have.
func (r Request) normal() Request {
	r.Filter = r.Filter.Normal()
	r.NoDates = r.NoDates || r.AsOf != ""
	if r.ExplainEntry != nil {
		r.ExplainEntry = new(r.ExplainEntry.Normal())
	}
	return r
}
