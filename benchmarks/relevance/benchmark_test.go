package relevance

import (
	"testing"

	"mneme/memory"
)

func TestScoredKeepsTheOrderOfTies(t *testing.T) {
	var hits []memory.Hit
	for _, key := range []string{"a", "b", "c"} {
		hit := memory.Hit{Score: 1. / 61}
		hit.Key = key
		hits = append(hits, hit)
	}
	run := scored(hits)
	for i := 1; i < len(run); i++ {
		if float32(run[i].Score) >= float32(run[i-1].Score) {
			t.Errorf("got %+v", run)
		}
	}
}
