package measure

import (
	"slices"
	"time"
)

// Latency holds percentiles of a step's latency.
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

// Quantile returns the smallest of the sorted samples that at least the share q
// of them does not exceed, or 0 if there are none.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	n := int(q*float64(len(sorted)) + 1 - 1e-9)
	return sorted[max(0, min(n, len(sorted))-1)]
}
