package search_test

import (
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

// offer makes an offer of the seller's store at these prices, in micros, at the seller's taint.
func (h *harness) offer(seller memory.Caller, search, entry int64) meter.FoundOffer {
	h.t.Helper()
	title := "Searches"
	offer, err := h.Market.MakeOffer(background, seller, seller.Agent, meter.OfferRequest{Title: &title, Terms: meter.TermsRequest{PriceSearch: &search, PriceEntry: &entry}}, nil)
	must(h, err)
	return offer
}

// buy accepts an offer for a buyer and tops up the buyer's account.
func (h *harness) buy(buyer memory.Caller, offer meter.FoundOffer, balance int64) {
	h.t.Helper()
	_, err := h.Market.Accept(background, buyer, offer.ID, memory.Preconditions{}, nil)
	must(h, err)
	platform := caller(acl.Principal{Agent: "platform", Taint: buyer.Taint, Platform: true})
	_, err = h.Market.TopUp(background, platform, buyer.Agent, balance, "first")
	must(h, err)
}

// A metered store is searched, and charged for, only if the request names it and gives
// max_charge. The answer shows no entry that was not bought.
func TestAMeteredStoreIsSearchedOnlyIfNamedAndPaidFor(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		seller, buyer := agent("seller", acl.Internal), agent("buyer", acl.Internal)
		for i := range 5 {
			h.PutText(seller, "seller", fmt.Sprint("k", i), fmt.Sprintf("granite quarry number %d", i), 201)
		}
		h.PutText(buyer, "buyer", "own", "my granite wall", 201)
		offer := h.offer(seller, 10, 100)
		h.buy(buyer, offer, 1000)
		h.Index()
		find := func(r search.Request) (keys []string, a search.Answer) {
			r.Query, r.Limit = "granite", 10
			a = h.MustSearch(buyer, r)
			hits, _ := h.eachHit(&a)
			for _, hit := range hits {
				keys = append(keys, hit.Key)
			}
			return keys, a
		}
		for _, c := range []struct {
			r      search.Request
			reason search.SkipReason
			most   int // hits
		}{
			{search.Request{}, search.SkipNotNamed, 1},
			{search.Request{Purchase: search.Purchase{MaxCharge: new(int64(1000))}}, search.SkipNotNamed, 1},
			{search.Request{Stores: []string{"seller", "buyer"}}, search.SkipNoCharge, 1},
			{search.Request{Stores: []string{"seller"}}, search.SkipNoCharge, 0},
			{search.Request{Stores: []string{"seller"}, Purchase: search.Purchase{MaxCharge: new(int64(9))}}, search.SkipNoCharge, 0},
			{search.Request{Stores: []string{"seller"}, Purchase: search.Purchase{MaxCharge: new(int64(900)), Barred: true}}, search.SkipNoConsent, 0},
		} {
			keys, a := find(c.r)
			want := []search.Skipped{{Store: "seller", Offer: offer.ID.String(), Reason: c.reason}}
			if len(keys) != c.most || !slices.Equal(a.Bill.Skipped, want) || a.Bill.Charges != nil {
				t.Errorf("%+v shows %q, skips %v and costs %+v", c.r.Purchase, keys, a.Bill.Skipped, a.Bill.Charges)
			}
		}
		keys, a := find(search.Request{Stores: []string{"buyer", "seller"}, Purchase: search.Purchase{MaxCharge: new(int64(250))}})
		if len(keys) != 3 || len(a.Bill.Charges) != 1 || a.Bill.Charges[0].Amount != 210 || len(a.Bill.Charges[0].Entries) != 2 || *a.Bill.Balance != 790 {
			t.Errorf("showed %q for %+v, with %v left", keys, a.Bill.Charges, a.Bill.Balance)
		}
		// A search of the offer takes only the options of level search.
		r := search.Request{Query: "granite", Limit: 10, Purchase: search.Purchase{Offer: offer.ID}}
		a = h.MustSearch(buyer, r)
		if hits, _ := h.eachHit(&a); len(hits) != 5 || len(a.Bill.Charges) != 1 || a.Bill.Charges[0].Amount != 310 {
			t.Errorf("%d hits for %+v", len(hits), a.Bill.Charges)
		}
		refused := r
		refused.Mode = search.ModeLexical
		_, err := h.Search(background, buyer, refused)
		h.WantStatus(err, 403)
		refused = r
		refused.Limit = 101
		_, err = h.Search(background, buyer, refused)
		h.WantStatus(err, 422)
		for _, who := range []memory.Caller{agent("buyer", acl.Public), seller} {
			if _, err = h.Search(background, who, r); status(err) != 404 && status(err) != 409 {
				t.Errorf("%s at %v searched the offer: %v", who.Agent, who.Taint, err)
			}
		}
		_, err = h.Search(background, buyer, search.Request{Query: "granite", Limit: 10, Stores: []string{"seller"}, Ranking: search.RankingRRF})
		h.WantStatus(err, 403)
		_, err = h.Get(background, buyer, path("seller", "k0"))
		h.WantStatus(err, 403)
	})
}

