package speed

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// Depth is how many hits Recall asks for: as many as a leg hands to the
// fusion of a search.
const Depth = 200

// Recall is how much of what an exact scan finds an approximate index finds,
// on average over questions, and how long its searches take.
type Recall struct {
	At10  float64 `json:"at_10"`
	At100 float64 `json:"at_100"`
	At200 float64 `json:"at_200"`

	P50 time.Duration `json:"-"`
	P99 time.Duration `json:"-"`
}

// MeasureRecall puts questions to both indexes, which hold the same vectors.
// ask makes the next question: a scope and a unit vector.
func MeasureRecall(ctx context.Context, index, exact vector.Index, questions int, ask func() (acl.Scope, []float32)) (Recall, error) {
	var r Recall
	took := make([]time.Duration, questions)
	for n := range took {
		scope, question := ask()
		query := vector.Query{Vector: question, Limit: Depth}
		began := time.Now()
		got, err := index.Search(ctx, scope, query)
		took[n] = time.Since(began)
		if err != nil {
			return Recall{}, err
		}
		want, err := exact.Search(ctx, scope, query)
		if err != nil {
			return Recall{}, err
		}
		r.At10 += share(got, want, 10) / float64(questions)
		r.At100 += share(got, want, 100) / float64(questions)
		r.At200 += share(got, want, Depth) / float64(questions)
	}
	slices.Sort(took)
	r.P50, r.P99 = Quantile(took, .50), Quantile(took, .99)
	return r, nil
}

// share is how many of the first n wanted are among as many that were got, or
// score as well as the last of them. Of nothing, all is found.
func share(got, want []vector.Hit, n int) float64 {
	if n = min(n, len(want)); n == 0 {
		return 1
	}
	wanted := make(map[uuid.UUID]bool, n)
	for _, hit := range want[:n] {
		wanted[hit.Entry] = true
	}
	found := 0
	for _, hit := range got[:min(n, len(got))] {
		if wanted[hit.Entry] || hit.Score >= want[n-1].Score {
			found++
		}
	}
	return float64(found) / float64(n)
}

// Quantile of sorted durations: the smallest that at least the share q of
// them does not exceed; 0 of none.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	n := int(q*float64(len(sorted)) + 1 - 1e-9)
	return sorted[max(0, min(n, len(sorted))-1)]
}
