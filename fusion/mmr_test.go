package fusion

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func itemsOf(picks []Pick) (items []int) {
	for _, p := range picks {
		items = append(items, p.Item)
	}
	return items
}

func TestMMROrder(t *testing.T) {
	// The first two are the same, and the last resembles nothing.
	alike := func(a, b int) float64 {
		if max(a, b) == 1 {
			return 1
		}
		return 0
	}
	relevance := []float64{0.9, 0.8, 0.5, 0.1}
	for lambda, want := range map[float64][]int{1: {0, 1, 2, 3}, 0.5: {0, 2, 3, 1}, 0.7: {0, 2, 1, 3}, 0: {0, 2, 3, 1}} {
		if got := itemsOf(MMR(relevance, alike, lambda)); !slices.Equal(got, want) {
			t.Errorf("lambda %v: %v, want %v", lambda, got, want)
		}
	}
}

func TestMMRProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		relevance := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 12).Draw(t, "relevance")
		slices.SortFunc(relevance, func(a, b float64) int { return cmp.Compare(b, a) })
		places := rapid.SliceOfN(rapid.Float64Range(0, 1), len(relevance), len(relevance)).Draw(t, "places")
		lambda := rapid.Float64Range(0, 1).Draw(t, "lambda")
		calls := 0
		similarity := func(a, b int) float64 { calls++; return 1 - math.Abs(places[a]-places[b]) }
		picks := MMR(relevance, similarity, lambda)
		if calls != len(relevance)*(len(relevance)-1)/2 {
			t.Errorf("%d calls", calls)
		}
		seen := make(map[int]bool)
		for n, p := range picks {
			nearest := 0.0
			for _, before := range picks[:n] {
				nearest = max(nearest, similarity(before.Item, p.Item))
			}
			if p.Similarity != nearest || p.Score != float64(lambda*relevance[p.Item])-float64((1-lambda)*nearest) {
				t.Fatalf("pick %+v, nearest %v", p, nearest)
			}
			if n > 0 && p.Score > picks[n-1].Score {
				t.Errorf("scores %v and %v", picks[n-1].Score, p.Score)
			}
			seen[p.Item] = true
		}
		if len(seen) != len(relevance) {
			t.Errorf("%d of %d items", len(seen), len(relevance))
		}
	})
}

func TestMMRWithoutDiversityKeepsTheOrder(t *testing.T) {
	same := func(int, int) float64 { return 1 }
	if got := itemsOf(MMR([]float64{0.5, 0.5, 0.5, 0.1}, same, 1)); !slices.IsSorted(got) {
		t.Errorf("%v", got)
	}
}

func TestSimilarityIsFrom0To1(t *testing.T) {
	r := CosineRange{Unrelated: 0.8, Related: 0.9}
	for cosine, want := range map[float64]float64{-1: 0, 0.8: 0, 0.9: 0.5, 1: 1, 1.0001: 1} {
		if got := r.Similarity(cosine); math.Abs(got-want) > 1e-9 {
			t.Errorf("cosine %v: %v, want %v", cosine, got, want)
		}
	}
	if got := (CosineRange{Unrelated: 1}).Similarity(1); got != 0 {
		t.Errorf("an encoder whose cosines say nothing: %v", got)
	}
}
