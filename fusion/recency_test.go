package fusion

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const day = 24 * time.Hour

func TestRecency(t *testing.T) {
	for _, c := range []struct {
		age    time.Duration
		weight float64
		want   float64
	}{
		{0, 1, 1}, {30 * day, 1, 0.5}, {60 * day, 1, 0.25}, {30 * day, 0.5, 0.75}, {30 * day, 0, 1},
		{-30 * day, 1, 1}, {math.MaxInt64, 1, 0}, {math.MaxInt64, 0.25, 0.75},
	} {
		if got := Recency(c.age, 30*day, c.weight); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("age %v, weight %v: %v, want %v", c.age, c.weight, got, c.want)
		}
	}
}

func TestRecencyIsFrom0To1AndFallsWithAge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		age := time.Duration(rapid.Int64().Draw(t, "age"))
		life := time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "half-life"))
		weight := rapid.Float64Range(0, 1).Draw(t, "weight")
		factor := Recency(age, life, weight)
		if !(factor >= 0 && factor <= 1) {
			t.Fatalf("factor %v", factor)
		}
		if age > 0 && Recency(age/2, life, weight) < factor {
			t.Error("an older entry counts more")
		}
	})
}
