package search_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// deal is a random operation in a bazaar.
type deal struct {
	hidden bool // run in only one of two bazaars
	do     func(w *bazaar)
}

func drawDeal(t *rapid.T) deal {
	key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "key")
	written := func(hidden bool, store string, label acl.Label, change ...func(*memory.PutRequest)) deal {
		value := drawValue(t)
		return deal{hidden, func(w *bazaar) { w.write(store, label, key, value, change...) }}
	}
	switch kind := rapid.SampledFrom([]string{
		"seller", "seller", "seller public", "seller public", "lender", "buyer", "search", "search", "search", "offer", "offer", "later",
		"seller higher", "seller higher", "lender higher", "stranger", "expired", "another's purchase", "higher purchase", "higher search",
	}).Draw(t, "kind"); kind {
	case "seller", "lender", "buyer":
		return written(false, kind, acl.Internal)
	case "seller public":
		return written(false, "seller", acl.Public)
	case "search", "offer":
		a := drawAsked(t, kind == "offer")
		return deal{do: func(w *bazaar) { w.ask(w.buyer, a) }}
	case "later":
		by := rapid.SampledFrom([]time.Duration{time.Minute, 24 * time.Hour}).Draw(t, "time")
		return deal{do: func(w *bazaar) { w.Clock.Advance(by) }}
	case "seller higher":
		return written(true, "seller", acl.Confidential)
	case "lender higher":
		return written(true, "lender", acl.Restricted)
	case "stranger":
		return written(true, "stranger", acl.Public)
	case "expired":
		key = "expired/" + key
		return written(true, "seller", acl.Internal, func(r *memory.PutRequest) { r.TTL = new(time.Second) })
	case "higher purchase", "higher search": // by the buyer, in a session with a higher label
		query, r := drawText(t, "query"), search.Request{Limit: 10}
		return deal{true, func(w *bazaar) {
			w.Index()
			if r.Query = query; kind == "higher purchase" {
				r.Purchase.Offer = w.offer.ID
			}
			_, err := w.Search(background, agent("buyer", acl.Confidential), r)
			if status(err) != 429 && status(err) != 402 {
				must(w.harness, err)
			}
		}}
	default: // rich buys entries that the buyer may see, and others that it may not
		query := drawText(t, "query")
		return deal{true, func(w *bazaar) {
			w.Index()
			_, err := w.Search(background, agent("rich", acl.Confidential), search.Request{Query: query, Limit: 10, Purchase: search.Purchase{Offer: w.secret.ID}})
			if status(err) != 429 && status(err) != 402 {
				must(w.harness, err)
			}
		}}
	}
}

// A buyer's answers — hits, charges, prices, balances, skipped stores, and errors — do not
// depend on entries that the buyer may not see, nor on whether others buy those.
func TestHiddenEntriesDoNotAffectABuyersAnswers(t *testing.T) {
	divisor := map[string]int{"sqlite+flat": 1, "postgres+flat": 8}
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			backendtest.Check(t, divisor[b.Name], func(t testing.TB, rt *rapid.T) {
				common := drawPrices(rt)
				with, without := openBazaar(t, b, common), openBazaar(t, b, common)
				for _, d := range rapid.SliceOfN(rapid.Custom(drawDeal), 5, 30).Draw(rt, "deals") {
					for _, w := range []*bazaar{with, without} {
						if !d.hidden || w == with {
							d.do(w)
						}
						w.Clock.Advance(2 * time.Second)
					}
				}
				with.sayAccount(true)
				without.sayAccount(true)
				if a, b := with.said.String(), without.said.String(); a != b {
					rt.Fatalf("hidden entries changed the buyer's answers:\n%s", backendtest.Difference(a, b))
				}
			})
		})
	}
}

// An entry that caps, balance or max_charge do not allow leaves no trace: the answer, its
// charges, and the account and caps after it are as if there were no such entry. The other
// bazaar has such entries encrypted, at a higher label that the buyer may see: they still
// count in word frequencies, but no search finds them.
func TestEntriesThatAreNotBoughtLeaveNoTrace(t *testing.T) {
	divisor := map[string]int{"sqlite+flat": 1, "postgres+flat": 8}
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			backendtest.Check(t, divisor[b.Name], func(t testing.TB, rt *rapid.T) {
				common := drawPrices(rt)
				there, absent := openBazaar(t, b, common), openBazaar(t, b, common)
				both := []*bazaar{there, absent}
				values := rapid.SliceOfN(rapid.Custom(drawValue), 3, 14).Draw(rt, "values")
				before := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) asked { return drawAsked(t, true) }), 0, 2).Draw(rt, "searches before")
				last := drawAsked(rt, rapid.Bool().Draw(rt, "through the offer"))
				for _, w := range both {
					w.write("buyer", acl.Internal, "own", subjects[0]+" "+actions[0])
					for i, value := range values {
						w.write("seller", acl.Public, fmt.Sprint("k", i), value)
					}
					for _, a := range before {
						w.ask(w.buyer, a)
					}
				}
				sold := there.ask(there.buyer, last)
				for i := range values {
					if key := fmt.Sprint("k", i); !slices.Contains(sold, key) {
						absent.write("seller", acl.Internal, key, "opaque", func(r *memory.PutRequest) { r.Encrypted = new(true) })
					}
				}
				absent.ask(absent.buyer, last)
				there.sayAccount(false)
				absent.sayAccount(false)
				if a, b := there.said.String(), absent.said.String(); a != b {
					rt.Fatalf("entries that were not bought changed the buyer's answers:\n%s", backendtest.Difference(a, b))
				}
			})
		})
	}
}
