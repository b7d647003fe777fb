// Package measure computes the figures that benchmarks report: latency
// percentiles, the recall of an approximate vector index, differences between
// systems with their significance, and the reliability of probabilities.
package measure

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// depth is the number of hits per query: the number that a leg passes to the
// fusion.
const depth = 200

// Recall is the share of an exact scan's hits that an approximate index finds
// among its first 10, 100 and 200, averaged over queries, and the approximate
// index's latency.
type Recall struct {
	At10  float64 `json:"at_10"`
	At100 float64 `json:"at_100"`
	At200 float64 `json:"at_200"`

	P50 time.Duration `json:"-"`
	P99 time.Duration `json:"-"`
}

// MeasureRecall runs queries against both indexes, which must hold the same
// vectors. next returns the scope and the unit vector of the next query.
func MeasureRecall(ctx context.Context, index, exact vector.Index, queries int, next func() (acl.Scope, []float32)) (Recall, error) {
	var r Recall
	took := make([]time.Duration, queries)
	for n := range took {
		scope, v := next()
		query := vector.Query{Vector: v, Limit: depth}
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
		r.At10 += share(got, want, 10) / float64(queries)
		r.At100 += share(got, want, 100) / float64(queries)
		r.At200 += share(got, want, depth) / float64(queries)
	}
	slices.Sort(took)
	r.P50, r.P99 = Quantile(took, .50), Quantile(took, .99)
	return r, nil
}

// share returns the share of the first n hits of want that are among the first n hits of
// got. A hit of got that scores at least as well as the last of the first n of want counts
// too. The share is 1 if want is empty.
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
