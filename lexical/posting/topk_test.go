package posting

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTopKKeepsTheBestAndTheirTies(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		scores := rapid.SliceOf(rapid.IntRange(0, 9)).Draw(r, "scores")
		best := topK{limit: rapid.IntRange(1, 12).Draw(r, "limit")}
		var all []Scored
		for i, s := range scores {
			doc := DocKey{Store: int64(i / 3), Doc: int64(i % 3)}
			best.offer(doc, float64(s))
			all = append(all, Scored{doc, float64(s)})
		}
		slices.SortStableFunc(all, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
		end := min(best.limit, len(all))
		for end > 0 && end < len(all) && all[end].Score == all[end-1].Score {
			end++
		}
		if got := best.ranked(); !slices.Equal(got, all[:end]) {
			r.Fatalf("got %v, want %v", got, all[:end])
		}
	})
}
