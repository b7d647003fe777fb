package fusion_test

import (
	"fmt"
	"strings"

	"mneme/fusion"
)

// Two retrievers rank the same collection. Documents that both find come first, before the
// top document of either alone.
func ExampleRRF() {
	type entry struct {
		id string
		fusion.Item
	}
	garden, bank, tea, holiday := &entry{id: "garden"}, &entry{id: "bank"}, &entry{id: "tea"}, &entry{id: "holiday"}
	lexical := []*entry{garden, bank, tea}
	vector := []*entry{bank, holiday, garden}

	// Equal scores are ordered by ID, so that the result is deterministic.
	byID := func(a, b *entry) int { return strings.Compare(a.id, b.id) }
	itemOf := func(e *entry) *fusion.Item { return &e.Item }
	for _, e := range fusion.RRF(byID, itemOf, lexical, vector) {
		fmt.Printf("%-7s %.4f %v\n", e.id, e.Score, e.Ranks)
	}
	// Output:
	// bank    0.0325 [2 1]
	// garden  0.0323 [1 3]
	// holiday 0.0161 [0 2]
	// tea     0.0159 [3 0]
}
