package vector_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mneme/vector"
)

func TestDotIsTheDotProductOfTheRoundedVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(0, 20).Draw(t, "dim")
		element := rapid.Float32Range(-1, 1)
		query, v := rapid.SliceOfN(element, dim, dim).Draw(t, "query"), rapid.SliceOfN(element, dim, dim).Draw(t, "vector")
		half := vector.ToHalf(v)
		want := 0.0
		for i, x := range half.Floats() {
			want += float64(query[i]) * float64(x)
		}
		if got := half.Dot(query); math.Abs(got-want) > 1e-12 {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func BenchmarkDot(b *testing.B) {
	query := make([]float32, 384)
	for i := range query {
		query[i] = float32(i%7) / 50
	}
	half := vector.ToHalf(query)
	for b.Loop() {
		half.Dot(query)
	}
}
