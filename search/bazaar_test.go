package search_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/test/backendtest"
)

// bazaar is a service in which buyer, at INTERNAL, buys searches of the store seller. The
// buyer also has level search on the store lender, and entries of its own. Agent rich buys
// from seller at CONFIDENTIAL, under another offer.
type bazaar struct {
	*harness
	buyer  memory.Caller
	offer  meter.FoundOffer
	secret meter.FoundOffer     // at CONFIDENTIAL
	keys   map[uuid.UUID]string // of all entries: IDs are random
	said   strings.Builder      // all answers to buyer
}

// prices are the terms that two bazaars have in common.
type prices struct {
	terms   meter.TermsRequest
	caps    acl.Caps // of lender's grant
	balance int64
}

func drawPrices(t *rapid.T) prices {
	number := func(label string, of ...int64) *int64 { return new(rapid.SampledFrom(of).Draw(t, label)) }
	return prices{
		terms: meter.TermsRequest{
			PriceSearch: number("price of a search", 0, 10), PriceEntry: number("price of an entry", 0, 100),
			FreeSearchesPerDay: number("free searches", 0, 1), MaxHits: new(rapid.SampledFrom([]int{1, 3, 10}).Draw(t, "hits")),
			SearchesPerDay: number("searches a day", 2, 1000), EntriesPerDay: number("entries a day", 2, 5, 200),
			EntriesTotal: number("entries", 4, 500),
		},
		caps:    acl.Caps{EntriesPerDay: rapid.SampledFrom([]int64{2, 500}).Draw(t, "lender's entries a day")},
		balance: rapid.SampledFrom([]int64{1, 250, 1_000_000}).Draw(t, "balance"),
	}
}

func openBazaar(t testing.TB, b backendtest.Backend, p prices) *bazaar {
	t.Helper()
	w := &bazaar{harness: open(t, b, memory.Limits{}), buyer: agent("buyer", acl.Internal), keys: make(map[uuid.UUID]string)}
	sell := func(label acl.Label, buyer string, balance int64) meter.FoundOffer {
		platform := caller(acl.Principal{Agent: "platform", Taint: label, Platform: true})
		offer, err := w.Market.MakeOffer(background, agent("seller", label), "seller", meter.OfferRequest{Title: new("Notes"), Terms: p.terms}, nil)
		must(w.harness, err)
		_, err = w.Market.Accept(background, agent(buyer, label), offer.ID, memory.Preconditions{}, nil)
		must(w.harness, err)
		_, err = w.Market.TopUp(background, platform, buyer, balance, "first")
		must(w.harness, err)
		return offer
	}
	w.offer, w.secret = sell(acl.Internal, "buyer", p.balance), sell(acl.Confidential, "rich", 1_000_000)
	// The buyer's sessions at higher labels have their own account.
	above := caller(acl.Principal{Agent: "platform", Taint: acl.Confidential, Platform: true})
	_, err := w.Market.TopUp(background, above, "buyer", 1_000_000, "first")
	must(w.harness, err)
	_, err = w.Share(background, agent("lender", acl.Internal), memory.ShareRequest{Store: "lender", Grantee: "buyer", Level: acl.Search, Caps: p.caps})
	must(w.harness, err)
	return w
}

// write writes an entry.
func (w *bazaar) write(store string, label acl.Label, key, value string, change ...func(*memory.PutRequest)) {
	w.t.Helper()
	r := memory.PutRequest{Path: path(store, key), Value: text(value)}
	for _, f := range change {
		f(&r)
	}
	put, err := w.Put(background, agent(store, label), r)
	must(w.harness, err)
	w.keys[put.ID] = fmt.Sprintf("%s/%s at %s", store, key, label)
}

// asked is a search by the buyer in both bazaars.
type asked struct {
	search.Request
	offered bool // through the offer
}

func drawAsked(t *rapid.T, offered bool) asked {
	a := asked{offered: offered, Request: search.Request{
		Query: drawText(t, "query"), Limit: rapid.IntRange(1, 10).Draw(t, "limit"),
		MinRelevance: rapid.SampledFrom([]float64{0, 0, 0.5}).Draw(t, "least relevance"),
		MaxTokens:    rapid.SampledFrom([]int{0, 0, 60, 400}).Draw(t, "tokens"),
		Passages:     rapid.Bool().Draw(t, "passages"),
	}}
	if rapid.Bool().Draw(t, "nearest") {
		a.Nearest, a.NearestByDefault = search.MaxNearest, true
	}
	if most := rapid.SampledFrom([]int64{-1, 0, 120, 350, 10_000}).Draw(t, "max_charge"); most >= 0 {
		a.Purchase.MaxCharge = &most
	}
	if !offered {
		a.Stores = rapid.SampledFrom([][]string{nil, {"seller"}, {"seller", "buyer"}, {"lender", "seller"}, {"lender", "stranger"}}).Draw(t, "stores")
	}
	return a
}

