package meter_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
	"mneme/search"
)

// The request, the token's scope and the balance decide what a search buys. Surfaces differ
// only in Prompted.
func TestTheRequestDecidesWhatASearchBuys(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		offer := f.offer(sam)
		f.put(sam, "k")
		f.accept(ben, offer)
		f.topUp("ben", 100_000)
		question := search.Request{Query: "peanuts", Limit: 10}
		if _, err := f.market.Search(f.ctx, ben, meter.SearchRequest{Request: question, Offer: offer.ID}); err != nil {
			f.Fatal(err) // the entry is now bought, so that further searches all cost the same
		}
		most := func(micros int64) *int64 { return &micros }
		named, both := []string{"sam"}, []string{"ben", "sam"}
		const noScope, noMax = "this session may not spend from the account: its token lacks the scope spend", "give max_charge, in micros, of at least the price"
		for name, c := range map[string]struct {
			stores   []string
			offer    uuid.UUID
			most     *int64
			prompted bool
			spend    bool
			cost     int64             // the price of the search, if it buys
			skipped  search.SkipReason // why the search leaves out the store, if it does
			price    string            // the reason in the PaymentError, if any
		}{
			"unnamed":             {skipped: search.SkipNotNamed},
			"unnamed, with max":   {most: most(5000), skipped: search.SkipNotNamed},
			"named":               {stores: named, skipped: search.SkipNoCharge},
			"named, with max":     {stores: named, most: most(5000), cost: 2000},
			"named, too little":   {stores: named, most: most(1999), skipped: search.SkipNoCharge},
			"named, nothing":      {stores: named, most: most(0), skipped: search.SkipNoCharge},
			"offer":               {offer: offer.ID, cost: 2000},
			"offer, with max":     {offer: offer.ID, most: most(2000), cost: 2000},
			"offer, too little":   {offer: offer.ID, most: most(1999), price: "max_charge is less than the price of the search"},
			"prompted, unnamed":   {prompted: true, spend: true, most: most(5000), skipped: search.SkipNotNamed},
			"prompted, two":       {prompted: true, spend: true, stores: both, skipped: search.SkipNoCharge},
			"prompted, no scope":  {prompted: true, stores: both, most: most(5000), skipped: search.SkipNoConsent},
			"prompted, paid":      {prompted: true, spend: true, stores: named, most: most(5000), cost: 2000},
			"prompted, no max":    {prompted: true, spend: true, stores: named, price: noMax},
			"prompted, little":    {prompted: true, spend: true, stores: named, most: most(1999), price: noMax},
			"prompted, unscoped":  {prompted: true, stores: named, most: most(5000), price: noScope},
			"prompted offer":      {prompted: true, spend: true, offer: offer.ID, most: most(5000), cost: 2000},
			"prompted offer, max": {prompted: true, spend: true, offer: offer.ID, price: noMax},
			"prompted offer, not": {prompted: true, offer: offer.ID, most: most(5000), price: noScope},
		} {
			caller, before := ben, f.balance("ben")
			caller.Spend = c.spend
			r := meter.SearchRequest{Request: question, Offer: c.offer, MaxCharge: c.most, Prompted: c.prompted}
			r.Stores = c.stores
			found, err := f.market.Search(f.ctx, caller, r)
			var price *search.PaymentError
			switch {
			case c.price != "":
				if !errors.As(err, &price) || price.Reason != c.price || price.Offer != offer.ID.String() {
					f.Errorf("%s: %v, want a price for: %s", name, err, c.price)
				}
			case err != nil:
				f.Errorf("%s: %v", name, err)
			case c.skipped != "":
				if want := []search.Skipped{{Store: "sam", Offer: offer.ID.String(), Reason: c.skipped}}; !slices.Equal(found.Bill.Skipped, want) {
					f.Errorf("%s skips %v, want %v", name, found.Bill.Skipped, want)
				}
			case len(found.Bill.Charges) != 1 || len(found.Hits) != 1:
				f.Errorf("%s: %d hits for %+v", name, len(found.Hits), found.Bill.Charges)
			}
			if cost := before - f.balance("ben"); cost != c.cost {
				f.Errorf("%s costs %d, want %d", name, cost, c.cost)
			}
		}
	})
}

func TestASearchChecksThePurchaseFirst(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		offer := f.offer(sam)
		for name, r := range map[string]meter.SearchRequest{
			"max_charge": {Offer: offer.ID, MaxCharge: new(int64(-1))},
			"offer":      {Offer: offer.ID, Request: search.Request{Stores: []string{"sam"}}},
			"payment":    {Payment: &meter.Payment{}},
		} {
			var broken *memory.RuleError
			if _, err := f.market.Search(f.ctx, zoe, r); !errors.As(err, &broken) || broken.Field != name {
				f.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A surface limits only searches that may be charged for to the size that it can show.
func TestFitIsCalledOnlyForSearchesThatMayCost(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		offer := f.offer(sam)
		f.put(sam, "k")
		full := errors.New("the answer would be too large")
		for name, c := range map[string]struct {
			r      meter.SearchRequest
			fitted bool
		}{
			"free":       {r: meter.SearchRequest{}},
			"max_charge": {r: meter.SearchRequest{MaxCharge: new(int64)}, fitted: true},
			"offer":      {r: meter.SearchRequest{Offer: offer.ID}, fitted: true},
		} {
			c.r.Query, c.r.Limit, c.r.Prompted = "peanuts", 10, true
			offered := false
			c.r.Fit = func(_ *search.Request, of bool) error { offered = of; return full }
			if _, err := f.market.Search(f.ctx, ben, c.r); errors.Is(err, full) != c.fitted || offered != (c.r.Offer != uuid.Nil) {
				f.Errorf("%s: %v, as one of an offer: %t", name, err, offered)
			}
		}
	})
}
