package search

import (
	"mneme/acl"
	"mneme/fusion"
	"mneme/memory"
	"mneme/search/cursor"
)

// Unsure and Irrelevant are the bounds of a surface that has some of its own: a hit of a
// relevance below Unsure may not answer the query, and one below Irrelevant does not.
const (
	Unsure     = fusion.Unsure
	Irrelevant = fusion.Irrelevant
)

// Answer is the result of a search. It is complete when it is returned: see Values for what
// is read of its hits while they are written.
type Answer struct {
	// Hits are the hits, best first. Only the first of them, up to 512 kB of
	// values, have their values: Values reads the others.
	Hits  []Hit
	Label acl.Label // the highest of the hits and of Nearest; zero if there are none
	// Nearest, best first, come closest where there are no hits, as many as the request
	// asks for: entries that the caller may read.
	Nearest []memory.Near
	// NoWords says that there are no hits since the question has no words.
	NoWords bool
	// NothingThen says that there are no hits since the question asks for a time alone of
	// which there is no entry. NearestDay is the day, month or year nearest to it that one is
	// of, of an entry that the caller may read; zero if there is none.
	NothingThen bool
	NearestDay  memory.Moment
	// Degraded names the legs that failed or timed out: "lexical", "vector".
	// "rerank" says that the Reranker did, and that the order is that without it.
	// "vector_lag" says that entries which the caller may see wait for their
	// vectors for more than five seconds, so that the vector leg lacks them.
	Degraded []string
	// Incomplete says that the search gave up looking for more visible hits.
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
	unpaged  bool              // no page follows, whatever is left

	labelThen acl.Label // of the entry of NearestDay

	sold bool // Hits were decided so: see Searcher.sell
	over int  // hits beyond Hits for which there was no room in MaxTokens
}

// Explain says how a hit was ranked and why the caller may see it.
type Explain struct {
	// Lexical, Vector and Dates are ranks in the legs; nil: the leg did not find it or did
	// not search, or a page after the first.
	Lexical, Vector, Dates *LegRank
	Fused                  *float64     // score by Reciprocal Rank Fusion; nil on a page after the first
	Parts                  fusion.Parts // what the relevance is made of
	// Summands are the numbers whose sum is the score by relevance.
	Summands []fusion.Summand
	// Wording is the index of the query that Parts and Summands are for, and Lexical and
	// Vector unless they are of another: that to which the hit is most relevant.
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
	// Model is the one whose vectors Parts are of: english or multilingual, or the
	// fingerprint of an embedder that reads every language; "": of none.
	Model string
	// Language is the code of ISO 639-1 of the entry's text, as language.Of guesses it;
	// "": not known.
	Language string
}

// LegRank is a hit's rank and score in one leg, for the wording to which the hit is most
// relevant. If the leg did not find it by that one, they are for the wording by which the
// leg ranked it best: scores of different wordings do not compare.
type LegRank struct {
	Rank  int // from 1
	Score float64
	// Wording is the index of the query.
	Wording int
	// Other says that it is another wording than the most relevant one: another query or,
	// with the same index, another part of a long one.
	Other bool
}

// Judgement is what a Reranker said of a hit.
type Judgement struct {
	Rank  int     // among those that it judged, from 1; 0 on a page after the first
	Score float64 // the probability that the hit answers the query, 0–1
}
