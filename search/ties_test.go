package search_test

import (
	"fmt"
	"slices"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// More entries tie than the fusion takes from a leg, and the legs return them in the order in
// which they were written.
func TestEqualScoresOfALegAreOrderedByKey(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := open(t, b, memory.Limits{}), agent("a", acl.Public)
		var want []string
		requests := make([]memory.PutRequest, 210)
		for i := range requests {
			want = append(want, fmt.Sprintf("k%03d", i))
			requests[len(requests)-1-i] = memory.PutRequest{Path: path("a", want[i]), Value: text("the garden")}
		}
		_, err := h.PutAll(background, a, requests)
		must(h, err)
		h.Index()
		for _, mode := range []search.Mode{search.ModeLexical, search.ModeVector} {
			got := keys(h.MustSearch(a, search.Request{Query: "garden", Limit: 100, Mode: mode, Ranking: search.RankingRRF}))
			if !slices.Equal(got, want[:100]) {
				t.Errorf("mode %s: %v, want %v", mode, got, want[:100])
			}
		}
	})
}
