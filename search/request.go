package search

import (
	"time"

	"mneme/memory"
)

// Request asks for the entries that answer a query.
type Request struct {
	Query string
	// Queries are 2–8 wordings of the question, in place of Query. The hits of
	// all are fused, and a hit's relevance is its best.
	Queries []string
	Stores  []string // empty: all that the caller may search
	Chat    string   // named by the request, on surfaces that allow it
	User    string
	Filter  memory.Filter
	Limit   int // 1–100
	Ranking Ranking
	// MaxTokens bounds the tokens of the keys, descriptions, and values or
	// passages of the hits that Values yields, in order: it ends before the
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
	// none reaches MinRelevance. After the first they count in MaxTokens.
	Nearest int
	// MaxUnsure bounds how many hits have a relevance below Unsure, of stores that the caller
	// may read. 0: no bound.
	MaxUnsure int `json:"-"` // of a surface, not of a call: no part of what a cursor is bound to
	// Passing gives what passes the filter's Where and Match also if it does not reach
	// MinRelevance, of stores that the caller may read.
	Passing bool `json:"-"` // as MaxUnsure
	// NoTypos looks for the words of the question alone. Otherwise a word that no entry
	// of the scope has, of four letters or more and without digits, also stands for words
	// that differ in one letter, two from eight letters on.
	NoTypos bool
	// NoDates takes the dates of the question as words alone. Otherwise entries of the time
	// that it names are candidates, and being of it is evidence.
	NoDates bool
	// NearestByDefault says that the caller did not ask for Nearest: stores at level
	// search are searched all the same.
	NearestByDefault bool `json:"-"` // no part of what a cursor is bound to
	// AsOf, unless "", searches what stood at a time: see memory.Service.GetAsOf. It is read
	// in Filter.Timezone. The question's dates are words then, and no Reranker is asked.
	AsOf string `json:",omitempty"`
	// Diversity, 0–1, moves hits down that resemble a hit before them.
	Diversity float64
	// Cursor asks for the page after an answer: see Values.Next. All
	// other options are those of the first page.
	Cursor string
	// Explain explains the hits, and what the filter dropped: see Answer.Explanation.
	Explain bool
	// ExplainEntry, unless nil, also asks why the entry at a path is not above where
	// it is. It includes Explain.
	ExplainEntry *memory.Path
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

// normal returns the request with its names in the form in which entries keep them.
func (r Request) normal() Request {
	r.Filter = r.Filter.Normal()
	r.NoDates = r.NoDates || r.AsOf != ""
	if r.ExplainEntry != nil {
		r.ExplainEntry = new(r.ExplainEntry.Normal())
	}
	return r
}
