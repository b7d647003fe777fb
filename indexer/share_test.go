package indexer

import (
	"testing"

	"mneme/acl"
)

func TestAStoreIsMixedFromTheLowestLabelWithATwentiethForeign(t *testing.T) {
	const all = acl.Restricted + 1
	for _, c := range []struct {
		entries, foreign byLabel // from PUBLIC on
		below, label     acl.Label
		lacking          int64
	}{
		{below: all, lacking: 10},
		{byLabel{0, 5}, byLabel{0, 5}, all, 0, 5},
		{byLabel{0, 200}, byLabel{0, 10}, all, acl.Public, 0},
		{byLabel{0, 201}, byLabel{0, 10}, all, 0, 1},
		{byLabel{0, 1000}, byLabel{0, 10}, all, 0, 40},
		{byLabel{0, 1000, 1000}, byLabel{0, 49, 0}, all, 0, 1},
		{byLabel{0, 210, 0, 50}, byLabel{0, 10, 0, 40}, all, acl.Confidential, 0},
		{byLabel{0, 210, 0, 50}, byLabel{0, 10, 0, 40}, acl.Confidential, 0, 1},
		{byLabel{0, 0, 20, 0, 1000}, byLabel{0, 0, 10}, all, acl.Internal, 0},
	} {
		if label, lacking := mixedFrom(c.entries, c.foreign, c.below); label != c.label || lacking != c.lacking {
			t.Errorf("%v of %v: from %q, %d lacking; want %q, %d", c.foreign, c.entries, label, lacking, c.label, c.lacking)
		}
	}
}

func TestTheForeignEntriesOfALargeStoreAreCountedAfterHalfOfTheMissingOnes(t *testing.T) {
	var a awaited
	if !a.due("a", 1) {
		t.Error("they are not counted at first")
	}
	a.await("a", 20)
	for i, want := range []bool{false, false, true} { // after 4, 8 and 12
		if got := a.due("a", 4); got != want {
			t.Errorf("%d: due: %v", i, got)
		}
	}
	if !a.due("b", 1) {
		t.Error("another store waits, too")
	}
	for i := range maxAwaited + 1 {
		a.await(string(rune(i)), 10)
	}
	if len(a.stores) > maxAwaited {
		t.Errorf("%d stores are remembered", len(a.stores))
	}
}
