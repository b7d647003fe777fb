package search_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/test/backendtest"
)

// A receipt is for the hits of its store that the answer shows, and no others.
func TestAReceiptIsForTheHitsThatAreShown(t *testing.T) {
	w := openBazaar(t, backendtest.Embedded(), prices{balance: 1000, terms: meter.TermsRequest{PriceSearch: new(int64(10)), PriceEntry: new(int64(100))}})
	w.write("buyer", acl.Internal, "own", "my granite wall")
	for i := range 5 {
		w.write("seller", acl.Internal, fmt.Sprint("k", i), fmt.Sprint("granite quarry number ", i))
	}
	w.Index()
	a := w.MustSearch(w.buyer, search.Request{Query: "granite", Stores: []string{"seller", "buyer"}, Purchase: search.Purchase{MaxCharge: new(int64(250))}})
	shown, _ := w.eachHit(&a)
	type hit struct {
		Store     string          `json:"store_id"`
		Key       string          `json:"key"`
		Label     string          `json:"label"`
		Value     json.RawMessage `json:"value"`
		Score     float64         `json:"score"`
		Relevance float64         `json:"relevance"`
	}
	var hits []hit
	for _, h := range shown {
		hits = append(hits, hit{h.Store, h.Key, h.Label.String(), h.Value, h.Score, h.Relevance})
	}
	verify := func(hits []hit) (meter.Receipt, error) {
		encoded, err := json.Marshal(hits)
		must(w.harness, err)
		keys, err := w.Market.Keys(background)
		must(w.harness, err)
		return meter.VerifyReceipt(a.Bill.Charges[0].Receipt, keys, encoded)
	}
	if receipt, err := verify(hits); err != nil || receipt.Hits != 2 || receipt.Amount != 210 || len(hits) != 3 {
		t.Errorf("%+v for %+v: %v", receipt, hits, err)
	}
	other := slices.Clone(hits[:1])
	for i := range 5 {
		other[0] = hit{"seller", fmt.Sprint("k", i), "INTERNAL", text(fmt.Sprint("granite quarry number ", i)), 0.5, 0.5}
		if _, err := verify(append(slices.Clone(hits), other...)); !errors.Is(err, meter.ErrReceiptHits) {
			t.Errorf("the receipt is for an entry that was not shown: %v", err)
		}
	}
}

