package fusion_test

import (
	"fmt"
	"strings"

	"mneme/fusion"
)

// Two retrievers rank the same collection. What both find comes first, before
// what only one of them ranks highest.
func ExampleRRF() {
	lexical := []string{"garden", "bank", "tea"}
	vector := []string{"bank", "holiday", "garden"}

	// Equal scores are ordered by ID, so that the result is deterministic.
	for _, item := range fusion.RRF(strings.Compare, lexical, vector) {
		fmt.Printf("%-7s %.4f %v\n", item.ID, item.Score, item.Ranks)
	}
	// Output:
	// bank    0.0325 [2 1]
	// garden  0.0323 [1 3]
	// holiday 0.0161 [0 2]
	// tea     0.0159 [3 0]
}
