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
	}, vectortest.Options{Approximate: true, Recall: .99, Tolerance: cosineTolerance, MaxChunks: maxTopK, Settle: settle})
}

// An exact collection must find everything. Nevertheless it runs with the option Approximate,
// for two reasons: it does not replace an entry atomically, and the suite's longest histories
// would take an hour of round trips.
func TestContractOfTheExactKind(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	vectortest.Run(t, func(t testing.TB, dim int) vector.Index {
		config := testConfig(addr, dim)
		config.Exact, config.Consistency = true, Strong
		return opened(t, config)
	}, vectortest.Options{Approximate: true, Recall: 1, MaxChunks: maxTopK})
}

// cosineTolerance is how far Milvus's cosine may differ from the dot product
// with the stored vector: rounding to half precision changes the vector's
// length, and float32 arithmetic rounds too.
const cosineTolerance = 1.0/(1<<11) + 1e-5