// While an offer is open, only the store's own agent can share the store, and grants that
// others made before are suspended.
func TestOnlyItsOwnAgentSharesAStoreForSale(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		owner, writer := agent("owner", acl.Internal), agent("writer", acl.Internal)
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Internal, Platform: true})
		share := func(by memory.Caller, grantee string) error {
			_, err := h.Share(background, by, memory.ShareRequest{Store: "owner", Grantee: grantee, Level: acl.Read})
			return err
		}
		h.MustShare(owner, "writer", acl.ReadWrite)
		must(h, share(writer, "friend"))
		must(h, share(platform, "other"))
		h.PutText(owner, "owner", "k", "a note", 201)
		offer := h.offer(owner, 10, 100)
		for _, by := range []memory.Caller{writer, platform} {
			h.WantStatus(share(by, "late"), 403)
		}
		must(h, share(owner, "direct"))
		check := func(want int) {
			for who, want := range map[string]int{"friend": want, "other": want, "direct": 200, "writer": 200} {
				_, err := h.Get(background, agent(who, acl.Internal), path("owner", "k"))
				if got := status(err); got != want {
					t.Errorf("%s gets the entry with status %d, want %d", who, got, want)
				}
			}
		}
		check(403)
		must(h, h.Market.WithdrawOffer(background, owner, offer.ID, memory.Preconditions{}))
		check(200)
		must(h, share(writer, "late"))
	})
}

// A spent cap of an unmetered grant refuses a search that names the store; a search that
// names no store leaves the store out.
func TestCapsOfAnUnmeteredGrant(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		owner, reader := agent("owner", acl.Public), agent("reader", acl.Public)
		for i := range 6 {
			h.PutText(owner, "owner", fmt.Sprint("k", i), fmt.Sprintf("granite quarry number %d", i), 201)
		}
		h.Index()
		named := search.Request{Query: "granite", Limit: 10, Stores: []string{"owner"}}
		spent := func(most time.Duration) {
			t.Helper()
			var full *search.CapError
			if _, err := h.Search(background, reader, named); !errors.As(err, &full) || full.RetryAfter <= 0 || full.RetryAfter > most {
				t.Errorf("a search beyond the cap: %v", err)
			}
			if a := h.MustSearch(reader, search.Request{Query: "granite", Limit: 10}); len(a.Hits) != 0 || a.Bill.Skipped != nil {
				t.Errorf("%d hits beyond the cap, skipped %v", len(a.Hits), a.Bill.Skipped)
			}
		}
		share := func(caps acl.Caps) {
			_, err := h.Share(background, owner, memory.ShareRequest{Store: "owner", Grantee: "reader", Level: acl.Search, Caps: caps})
			must(h, err)
		}
		share(acl.Caps{EntriesPerDay: 4})
		a := h.MustSearch(reader, named)
		if hits, _ := h.eachHit(&a); len(hits) != 4 || a.Bill.Charges != nil || a.Bill.Skipped != nil {
			t.Errorf("%d hits, %+v", len(hits), a.Bill)
		}
		spent(24 * time.Hour)
		h.Clock.Advance(24 * time.Hour)
		share(acl.Caps{SearchesPerHour: 2})
		named.Query, named.MinRelevance = "xyzzy", 1
		h.MustSearch(reader, named)                                                      // finds nothing, but counts
		h.MustSearch(reader, search.Request{Query: "xyzzy", MinRelevance: 1, Limit: 10}) // does not
		h.MustSearch(reader, search.Request{Query: "granite", Limit: 10})
		spent(time.Hour)
		h.Clock.Advance(time.Hour)
		h.MustSearch(reader, named)
	})
}
