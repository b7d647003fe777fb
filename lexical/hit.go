package lexical

import "github.com/google/uuid"

// Hit is one entry with its score for a question: the sum of Scorer.Term over
// the question's terms, greater than 0.
type Hit struct {
	Entry uuid.UUID
	Score float64
}
