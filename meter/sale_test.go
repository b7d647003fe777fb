package meter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/storage"
)

func priced(search, entry int64) meter.TermsRequest {
	return meter.TermsRequest{PriceSearch: &search, PriceEntry: &entry}
}

func checkCharge(t *testing.T, a answer, amount, search int64, fresh, hits int) {
	t.Helper()
	if len(a.bill.Charges) != 1 {
		t.Fatalf("got %d charges", len(a.bill.Charges))
	}
	if c := a.bill.Charges[0]; c.Amount != amount || c.Search != search || len(c.Entries) != fresh || len(a.hits) != hits {
		t.Errorf("charged %d, of which %d for the search, with %d new of %d hits; want %d, %d, %d, %d", c.Amount, c.Search, len(c.Entries), len(a.hits), amount, search, fresh, hits)
	}
}

func TestAnEntryIsBoughtOnce(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		offer := p.sell("shop", priced(100, 10), meter.OfferCaps{})
		p.topUp("buyer", 10_000)
		goods := entries("shop", 3)
		checkCharge(t, p.mustBuy(p.of(offer, "buyer", goods...)), 130, 100, 3, 3)
		checkCharge(t, p.mustBuy(p.of(offer, "buyer", goods...)), 100, 100, 0, 3)
		edited := goods[0]
		edited.Value = json.RawMessage(`{"another": "value"}`)
		checkCharge(t, p.mustBuy(p.of(offer, "buyer", edited)), 100, 100, 0, 1)
		// A copy of the old value, and one of the new value in another form of JSON: the buyer
		// has bought both values, so neither costs anything.
		checkCharge(t, p.mustBuy(p.of(offer, "buyer", entry("shop", "copy", string(goods[0].Value)), entry("shop", "copy2", `{ "another":"value" }`))), 100, 100, 0, 2)
		twins := []memory.Entry{entry("shop", "a", `"twin"`), entry("shop", "b", `"twin"`)}
		checkCharge(t, p.mustBuy(p.of(offer, "buyer", twins...)), 110, 100, 1, 2)
		checkCharge(t, p.mustBuy(p.of(offer, "buyer", twins[1])), 100, 100, 0, 1)
		// All entries are new to another buyer. To this buyer they are not, even through
		// another offer.
		p.topUp("other", 1000)
		checkCharge(t, p.mustBuy(p.of(offer, "other", goods[0])), 110, 100, 1, 1)
		second := p.sell("shop", priced(5, 7), meter.OfferCaps{})
		checkCharge(t, p.mustBuy(named("buyer", new(int64(1000)), []acl.Access{p.metered(second)}, goods...)), 5, 5, 0, 3)
		if got := p.balance("buyer"); got != 10_000-130-100-100-100-110-100-5 {
			t.Errorf("the buyer has %d", got)
		}
		if p.balance("shop") != 20_000-9_000-p.balance("buyer")-p.balance("other") {
			t.Errorf("the seller has %d", p.balance("shop"))
		}
		p.verify()
	})
}

func TestEntriesShownByAnUnmeteredGrantAreNotChargedLater(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		goods := entries("shop", 2)
		a := p.mustBuy(named("buyer", nil, []acl.Access{unmetered("shop", acl.Caps{})}, goods[0]))
		if len(a.bill.Charges) != 0 || a.bill.Balance != nil || len(a.hits) != 1 {
			t.Fatalf("got %+v", a.bill)
		}
		offer := p.sell("shop", priced(100, 10), meter.OfferCaps{})
		p.topUp("buyer", 1000)
		checkCharge(t, p.mustBuy(p.of(offer, "buyer", goods...)), 110, 100, 1, 2)
	})
}

func TestTheFirstSearchesOfADayAreFree(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		terms := priced(100, 10)
		terms.FreeSearchesPerDay = new(int64(2))
		offer := p.sell("shop", terms, meter.OfferCaps{})
		p.topUp("buyer", 1000)
		goods := entries("shop", 4)
		for i, want := range []int64{0, 0, 100, 100} {
			checkCharge(t, p.mustBuy(p.of(offer, "buyer", goods[i])), want+10, want, 1, 1)
		}
		tomorrow := p.of(offer, "buyer", goods[0])
		tomorrow.at = noon.Truncate(24 * time.Hour).Add(24 * time.Hour)
		checkCharge(t, p.mustBuy(tomorrow), 0, 0, 0, 1)
		p.verify()
	})
}

