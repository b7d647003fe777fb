// Package fusion merges ranked lists into one. Its functions are pure.
package fusion

import "slices"

// K is the constant of Reciprocal Rank Fusion: how little the first ranks
// stand out. 60 is the value of Cormack, Clarke and Büttcher, "Reciprocal
// Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
// SIGIR 2009.
const K = 60

// Item is one fused candidate.
type Item[ID comparable] struct {
	ID ID
	// Score is the sum over the lists of 1/(K + rank), ranks from 1. With n
	// lists it lies in (0, n/(K+1)].
	Score float64
	// Ranks has the rank in each list, from 1; 0 where a list lacks the item.
	Ranks []int
}

// RRF merges lists, each ordered best first and without repeats, by
// Reciprocal Rank Fusion. Items of equal score stand in the order of less,
// which must be a total order for the answer to be deterministic.
func RRF[ID comparable](less func(a, b ID) int, lists ...[]ID) []Item[ID] {
	at := make(map[ID]int)
	var items []Item[ID]
	for l, list := range lists {
		for i, id := range list {
			n, ok := at[id]
			if !ok {
				n = len(items)
				at[id] = n
				items = append(items, Item[ID]{ID: id, Ranks: make([]int, len(lists))})
			}
			items[n].Ranks[l] = i + 1
			items[n].Score += 1 / float64(K+i+1)
		}
	}
	slices.SortFunc(items, func(a, b Item[ID]) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return less(a.ID, b.ID)
	})
	return items
}
