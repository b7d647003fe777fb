// Package vectortest is the suite that every vector.Index must pass: one test
// for each clause of its contract, and for each rule of access that an index
// takes part in.
package vectortest

import (
	"testing"

	"mneme/vector"
)

// Options say what an index promises less than the whole contract.
type Options struct {
	// Approximate relaxes what an approximate index may miss: it must find
	// at least Recall of the true answer, and need not complete ties nor
	// replace an entry at one instant. What it shows is held as strictly as
	// ever: the scope, the scores, each entry once.
	Approximate bool
	// Recall is the least share of the true answer that an approximate index
	// must find on average, in (0, 1]; 0 means 0.95.
	Recall float64
	// Tolerance is how far a score may lie from the exact cosine of the
	// half-precision vectors; 0 means 2e-6.
	Tolerance float64
	// Settle, unless nil, is called after every write and returns once a
	// search sees it.
	Settle func(t testing.TB, index vector.Index)
}

// Run runs the suite. open makes an empty index of the dimension and sees to
// its end by t.Cleanup; it is called once or twice a test.
func Run(t *testing.T, open func(t testing.TB, dim int) vector.Index, options Options) {
	if options.Recall == 0 {
		options.Recall = 0.95
	}
	if options.Tolerance == 0 {
		options.Tolerance = 2e-6
	}
	for _, c := range []struct {
		name  string
		test  func(*testing.T, *bench)
		exact bool // the rule holds for exact indexes only
	}{
		{"an empty scope gives nothing", emptyScope, false},
		{"an empty index gives nothing", emptyIndex, false},
		{"a store outside the scope is not searched", storeIsolation, false},
		{"the highest label holds for each store apart", labelCeiling, false},
		{"hidden vectors change neither ids nor scores", hiddenVectors, false},
		{"the best chunk is an entry's score", bestChunk, false},
		{"an entry comes once, however many chunks it has", manyChunks, false},
		{"the nearest come first, as many as the limit", limit, false},
		{"a limit above the number of entries gives them all", wideLimit, false},
		{"all that tie with the last are given", ties, true},
		{"equal vectors score alike wherever they lie", equalVectors, false},
		{"only the named entries are given", only, false},
		{"naming an entry does not widen the scope", onlyOutsideScope, false},
		{"an upsert replaces an entry's chunks", replaceChunks, false},
		{"an upsert moves an entry to another store", moveStore, false},
		{"an upsert moves an entry to another label", moveLabel, false},
		{"an upsert takes its entries in any order", mixedBatch, false},
		{"an upsert of nothing is no error", emptyUpsert, false},
		{"deleted entries are gone", deleted, false},
		{"deleting the unknown is no error", deleteUnknown, false},
		{"a deleted entry can come back", deleteAndReturn, false},
		{"a bad query is an error", badQuery, false},
		{"a bad record is an error and changes nothing", badRecord, false},
		{"an ended context is an error", endedContext, false},
		{"the caller may reuse its vectors", callersMemory, false},
		{"odd dimensions rank like even ones", oddDimension, false},
		{"the answer is that of a plain scan", againstModel, false},
		{"what is held is listed", listed, false},
		{"searches and writes run side by side", concurrent, false},
		{"a search sees an entry before or after an upsert", atomicUpsert, true},
		{"any history gives the answer of a plain scan", anyHistory, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.exact && options.Approximate {
				t.Skip("only exact indexes promise this")
			}
			c.test(t, &bench{open: open, options: options})
		})
	}
}