func TestAnAnswerStopsBeforeTheFirstNewEntryThatDoesNotFit(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		for name, c := range map[string]struct {
			terms   func(*meter.TermsRequest)
			caps    meter.OfferCaps
			balance int64
			most    *int64
			payment *search.Payment
		}{
			"balance":       {balance: 129},
			"max_charge":    {balance: 1000, most: new(int64(129))},
			"payment":       {balance: 0, payment: &search.Payment{Covers: 129}},
			"entries a day": {terms: func(t *meter.TermsRequest) { t.EntriesPerDay = new(int64(3)) }, balance: 1000},
			"entries":       {terms: func(t *meter.TermsRequest) { t.EntriesTotal = new(int64(3)) }, balance: 1000},
			"all buyers":    {caps: meter.OfferCaps{EntriesTotal: new(int64(3))}, balance: 1000},
			"hits":          {terms: func(t *meter.TermsRequest) { t.MaxHits = new(3) }, balance: 1000},
		} {
			store, buyer := "shop-"+uuid.NewString(), "buyer-"+uuid.NewString()
			terms := priced(100, 10)
			if c.terms != nil {
				c.terms(&terms)
			}
			offer := p.sell(store, terms, c.caps)
			goods := entries(store, 5)
			p.topUp(buyer, 110+c.balance)
			p.mustBuy(p.of(offer, buyer, goods[4])) // 110
			b := p.of(offer, buyer, goods...)
			b.purchase.MaxCharge, b.purchase.Payment = c.most, c.payment
			if c.payment != nil {
				b.purchase.Claim = p.claim()
			}
			a := p.mustBuy(b)
			// A search stops at the first entry that it cannot sell, here k2. So k4 is not
			// shown, although it was bought before.
			want := []string{"k0", "k1"}
			if name == "hits" {
				want = []string{"k0", "k1", "k2"}
			}
			if !slices.Equal(a.keys, want) {
				t.Errorf("%s: got %v", name, a.keys)
			}
			// A bought entry that comes first is shown.
			b.found = append([]memory.Entry{goods[4], goods[0], goods[1]}, entries(store, 1)...)
			if c.payment == nil && c.most == nil && name != "balance" {
				a, err := p.buy(b)
				var spent *search.CapError
				if name != "hits" && !errors.As(err, &spent) || name == "hits" && len(a.hits) != 3 {
					t.Errorf("%s: got %v, %v", name, a.keys, err)
				}
			}
		}
		p.verify()
	})
}

func TestAnEntryThatDoesNotFitTheAnswerCostsNothing(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		offer := p.sell("shop", priced(100, 10), meter.OfferCaps{})
		p.topUp("buyer", 1000)
		twins := []memory.Entry{entry("shop", "a", `"x"`), entry("shop", "b", `"y"`), entry("shop", "c", `"y"`)}
		b := p.of(offer, "buyer", twins...)
		b.hide = 2
		checkCharge(t, p.mustBuy(b), 110, 100, 1, 1)
		checkCharge(t, p.mustBuy(p.of(offer, "buyer", twins...)), 110, 100, 1, 3)
	})
}

func TestASaleOfStoresThatWereNotSearchedShowsNothing(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		offer := p.sell("shop", priced(100, 10), meter.OfferCaps{})
		p.topUp("buyer", 1000)
		b := p.of(offer, "buyer", entry("shop", "a", `"x"`), entry("other", "b", `"y"`))
		if a := p.mustBuy(b); !slices.Equal(a.keys, []string{"a"}) {
			t.Errorf("showed %q", a.keys)
		}
	})
}