// ask searches, records the answer, and returns the keys of the hits that were sold.
func (w *bazaar) ask(c memory.Caller, a asked) (sold []string) {
	w.t.Helper()
	w.Index()
	r := a.Request
	if a.offered {
		r.Purchase.Offer = w.offer.ID
	}
	found, err := w.Search(background, c, r)
	w.saidError(err)
	if err != nil {
		return nil
	}
	hits, shown := w.eachHit(&found)
	fmt.Fprintf(&w.said, "label %s, degraded %v, incomplete %v, %d tokens\n", shown.Label(), found.Degraded, found.Incomplete, shown.Tokens())
	for _, hit := range hits {
		fmt.Fprintf(&w.said, "  %s %s %s %s %v %v %x %x\n", hit.Store, hit.Key, hit.Label, hit.Value, hit.Passages, hit.Truncated, hit.Score, hit.Relevance)
		if hit.Store == "seller" {
			sold = append(sold, hit.Key)
		}
	}
	for _, n := range found.Nearest {
		fmt.Fprintf(&w.said, "  near: %s %x\n", w.keys[n.Entry.ID], n.Relevance)
	}
	for _, s := range found.Bill.Skipped {
		fmt.Fprintf(&w.said, "  skipped %s: %s, %v\n", s.Store, s.Reason, s.Offer == w.offer.ID.String())
	}
	for _, charge := range found.Bill.Charges {
		receipt := w.receipt(charge.Receipt)
		fmt.Fprintf(&w.said, "  charged %s %d for %d and %q; receipt of %d for %d hits %s; %d left\n", charge.Store, charge.Amount, charge.Search,
			w.named(charge.Entries), receipt.Amount, receipt.Hits, receipt.HitsDigest, *found.Bill.Balance)
	}
	return sold
}

func (w *bazaar) receipt(jws string) meter.Receipt {
	w.t.Helper()
	keys, err := w.Market.Keys(background)
	must(w.harness, err)
	receipt, err := meter.VerifyReceipt(jws, keys, nil)
	must(w.harness, err)
	return receipt
}

// saidError records an error with all details that a client gets.
func (w *bazaar) saidError(err error) {
	fmt.Fprintf(&w.said, "error %v\n", err)
	var spent *search.CapError
	var unpaid *search.PaymentError
	switch {
	case errors.As(err, &spent):
		fmt.Fprintf(&w.said, "  %+v\n", *spent)
	case errors.As(err, &unpaid):
		fmt.Fprintf(&w.said, "  price %d, balance %d, %v\n", unpaid.Price, unpaid.Balance, unpaid.Offer == w.offer.ID.String())
	}
}

// named returns the keys of entries.
func (w *bazaar) named(ids []uuid.UUID) (keys []string) {
	for _, id := range ids {
		keys = append(keys, w.keys[id])
	}
	return keys
}

// sayAccount records what the buyer sees of its purchases, and the price of another
// search. If withKeys is true, it records usage with the keys of entries.
func (w *bazaar) sayAccount(withKeys bool) {
	w.t.Helper()
	account, err := w.Market.Account(background, w.buyer)
	must(w.harness, err)
	page, err := w.Market.Usage(background, w.buyer, 100, "")
	must(w.harness, err)
	fmt.Fprintf(&w.said, "balance %d, %d charges, more: %v\n", account.Balance, len(page.Items), page.Next != "")
	for _, used := range page.Items {
		fmt.Fprintf(&w.said, "  %s %d %d %d %q %s\n", used.At, used.Amount, used.Search, used.Hits, w.named(used.Entries), used.State)
		if withKeys {
			fmt.Fprintf(&w.said, "    %q\n", slices.Sorted(valuesOf(used.Keys)))
		}
	}
	_, err = w.Search(background, w.buyer, search.Request{Query: "the cat", Limit: 7, Purchase: search.Purchase{Offer: w.offer.ID, MaxCharge: new(int64(0)), Limit: 7}})
	w.saidError(err)
}

func valuesOf(keys map[uuid.UUID]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, key := range keys {
			if !yield(key) {
				return
			}
		}
	}
}
