package search_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
	"mneme/test/size"
)

// The entries of a store at level search affect no score of entries in other stores, whether
// the search is within its caps, paid or free. Otherwise a caller could find out, word by word,
// what the store has.
func TestOwnHitsDoNotDependOnAStoreAtLevelSearch(t *testing.T) {
	divisor := map[string]int{"sqlite+flat": 1, "postgres+flat": 8}
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			backendtest.Check(t, divisor[b.Name]*size.Of(2, 1), func(t testing.TB, rt *rapid.T) {
				common := drawPrices(rt)
				common.terms.SearchesPerDay, common.caps = new(int64(1000)), acl.Caps{}
				with, without := openBazaar(t, b, common), openBazaar(t, b, common)
				own := rapid.SliceOfN(rapid.Custom(drawValue), 1, 6).Draw(rt, "own")
				for i, value := range own {
					for _, w := range []*bazaar{with, without} {
						w.write("buyer", acl.Internal, fmt.Sprint("own", i), value)
					}
				}
				for i, value := range rapid.SliceOfN(rapid.Custom(drawValue), 1, 20).Draw(rt, "others") {
					with.write(rapid.SampledFrom([]string{"seller", "lender"}).Draw(rt, "store"), acl.Public, fmt.Sprint("k", i), value)
				}
				query := drawText(rt, "query")
				if rapid.Bool().Draw(rt, "mistyped") {
					query = query[:len(query)-1]
				}
				r := search.Request{
					Query: query, Limit: 100, Passages: rapid.Bool().Draw(rt, "passages"), Purchase: search.Purchase{MaxCharge: new(int64(0))},
					Stores: rapid.SampledFrom([][]string{nil, {"buyer", "seller"}, {"buyer", "lender", "seller"}}).Draw(rt, "stores"),
				}
				if a, b := with.ownHits(r), without.ownHits(r); a != b {
					rt.Fatalf("stores at level search changed the buyer's own hits:\n%s", backendtest.Difference(a, b))
				}
			})
		})
	}
}

// ownHits searches and formats the hits from the buyer's store.
func (w *bazaar) ownHits(r search.Request) string {
	w.t.Helper()
	w.Index()
	answer, err := w.Search(background, w.buyer, r)
	if status(err) == 402 {
		return err.Error() // about the price of a search
	}
	must(w.harness, err)
	var said strings.Builder
	fmt.Fprintf(&said, "degraded %v, incomplete %v\n", answer.Degraded, answer.Incomplete)
	err = answer.Values().Each(background, func(hit *search.Hit) error {
		if hit.Store == "buyer" {
			fmt.Fprintf(&said, "%s %v %v %v\n", hit.Key, hit.Score, hit.Relevance, hit.Passages)
		}
		return nil
	})
	must(w.harness, err)
	return said.String()
}

// A correction to a word that only a store at level search has applies to the entries of that
// store, but not to the caller's own.
func TestCorrectionsOfEachPartComeFromItsOwnStores(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		reader := agent("reader", acl.Public)
		h.PutText(reader, "reader", "own", "the harbour of Trondheim", 201)
		h.PutText(agent("seller", acl.Public), "seller", "sold", "the trombone", 201)
		h.Index()
		for _, query := range []string{"Trondheimm", "trombonne"} {
			alone := h.MustSearch(reader, search.Request{Query: query, Stores: []string{"reader"}, Limit: 10})
			together := h.MustSearch(reader, search.Request{Query: query, Limit: 10})
			if len(alone.Hits) != 1 || len(together.Hits) != 2 {
				t.Fatalf("%s: %d hits alone, %d together", query, len(alone.Hits), len(together.Hits))
			}
			for _, hit := range together.Hits {
				if hit.Store == "reader" && hit.Score != alone.Hits[0].Score {
					t.Errorf("%s: score %v alone, %v together", query, alone.Hits[0].Score, hit.Score)
				}
			}
		}
	})
}
