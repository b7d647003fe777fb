package fusion

import (
	"math"
	"time"
)

// Recency returns the factor, 0–1, by which the age of an entry reduces its relevance: 1 −
// weight + weight·2^(−age ÷ halfLife). An entry dated in the future has age 0. halfLife is
// greater than 0, weight from 0 to 1. The factor has the same bits on every processor.
func Recency(age, halfLife time.Duration, weight float64) float64 {
	halvings := float64(max(age, 0)) / float64(halfLife)
	return 1 - weight + float64(weight*exp(float64(-halvings*math.Ln2)))
}
