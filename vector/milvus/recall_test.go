package milvus

import (
	"math"
	"math/rand/v2"

	"mneme/vector/flat"
)

func newFlat(dim int) *flat.Index { return flat.New(dim) }

// unit is a random unit vector.
func unit(r *rand.Rand, dim int) []float32 {
	v, square := make([]float32, dim), 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}
