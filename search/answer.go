package search

import (
	"mneme/acl"
	"mneme/fusion"
	"mneme/memory"
	"mneme/search/cursor"
)

// Unsure and Irrelevant are relevance thresholds for surfaces that grade hits: a hit with a
// relevance below Unsure may not answer the query, and one below Irrelevant does not.
const (
	Unsure     = fusion.Unsure
	Irrelevant = fusion.Irrelevant
)

// Answer is the result of a search. It is complete when Search returns it, except for the
// values of its hits: see Values.
type Answer struct {
	// Hits are the hits, best first. Only the first ones, up to 512 kB of values, have
	// their values: Values reads the others.
	Hits  []Hit
	Label acl.Label // the highest label of Hits and Nearest; zero if there are none
	// Nearest are the entries that come closest if there are no hits, best first, as many
	// as the request asks for. The caller may read them.
	Nearest []memory.Near
	// NoWords reports whether there are no hits because the question has no words.
	NoWords bool
	// NothingThen reports whether there are no hits because the question asks only for a
	// time, and no entry is from that time. NearestDay is the nearest day, month or year that
	// has an entry which the caller may read; zero if there is none.
	NothingThen bool
	NearestDay  memory.Moment
	// Degraded names the legs that failed or timed out: "lexical", "vector". "rerank" means that
	// the Reranker failed or timed out, and that the hits are in the order without it.
	// "vector_lag" means that entries which the caller may see have waited for their vectors for
	// more than five seconds, so that the vector leg cannot find them.
	Degraded []string
	// Incomplete reports whether the search gave up looking for more visible hits.
	Incomplete bool
	Took       Took
	// Explanation is nil unless the request has Explain.
	Explanation *Explanation
	// Bill is what the search cost, and which metered stores it left out.
	Bill Bill

	searcher *Searcher
	loaded   int // number of Hits that have their values
	query    *searchQuery
	found    *retrieved
	rest     cursor.Candidates // the candidates after Hits
	unpaged  bool              // there is no next page, even if candidates are left

	labelThen acl.Label // label of the entry that NearestDay is from

	sold bool // sell or Recall chose Hits, so Values yields them by eachSold
	over int  // number of hits that are not in Hits because they did not fit into MaxTokens
}

// Explain describes how a hit was ranked and why the caller may see it.
type Explain struct {
	// Lexical, Vector and Dates are the hit's ranks in the legs; nil: the leg did not find
	// the hit or did not search, or the page is not the first.
	Lexical, Vector, Dates *LegRank
	Fused                  *float64     // score by Reciprocal Rank Fusion; nil on a page after the first
	Parts                  fusion.Parts // from which the relevance is computed
	// Summands are the numbers whose sum is the score by relevance.
	Summands []fusion.Summand
	// Wording is the index of the query to which the hit is most relevant. Parts and Summands
	// are for that query, and so are Lexical and Vector unless their Other is set.
	Wording int
	// Rerank is the Reranker's judgement of the hit; nil: none.
	Rerank *Judgement
	// Recency is the factor of the relevance in the score, 0–1; nil: none.
	Recency *float64
	// Similarity is the greatest similarity to an earlier hit, 0–1, for Diversity;
	// nil: not compared.
	Similarity *float64
	Via        acl.Via
	Label      acl.Label
	// Model is the model whose vectors Parts were computed from: english or multilingual, or
	// the fingerprint of an embedder that reads every language; "": none.
	Model string
	// Language is the ISO 639-1 code of the language of the entry's text, as guessed by
	// language.Of; "": unknown.
	Language string
}

// LegRank is a hit's rank and score in one leg, for the wording to which the hit is most
// relevant. If the leg did not find the hit by that wording, they are for the wording by
// which the leg ranked it best. Scores for different wordings are not comparable.
type LegRank struct {
	Rank  int // from 1
	Score float64
	// Wording is the index of the query.
	Wording int
	// Other reports whether Rank and Score are for another wording than the most relevant one:
	// another query or, with the same index, another part of a long query.
	Other bool
}

// Judgement is a Reranker's judgement of a hit.
type Judgement struct {
	Rank  int     // among the judged hits, from 1; 0 on a page after the first
	Score float64 // the probability that the hit answers the query, 0–1
}
