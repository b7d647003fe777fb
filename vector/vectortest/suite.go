// Package vectortest is the conformance suite for implementations of
// vector.Index: one test for each clause of its contract and for each access
// rule that an index enforces.
package vectortest

import (
	"testing"

	"mneme/vector"
)

// Options relax the contract for an index that does not meet all of it.
type Options struct {
	// Approximate allows an index to miss hits. It must find at least Recall of the exact
	// answer. It need not return all ties, and need not replace an entry atomically. The hits
	// that it does return are checked as strictly as those of an exact index: scope, scores,
	// each entry once.
	Approximate bool
	// Recall is the minimum average recall of an approximate index, in (0, 1];
	// 0 means 0.95.
	Recall float64
	// Tolerance is how far a score may differ from the exact cosine of the
	// half-precision vectors; 0 means 2e-6.
	Tolerance float64
	// MaxChunks is the maximum number of chunks that a search considers, if the index is a
	// vector.Bounded.
	MaxChunks int
	// Settle, if not nil, is called after every write. It must block until
	// searches see the write.
	Settle func(t testing.TB, index vector.Index)
}

// Run runs the suite. open returns an empty index of the given dimension and
// closes it with t.Cleanup. It is called once or twice per test.
func Run(t *testing.T, open func(t testing.TB, dim int) vector.Index, options Options) {
	if options.Recall == 0 {
		options.Recall = 0.95
	}
	if options.Tolerance == 0 {
		options.Tolerance = 2e-6
	}
	for _, c := range []struct {
		name  string
		test  func(*testing.T, *fixture)
		exact bool // the rule applies to exact indexes only
	}{
		{"an empty scope gives nothing", emptyScope, false},
		{"an empty index gives nothing", emptyIndex, false},
		{"a store outside the scope is not searched", storeIsolation, false},
		{"each store has its own highest label", labelCeiling, false},
		{"hidden vectors change neither ids nor scores", hiddenVectors, false},
		{"an entry scores as its best chunk, which the hit names", bestChunk, false},
		{"an entry is returned once, however many chunks it has", manyChunks, false},
		{"the nearest come first, up to the limit", limit, false},
		{"a limit above the number of entries returns all", wideLimit, false},
		{"an index that considers a bounded number of chunks says which answers that cut", bounded, false},
		{"all ties with the last hit are returned", ties, true},
		{"equal vectors score alike in every store and label", equalVectors, false},
		{"only the requested entries are returned", only, false},
		{"requesting an entry does not widen the scope", onlyOutsideScope, false},
		{"an upsert replaces an entry's chunks", replaceChunks, false},
		{"an upsert moves an entry to another store", moveStore, false},
		{"an upsert moves an entry to another label", moveLabel, false},
		{"an upsert accepts records in any order", mixedBatch, false},
		{"an upsert of nothing is no error", emptyUpsert, false},
		{"deleted entries are not found", deleted, false},
		{"deleting an unknown entry is no error", deleteUnknown, false},
		{"a deleted entry can be written again", deleteAndReturn, false},
		{"a bad query is an error", badQuery, false},
		{"a bad record is an error and changes nothing", badRecord, false},
		{"a canceled context is an error", endedContext, false},
		{"the caller may reuse its vectors", callersMemory, false},
		{"odd dimensions rank like even ones", oddDimension, false},
		{"the answer equals that of a linear scan", againstModel, false},
		{"List returns the contents", listed, false},
		{"searches and writes may run concurrently", concurrent, false},
		{"a search sees an entry before or after an upsert", atomicUpsert, true},
		{"after any history the answer equals that of a linear scan", anyHistory, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.exact && options.Approximate {
				t.Skip("applies to exact indexes only")
			}
			c.test(t, &fixture{open: open, options: options})
		})
	}
}
