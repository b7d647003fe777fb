package milvus

import (
	"testing"

	"mneme/vector"
	"mneme/vector/milvus/milvustest"
	"mneme/vector/vectortest"
)

func TestContract(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	vectortest.Run(t, func(t testing.TB, dim int) vector.Index {
		return opened(t, testConfig(addr, dim))
	}, vectortest.Options{Approximate: true, Recall: .99, Tolerance: cosineTolerance, Settle: settle})
}

// An exact collection must find everything. It runs as approximate because
// an entry's change is not of one instant, and because the suite's longest
// histories would take an hour of round trips.
func TestContractOfTheExactKind(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	vectortest.Run(t, func(t testing.TB, dim int) vector.Index {
		config := testConfig(addr, dim)
		config.Exact, config.Consistency = true, Strong
		return opened(t, config)
	}, vectortest.Options{Approximate: true, Recall: 1})
}

// cosineTolerance is by how much Milvus's cosine may differ from the dot
// product with the stored vector, whose length rounding to half precision
// changed; and float32's own rounding.
const cosineTolerance = 1.0/(1<<11) + 1e-5