// A search pays by the terms under which it was admitted.
func TestAnOfferThatChangedDuringASearchSellsNothing(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		offer := p.sell("shop", priced(100, 10), meter.OfferCaps{})
		purchase := search.Purchase{Offer: offer.ID, Payment: &search.Payment{Covers: 1000}, Claim: p.claim(), Limit: 1}
		p.must(p.storage.View(t.Context(), func(tx meter.ReadTx) error {
			admission, err := p.meter.Admit(t.Context(), tx, caller("stranger"), purchase, nil, noon)
			purchase.Grant = admission.Grant
			return err
		}))
		purchase.Named = []string{"shop"}
		sell := func() (sale search.Sale, err error) {
			err = p.storage.Update(t.Context(), func(tx meter.Tx) error {
				sale, err = p.meter.Sell(t.Context(), tx, caller("stranger"), purchase, offering([]acl.Access{p.metered(offer)}, 1, entries("shop", 1)...), noon)
				return err
			})
			return sale, err
		}
		_, err := p.market.ChangeOffer(t.Context(), caller("shop"), offer.ID, meter.OfferRequest{Terms: meter.TermsRequest{PriceEntry: new(int64(500))}}, memory.Preconditions{})
		p.must(err)
		if sale, err := sell(); !errors.Is(err, memory.ErrConflict) || len(sale.Shown) != 0 {
			t.Errorf("sold %+v, %v", sale, err)
		}
		_, err = p.market.ChangeOffer(t.Context(), caller("shop"), offer.ID, meter.OfferRequest{Terms: meter.TermsRequest{PriceEntry: new(int64(10))}}, memory.Preconditions{})
		p.must(err)
		if sale, err := sell(); err != nil || len(sale.Shown) != 1 {
			t.Errorf("sold %+v, %v", sale, err)
		}
	})
}

func TestASpentCapEndsSearchesUntilItsWindowEnds(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		terms := priced(1, 0)
		terms.SearchesPerMinute, terms.SearchesPerDay = new(int64(2)), new(int64(3))
		offer := p.sell("shop", terms, meter.OfferCaps{SearchesPerDay: new(int64(4))})
		p.topUp("buyer", 1000)
		p.topUp("other", 1000)
		b := p.of(offer, "buyer")
		check := func(when string, b buying, want string, after time.Duration) {
			t.Helper()
			_, err := p.buy(b)
			var spent *search.CapError
			if errors.As(err, &spent); (err == nil) != (want == "") || spent != nil && (spent.Cap != want || spent.RetryAfter != after || spent.Store != "shop") {
				t.Errorf("%s: got %v, %+v", when, err, spent)
			}
		}
		check("first", b, "", 0)
		check("second", b, "", 0)
		check("third of a minute", b, "searches_per_minute", 30*time.Second)
		b.at = noon.Add(30 * time.Second)
		check("the next minute", b, "", 0)
		check("fourth of a day", b, "searches_per_day", 11*time.Hour+29*time.Minute)
		o := p.of(offer, "other")
		check("fourth of all buyers", o, "", 0)
		check("fifth of all buyers", o, "searches_per_day", 11*time.Hour+29*time.Minute+30*time.Second)
		b.at = noon.Add(12 * time.Hour)
		check("the next day", b, "", 0)
		if got := p.balance("buyer"); got != 996 {
			t.Errorf("the buyer has %d", got)
		}
		if p.seen.charged != 5 || p.seen.refused[search.SkipCap] != 3 {
			t.Errorf("observed %+v", p.seen)
		}
	})
}

func TestASearchLeavesOutNamedStoresThatItCannotPayFor(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		p.topUp("buyer", 250)
		first, second := p.sell("first", priced(100, 10), meter.OfferCaps{}), p.sell("second", priced(100, 10), meter.OfferCaps{})
		closed := p.sell("closed", priced(0, 0), meter.OfferCaps{SearchesPerDay: new(int64(0))})
		both := []acl.Access{p.metered(second), p.metered(first)} // named in this order
		found := []memory.Entry{entries("first", 1)[0], entries("second", 1)[0], entries("first", 1)[0]}
		check := func(name string, b buying, shown int, want ...search.Skipped) {
			t.Helper()
			if a := p.mustBuy(b); len(a.hits) != shown || !slices.Equal(a.bill.Skipped, want) {
				t.Errorf("%s: %d hits, skipped %+v", name, len(a.hits), a.bill.Skipped)
			}
		}
		skip := func(o meter.Offer, reason search.SkipReason) search.Skipped {
			return search.Skipped{Store: o.Store, Offer: o.ID.String(), Reason: reason}
		}
		unnamed := named("buyer", new(int64(1000)), both, found...)
		unnamed.purchase.Named = nil
		check("not named", unnamed, 0, skip(second, search.SkipNotNamed), skip(first, search.SkipNotNamed))
		check("no max_charge", named("buyer", nil, both, found...), 0, skip(second, search.SkipNoCharge), skip(first, search.SkipNoCharge))
		barred := named("buyer", new(int64(1000)), both, found...)
		barred.purchase.Barred = true
		check("no scope spend", barred, 0, skip(second, search.SkipNoConsent), skip(first, search.SkipNoConsent))
		check("a spent cap", named("buyer", new(int64(1000)), []acl.Access{p.metered(closed)}, found...), 0, skip(closed, search.SkipCap))
		check("poor", named("poor", new(int64(1000)), both, found...), 0, skip(second, search.SkipBalance), skip(first, search.SkipBalance))
		if p.balance("buyer") != 250 {
			t.Fatal("charged for nothing")
		}
		check("max_charge for one search", named("buyer", new(int64(110)), both, found...), 1, skip(first, search.SkipNoCharge)) // second: 110
		check("a balance for one search", named("buyer", new(int64(1000)), both, found...), 1, skip(first, search.SkipBalance))  // second: 100, bought
		p.topUp("buyer", 1000)
		a := p.mustBuy(named("buyer", new(int64(1000)), both, found...))
		if len(a.hits) != 3 || len(a.bill.Charges) != 2 || a.bill.Charges[0].Store != "second" || a.bill.Charges[1].Amount != 120 || *a.bill.Balance != p.balance("buyer") {
			t.Errorf("got %+v", a.bill)
		}
		p.verify()
	})
}

