package lexical

import "github.com/google/uuid"

// Hit is one entry with its score for a query: the sum of Scorer.Term over
// the query's terms, greater than 0.
type Hit struct {
	Entry uuid.UUID
	Score float64
}

// TermCounts says how often one entry contains each term of a query, as
// Scorer.Score takes it.
type TermCounts struct {
	Entry  uuid.UUID
	Counts []int // by query term, up to MaxTermCount
	Length int   // of the entry, in tokens
}
