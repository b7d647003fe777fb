// Package fusion orders the candidates of a search: RRF merges ranked lists, Relevance gives a
// candidate its score and relevance, and MMR, Recency and Alike adjust the order.
//
// RRF is Reciprocal Rank Fusion. It uses only ranks, so the scores of the lists need not
// be comparable, such as a BM25 score and a cosine. The package's functions are pure,
// except RRF, which sets the Items of its candidates.
package fusion

import "slices"

// K is the constant of Reciprocal Rank Fusion. The larger K is, the less the first ranks
// outweigh the others. 60 is the value of Cormack, Clarke and Büttcher, "Reciprocal Rank
// Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009.
const K = 60

// Item holds the fused score and the ranks of one candidate.
type Item struct {
	// Score is the sum of 1/(K + rank) over the lists that contain the item,
	// with ranks from 1. With n lists it is in (0, n/(K+1)].
	Score float64
	// Ranks has the item's rank in each list, from 1, or 0 if the list does not
	// contain it.
	Ranks []int
}

// RRF merges lists by Reciprocal Rank Fusion and returns the candidates best first. It
// sets each candidate's Item, to which itemOf returns a pointer. Each list is ordered best
// first, without duplicates. Candidates of equal score are in the order of compare, as for
// slices.SortFunc; the result is deterministic if compare is a total order.
func RRF[C any](compare func(a, b C) int, itemOf func(C) *Item, lists ...[]C) []C {
	total := 0
	for _, list := range lists {
		total += len(list)
		for _, c := range list {
			*itemOf(c) = Item{} // clears the result of an earlier fusion
		}
	}
	fused := make([]C, 0, total)
	ranks := make([]int, total*len(lists)) // of all items
	for l, list := range lists {
		for i, c := range list {
			item := itemOf(c)
			if item.Ranks == nil {
				n := len(lists)
				item.Ranks, ranks = ranks[:n:n], ranks[n:]
				fused = append(fused, c)
			}
			item.Ranks[l] = i + 1
			item.Score += 1 / float64(K+i+1)
		}
	}
	slices.SortFunc(fused, func(a, b C) int {
		switch one, other := itemOf(a).Score, itemOf(b).Score; {
		case one > other:
			return -1
		case one < other:
			return 1
		}
		return compare(a, b)
	})
	return fused
}
