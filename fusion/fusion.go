// Package fusion merges the ranked lists of several retrievers into one.
//
// RRF is Reciprocal Rank Fusion. It looks at ranks only, so the scores of the
// lists need not be comparable: a BM25 score and a cosine never meet. The
// package's functions are pure.
package fusion

import "slices"

// K is the constant of Reciprocal Rank Fusion. The larger it is, the less the
// first ranks outweigh the others. 60 is the value of Cormack, Clarke and Büttcher,
// "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
// Methods", SIGIR 2009.
const K = 60

// Item is one fused candidate.
type Item[ID comparable] struct {
	ID ID
	// Score is the sum of 1/(K + rank) over the lists that contain the item,
	// with ranks from 1. With n lists it is in (0, n/(K+1)].
	Score float64
	// Ranks has the item's rank in each list, from 1, or 0 if the list does not
	// contain it.
	Ranks []int
}

// RRF merges lists by Reciprocal Rank Fusion and returns the items best first.
// Each list is ordered best first, without duplicates. Items of equal score are
// in the order of compare, as for slices.SortFunc; the result is deterministic
// if compare is a total order.
func RRF[ID comparable](compare func(a, b ID) int, lists ...[]ID) []Item[ID] {
	total := 0
	for _, list := range lists {
		total += len(list)
	}
	index := make(map[ID]int, total) // of each item in items
	items := make([]Item[ID], 0, total)
	ranks := make([]int, total*len(lists)) // of all items
	for l, list := range lists {
		for i, id := range list {
			n, ok := index[id]
			if !ok {
				n = len(items)
				index[id] = n
				from, to := n*len(lists), (n+1)*len(lists)
				items = append(items, Item[ID]{ID: id, Ranks: ranks[from:to:to]})
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
		return compare(a.ID, b.ID)
	})
	return items
}