func TestUnmeteredGrantsHaveCaps(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		access := []acl.Access{unmetered("s", acl.Caps{SearchesPerHour: 3, EntriesPerDay: 4})}
		goods := entries("s", 6)
		unnamed := func(found ...memory.Entry) buying { return buying{agent: "a", stores: access, found: found} }
		for range 5 {
			// It shows no entry of the store, so it does not count as a search of it.
			p.mustBuy(unnamed())
		}
		if a := p.mustBuy(unnamed(goods[:2]...)); len(a.hits) != 2 {
			t.Fatalf("got %v", a.keys)
		}
		// It finds nothing, but counts because it names the store.
		p.mustBuy(named("a", nil, access))
		if a := p.mustBuy(named("a", nil, access, goods[1:]...)); len(a.hits) != 3 {
			t.Errorf("beyond entries_per_day: got %v", a.keys)
		}
		_, err := p.buy(named("a", nil, access, goods...))
		var spent *search.CapError
		if !errors.As(err, &spent) || spent.Cap != "entries_per_day" || spent.RetryAfter != 11*time.Hour+29*time.Minute+30*time.Second {
			t.Errorf("named: got %v", err)
		}
		if a := p.mustBuy(unnamed(goods...)); len(a.hits) != 0 || len(a.bill.Skipped) != 0 {
			t.Errorf("not named: got %v", a.keys)
		}
		tomorrow := named("a", nil, access, goods...)
		tomorrow.at = noon.Add(12 * time.Hour)
		if a := p.mustBuy(tomorrow); len(a.hits) != 6 {
			t.Errorf("the next day: got %v", a.keys)
		}
		if check := p.verify(); check.Lines != 0 {
			t.Errorf("%d lines in the ledger", check.Lines)
		}
	})
}

// SECURITY: entries that were found but not shown leave no trace in the answer, the account or
// later answers.
func TestEntriesThatAreNotShownLeaveNoTrace(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		offer := p.sell("shop", priced(100, 10), meter.OfferCaps{})
		goods := entries("shop", 30)
		var bills []string
		for _, c := range []struct {
			agent string
			more  []memory.Entry
		}{{"alone", nil}, {"among-many", goods[3:]}} {
			p.topUp(c.agent, 1000)
			b := p.of(offer, c.agent, append(slices.Clone(goods[:3]), c.more...)...)
			b.limit = 3
			first := p.mustBuy(b)
			again := p.mustBuy(p.of(offer, c.agent, goods[3]))
			bills = append(bills, fmt.Sprint(first.keys, first.bill.Charges[0].Amount, first.bill.Charges[0].Entries, *first.bill.Balance, again.bill.Charges[0].Amount, *again.bill.Balance))
		}
		if bills[0] != bills[1] {
			t.Errorf("%s\n%s", bills[0], bills[1])
		}
	})
}

