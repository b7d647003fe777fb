package measure

import (
	"slices"
	"time"
)

// Latency holds percentiles of a latency, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
}

// NewLatency returns the percentiles of samples, which it sorts.
func NewLatency(samples []time.Duration) Latency {
	slices.Sort(samples)
	ms := func(q float64) float64 { return float64(Quantile(samples, q).Microseconds()) / 1000 }
	return Latency{P50: ms(.50), P99: ms(.99)}
}

// Quantile returns the q-quantile of sorted samples by the nearest-rank method:
// the smallest sample that a fraction of at least q does not exceed. It returns 0
// if there are no samples.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(q*float64(len(sorted)) + 1 - 1e-9) // rounded up
	return sorted[max(0, min(rank, len(sorted))-1)]
}
