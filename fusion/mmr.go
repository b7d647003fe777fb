package fusion

// Pick is an item in the order of maximal marginal relevance.
type Pick struct {
	Item       int     // index in the relevance list
	Score      float64 // at most the score of the previous pick
	Similarity float64 // the greatest similarity to a previous pick; 0 for the first
}

// MMR orders items, given best first, by maximal marginal relevance: Carbonell and
// Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and
// Producing Summaries" (1998). Each pick has the greatest lambda·relevance − (1 −
// lambda)·similarity, where similarity is the greatest similarity to a previous pick; ties
// go to the first given. relevance, similarity and lambda are from 0 to 1. MMR calls
// similarity once for each pair of items.
func MMR(relevance []float64, similarity func(a, b int) float64, lambda float64) []Pick {
	picks := make([]Pick, 0, len(relevance))
	nearest := make([]float64, len(relevance)) // similarity to the nearest pick
	left := make([]int, len(relevance))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		best, most := 0, 0.0
		for n, i := range left {
			score := float64(lambda*relevance[i]) - float64((1-lambda)*nearest[i])
			if n == 0 || score > most {
				best, most = n, score
			}
		}
		picked := left[best]
		picks = append(picks, Pick{Item: picked, Score: most, Similarity: nearest[picked]})
		left = append(left[:best], left[best+1:]...)
		for _, i := range left {
			nearest[i] = max(nearest[i], similarity(picked, i))
		}
	}
	return picks
}

// Similarity returns the similarity, 0–1, of two passages with a cosine: 0 up to the
// cosine of unrelated passages, and 1 for identical ones.
func (r CosineRange) Similarity(cosine float64) float64 {
	if r.Unrelated >= 1 {
		return 0
	}
	return min(max((cosine-r.Unrelated)/(1-r.Unrelated), 0), 1)
}