func TestAnUnpaidSearchReturnsItsPrice(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		offer := p.sell("shop", priced(100, 10), meter.OfferCaps{})
		check := func(name string, b buying, price, balance int64) {
			t.Helper()
			_, err := p.buy(b)
			var unpaid *search.PaymentError
			if !errors.As(err, &unpaid) || unpaid.Price != price || unpaid.Balance != balance || unpaid.Offer != offer.ID.String() || unpaid.Reason == "" {
				t.Errorf("%s: got %v, %+v", name, err, unpaid)
			}
		}
		b := p.of(offer, "buyer", entries("shop", 20)...)
		check("no balance", b, 200, 0)
		b.limit = 4
		check("a limit", b, 140, 0)
		p.topUp("buyer", 99)
		check("too little", b, 140, 99)
		p.topUp("buyer", 900)
		b.purchase.MaxCharge = new(int64(99))
		check("max_charge", b, 140, 999)
		b.purchase.MaxCharge, b.purchase.Payment = nil, &search.Payment{Covers: 99}
		check("payment", b, 140, 999)
		b.purchase.Payment, b.purchase.Barred = nil, true
		check("no scope spend", b, 140, 999)
		if p.balance("buyer") != 999 {
			t.Error("charged")
		}
		quote, err := p.meter.Quote(t.Context(), caller("stranger"), offer.ID, 2, noon)
		if err != nil || quote.Price != 120 {
			t.Errorf("quote: %+v, %v", quote, err)
		}
	})
}

func TestASearchOfAnOfferNeedsAGrantOrAPayment(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		offer := p.sell("shop", priced(100, 10), meter.OfferCaps{})
		second := p.sell("shop", priced(1, 1), meter.OfferCaps{})
		offered := func(c memory.Caller, offer uuid.UUID, payment *search.Payment) (grant acl.Grant, err error) {
			err = p.storage.View(t.Context(), func(tx meter.ReadTx) error {
				admission, err := p.meter.Admit(t.Context(), tx, c, search.Purchase{Offer: offer, Payment: payment, Limit: 1}, nil, noon)
				if admission.Grant != nil {
					grant = *admission.Grant
				}
				return err
			})
			return grant, err
		}
		paid := &search.Payment{Covers: 110}
		var unpaid *search.PaymentError
		if _, err := offered(caller("stranger"), offer.ID, nil); !errors.As(err, &unpaid) || unpaid.Price != 110 {
			t.Errorf("without either: %v", err)
		}
		grant, err := offered(caller("stranger"), offer.ID, paid)
		if err != nil || grant.Store != "shop" || grant.Level != acl.Search || grant.Offer != offer.ID.String() || grant.MaxLabel != acl.Public {
			t.Errorf("with a payment: %+v, %v", grant, err)
		}
		if _, err := offered(caller("shop"), offer.ID, paid); !errors.Is(err, memory.ErrConflict) {
			t.Errorf("the store's own agent: %v", err)
		}
		if _, err := offered(caller("stranger"), uuid.Must(uuid.NewV7()), paid); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("no such offer: %v", err)
		}
		p.topUp("buyer", 1000)
		accepted, err := p.market.Accept(t.Context(), caller("buyer"), offer.ID, memory.Preconditions{}, nil)
		p.must(err)
		if grant, err = offered(caller("buyer"), offer.ID, nil); err != nil || grant.Terms != accepted.Terms {
			t.Errorf("with a grant: %+v, %v", grant, err)
		}
		if _, err := offered(caller("buyer"), second.ID, paid); !errors.Is(err, memory.ErrConflict) {
			t.Errorf("with a grant of another offer: %v", err)
		}
		p.must(p.market.WithdrawOffer(t.Context(), caller("shop"), offer.ID, memory.Preconditions{}))
		if _, err := offered(caller("stranger"), offer.ID, paid); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("a withdrawn offer: %v", err)
		}
		if _, err := offered(caller("buyer"), offer.ID, nil); err != nil {
			t.Errorf("a grant of a withdrawn offer: %v", err)
		}
	})
}

// claim creates an open claim of a payment.
func (p *process) claim() *search.ClaimRef {
	claim := meter.Claim{ID: uuid.Must(uuid.NewV7()), Payment: uuid.NewString(), State: meter.ClaimOpen, Fence: 3, HeldUntil: noon, ExpiresAt: noon.Add(time.Hour)}
	p.must(p.storage.Update(p.t.Context(), func(tx meter.Tx) error { return tx.PutClaim(p.t.Context(), claim) }))
	return &search.ClaimRef{ID: claim.ID, Fence: claim.Fence}
}