// A buyer may only search. Every other call that reaches entries is refused if it names the
// store, and skips the store otherwise.
func TestABuyerHasNoSideDoors(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		w := openBazaar(t, b, prices{balance: 1_000_000, terms: meter.TermsRequest{PriceSearch: new(int64(10)), PriceEntry: new(int64(100))}})
		w.write("seller", acl.Internal, "k", "granite quarry")
		w.write("buyer", acl.Internal, "own", "my granite wall")
		sold := w.ask(w.buyer, asked{offered: true, Request: search.Request{Query: "granite", Limit: 10}})
		if len(sold) != 1 {
			t.Fatalf("sold %q", sold)
		}
		s, c, at := w.harness, w.buyer, path("seller", "k")
		for name, call := range map[string]func() error{
			"get": func() error { _, err := s.Get(background, c, at); return err },
			"list": func() error {
				_, err := s.List(background, c, memory.ListRequest{Store: "seller", Limit: 10})
				return err
			},
			"versions": func() error {
				_, err := s.EachVersion(background, c, at, 10, "", func(memory.Found) error { return nil })
				return err
			},
			"trash": func() error {
				_, err := s.Trash(background, c, memory.TrashRequest{Store: "seller", Limit: 10})
				return err
			},
			"grants": func() error { _, err := s.Grants(background, c, "seller"); return err },
			"changes": func() error {
				_, err := s.Changes(background, c, memory.ChangesRequest{Store: "seller", Limit: 10})
				return err
			},
			"export": func() error {
				return s.Export(background, c, "seller", memory.Filter{}, func(memory.Found) error { return nil })
			},
		} {
			if got := status(call()); got != 403 {
				t.Errorf("%s: status %d", name, got)
			}
		}
		for name, refine := range map[string]func(*search.Request){
			"where":     func(r *search.Request) { r.Filter.Where = where(`{"key":{"prefix":"k"}}`) },
			"timezone":  func(r *search.Request) { r.Filter.Timezone = "Europe/Berlin" },
			"match":     func(r *search.Request) { r.Filter.Match = match(`{"all":["granite"]}`) },
			"tags":      func(r *search.Request) { r.Filter.Tags = []string{"t"} },
			"namespace": func(r *search.Request) { r.Filter.Namespace = new("") },
			"mode":      func(r *search.Request) { r.Mode = search.ModeLexical },
			"ranking":   func(r *search.Request) { r.Ranking = search.RankingRRF },
			"explain":   func(r *search.Request) { r.Explain = true },
			"entry":     func(r *search.Request) { r.ExplainEntry = &at },
			"diversity": func(r *search.Request) { r.Diversity = 0.5 },
			"typos":     func(r *search.Request) { r.NoTypos = true },
			"dates":     func(r *search.Request) { r.NoDates = true },
			"as of":     func(r *search.Request) { r.AsOf = w.Clock.Now().UTC().Format(time.RFC3339Nano) },
			"nearest":   func(r *search.Request) { r.MinRelevance, r.Nearest = 1, 1 },
			"recency":   func(r *search.Request) { r.Recency = &search.Recency{HalfLife: time.Hour, Weight: 0.5} },
			"wordings":  func(r *search.Request) { r.Query, r.Queries = "", []string{"granite", "quarry"} },
		} {
			r := search.Request{Query: "granite", Limit: 10, Purchase: search.Purchase{MaxCharge: new(int64(10_000))}}
			refine(&r)
			unnamed, err := s.Search(background, c, r)
			if slices.ContainsFunc(unnamed.Hits, func(h search.Hit) bool { return h.Store == "seller" }) || len(unnamed.Bill.Charges) > 0 {
				t.Errorf("unnamed, with %s: %d hits for %v, %v", name, len(unnamed.Hits), unnamed.Bill.Charges, err)
			}
			for i, purchase := range []search.Purchase{r.Purchase, {Offer: w.offer.ID}} {
				one := r
				one.Purchase = purchase
				if i == 0 {
					one.Stores = []string{"seller"}
				}
				if _, err := s.Search(background, c, one); status(err) != 403 {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		account, err := w.Market.Account(background, c)
		must(w.harness, err)
		if account.Balance != 1_000_000-110 {
			t.Errorf("the balance is %d", account.Balance)
		}
		used := func(c memory.Caller) (keys []string) {
			page, err := w.Market.Usage(background, c, 10, "")
			must(w.harness, err)
			for _, u := range page.Items {
				keys = slices.AppendSeq(keys, valuesOf(u.Keys))
			}
			return keys
		}
		if got := used(c); !slices.Equal(got, []string{"k"}) {
			t.Errorf("usage has the keys %q", got)
		}
		page, err := w.Market.Usage(background, c, 10, "")
		must(w.harness, err)
		for _, who := range []memory.Caller{agent("rich", acl.Restricted), agent("lender", acl.Restricted), agent("seller", acl.Public)} {
			if _, err := w.Market.Refund(background, who, page.Items[0].ID, nil); status(err) != 404 {
				t.Errorf("%s refunds: %v", who.Agent, err)
			}
		}
		// An entry that the session may no longer see has no key.
		must(w.harness, w.Delete(background, agent("seller", acl.Internal), at, memory.Preconditions{}))
		for _, who := range []memory.Caller{c, agent("buyer", acl.Public)} {
			if got := used(who); len(got) > 0 {
				t.Errorf("usage has the keys %q at %s", got, who.Taint)
			}
		}
	})
}
