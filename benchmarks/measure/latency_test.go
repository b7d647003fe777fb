package measure

import (
	"testing"
	"time"
)

func TestQuantileUsesNearestRank(t *testing.T) {
	var all []time.Duration
	for i := range 100 {
		all = append(all, time.Duration(i+1))
	}
	for _, c := range []struct {
		of   []time.Duration
		q    float64
		want time.Duration
	}{{all, .5, 50}, {all, .99, 99}, {all, 1, 100}, {all[:1], .99, 1}, {nil, .5, 0}} {
		if got := Quantile(c.of, c.q); got != c.want {
			t.Errorf("%g of %d: %d, want %d", c.q, len(c.of), got, c.want)
		}
	}
}
