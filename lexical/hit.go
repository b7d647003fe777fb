package lexical

import "github.com/google/uuid"

// Hit is one entry with its score for a query: the sum of Scorer.Term over
// the query's terms, greater than 0.
type Hit struct {
	Entry uuid.UUID
	Score float64
}