func TestAPaymentWaitsForItsSettlement(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		offer := p.sell("shop", priced(100, 10), meter.OfferCaps{})
		p.topUp("buyer", 50)
		claim := p.claim()
		b := p.of(offer, "buyer", entries("shop", 1)...)
		b.purchase.Payment = &search.Payment{Covers: 200}
		for name, ref := range map[string]search.ClaimRef{"an older holder": {ID: claim.ID, Fence: 2}, "no such claim": {ID: uuid.Must(uuid.NewV7()), Fence: 3}} {
			b.purchase.Claim = &ref
			if _, err := p.buy(b); !errors.Is(err, search.ErrFenced) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		b.purchase.Claim = claim
		lines := p.verify().Lines
		a := p.mustBuy(b)
		if charge := a.bill.Charges[0]; charge.Amount != 110 || charge.Search != 100 || len(charge.Entries) != 1 || charge.Receipt != "" {
			t.Errorf("charged %+v", charge)
		}
		if *a.bill.Balance != 50 || p.balance("shop") != 0 || p.verify().Lines != lines {
			t.Errorf("balances: %v after %d lines", p.verify().Balances(), p.verify().Lines)
		}
		// Nothing is charged or bought until the payment is settled: only the claim has the
		// charge.
		p.must(p.storage.View(t.Context(), func(tx meter.ReadTx) error {
			kept, err := tx.Charge(t.Context(), a.bill.Charges[0].ID)
			if err != nil || kept != nil {
				t.Errorf("stored %+v, %v", kept, err)
			}
			shown, err := tx.CountShown(t.Context(), "shop", "buyer")
			if err != nil || shown != 0 {
				t.Errorf("%d entries are bought, %v", shown, err)
			}
			owing, err := tx.Claim(t.Context(), claim.ID)
			if err != nil || !strings.Contains(string(owing.Outcome), a.bill.Charges[0].ID.String()) {
				t.Errorf("the claim owes %s, %v", owing.Outcome, err)
			}
			return err
		}))
	})
}

func TestEachChargeHasAReceiptThatKeysOfTheServiceVerify(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		offer := p.sell("shop", priced(0, 0), meter.OfferCaps{})
		b := p.of(offer, "buyer", entries("shop", 2)...)
		old := p.mustBuy(b)
		b.at = noon.Add(89 * 24 * time.Hour)
		p.mustBuy(b)
		if keys := p.keys(); len(keys) != 1 {
			t.Errorf("%d keys within their age", len(keys))
		}
		b.at = noon.Add(91 * 24 * time.Hour)
		latest := p.mustBuy(b)
		keys := p.keys()
		if len(keys) != 2 || keys[0]["d"] != nil || keys[1]["d"] != nil || keys[0]["kid"] == keys[1]["kid"] {
			t.Errorf("keys: %v", keys)
		}
		set, err := p.meter.PublicKeys(t.Context())
		p.must(err)
		for _, a := range []answer{old, latest} {
			receipt, err := meter.VerifyReceipt(a.bill.Charges[0].Receipt, set, a.json(t))
			if err != nil || receipt.Charge != a.bill.Charges[0].ID || receipt.Store != "shop" || receipt.Buyer != "buyer" || receipt.Hits != 2 {
				t.Errorf("got %+v, %v", receipt, err)
			}
		}
	})
}

// keys returns the public keys of receipts.
func (p *process) keys() []map[string]any {
	p.t.Helper()
	raw, err := p.meter.PublicKeys(context.Background())
	p.must(err)
	var set struct{ Keys []map[string]any }
	p.must(json.Unmarshal(raw, &set))
	return set.Keys
}

// json returns the hits as REST answers them.
func (a answer) json(t *testing.T) json.RawMessage {
	t.Helper()
	hits := []map[string]any{}
	for _, h := range a.hits {
		hits = append(hits, map[string]any{"store_id": h.Store, "key": h.Key, "label": h.Label, "value": h.Value, "score": h.Score, "relevance": h.Relevance})
	}
	raw, err := json.Marshal(hits)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestAMeteredGrantShowsNothingBelowItsOffersLabel(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		seller := caller("shop")
		seller.Taint = acl.Confidential
		price := int64(1)
		made, err := p.market.MakeOffer(t.Context(), seller, "shop", meter.OfferRequest{Title: new("T"), Terms: meter.TermsRequest{PriceSearch: &price, PriceEntry: &price}}, nil)
		p.must(err)
		p.topUp("buyer", 100)
		if _, err := p.buy(named("buyer", new(int64(100)), []acl.Access{p.metered(made.Offer)})); !errors.Is(err, acl.ErrDenied) {
			t.Errorf("named: %v", err)
		}
		b := buying{agent: "buyer", stores: []acl.Access{p.metered(made.Offer)}}
		if a := p.mustBuy(b); len(a.bill.Skipped) != 0 {
			t.Errorf("not named: %+v", a.bill)
		}
	})
}
