package meter_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/storage"
)

// refusal reports whether an error only means that this search was refused; any other error is
// a failure.
func refusal(err error) bool {
	var spent *search.CapError
	var unpaid *search.PaymentError
	return errors.As(err, &spent) || errors.As(err, &unpaid) || errors.Is(err, memory.ErrConflict) || errors.Is(err, memory.ErrPrecondition)
}

func TestSumsAndCapsHoldUnderParallelSearches(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		ctx := context.Background()
		var processes []*process
		for range 3 {
			processes = append(processes, openProcess(t, open()))
		}
		p := processes[0]
		const (
			searchesADay, entriesOfBuyer, entriesOfAll = 40, 25, 60
			searches, workers                          = 200, 8
		)
		terms := priced(7, 3)
		terms.SearchesPerMinute, terms.SearchesPerDay, terms.EntriesTotal = new(int64(1000)), new(int64(searchesADay)), new(int64(entriesOfBuyer))
		offer := p.sell("shop", terms, meter.OfferCaps{EntriesTotal: new(int64(entriesOfAll))})
		goods := entries("shop", 30)
		buyers := []string{"b0", "b1", "b2", "b3"}
		var mu sync.Mutex
		given := make(map[string]int64) // top-ups
		var charges []search.Charge
		var done []uuid.UUID
		refunded := make(map[uuid.UUID]bool)
		act := func(p *process, n int) error {
			buyer := buyers[n%len(buyers)]
			switch n % 10 {
			case 3:
				amount := rand.Int64N(60) + 1
				_, err := p.market.TopUp(ctx, platform, buyer, amount, fmt.Sprint(n))
				mu.Lock()
				given[buyer] += amount
				mu.Unlock()
				return err
			case 6:
				mu.Lock()
				var charge uuid.UUID
				if len(done) > 0 {
					charge = done[rand.IntN(len(done))]
				}
				mu.Unlock()
				_, err := p.market.Refund(ctx, caller("shop"), charge, nil)
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					if refunded[charge] {
						return errors.New("refunded twice")
					}
					refunded[charge] = true
				} else if errors.Is(err, memory.ErrNotFound) {
					err = nil
				}
				return err
			case 9:
				_, err := p.market.ChangeOffer(ctx, caller("shop"), offer.ID, meter.OfferRequest{Caps: &meter.OfferCaps{EntriesTotal: new(entriesOfAll - rand.Int64N(10))}}, memory.Preconditions{})
				return err
			}
			found := make([]memory.Entry, 2)
			for i := range found {
				found[i] = goods[(n/workers*2+i)%len(goods)]
			}
			a, err := p.buy(p.of(offer, buyer, found...))
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			charges = append(charges, a.bill.Charges...)
			done = append(done, a.bill.Charges[0].ID)
			return nil
		}
		for _, buyer := range buyers {
			p.topUp(buyer, 100)
			given[buyer] = 100
		}
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				// An observer may be used by one goroutine at a time, so each worker has a
				// Meter of its own.
				q := openProcess(t, processes[w%len(processes)].rows)
				for n := w; n < searches; n += workers {
					if err := act(q, n); err != nil && !refusal(err) {
						t.Errorf("%d: %v", n, err)
					}
				}
			})
		}
		wg.Wait()

		balances := p.verify().Balances()
		bought := make(map[string]map[uuid.UUID]bool)
		spent, count := make(map[string]int64), make(map[string]int64)
		var income, all int64
		for _, c := range charges {
			var kept *meter.Charge
			p.must(p.storage.View(ctx, func(tx meter.ReadTx) (err error) {
				kept, err = tx.Charge(ctx, c.ID)
				return err
			}))
			if kept.Amount != c.Amount || c.Amount != 7+3*int64(len(c.Entries)) {
				t.Errorf("a charge of %d for %d entries", c.Amount, len(c.Entries))
			}
			if (kept.State == meter.ChargeRefunded) != refunded[c.ID] {
				t.Errorf("a charge is %s", kept.State)
			}
			if bought[kept.Buyer] == nil {
				bought[kept.Buyer] = make(map[uuid.UUID]bool)
			}
			for _, id := range c.Entries {
				if bought[kept.Buyer][id] {
					t.Error("an entry was charged twice")
				}
				bought[kept.Buyer][id] = true
				all++
			}
			count[kept.Buyer]++
			if !refunded[c.ID] {
				spent[kept.Buyer] += c.Amount
				income += c.Amount
			}
		}
		if len(charges) < 20 {
			t.Errorf("only %d charges", len(charges))
		}
		for _, buyer := range buyers {
			if balances[buyer] != given[buyer]-spent[buyer] {
				t.Errorf("%s has %d of %d after spending %d", buyer, balances[buyer], given[buyer], spent[buyer])
			}
			if count[buyer] > searchesADay || len(bought[buyer]) > entriesOfBuyer {
				t.Errorf("%s: %d searches, %d entries", buyer, count[buyer], len(bought[buyer]))
			}
		}
		if balances["shop"] != income || all > entriesOfAll {
			t.Errorf("income %d, want %d, for %d entries", balances["shop"], income, all)
		}
	})
}

// Parallel searches see each other's purchases: of the same entry, and within the same cap
// and balance.
func TestParallelSearchesShareCapsAndBalances(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		const parallel, rounds = 6, 5
		processes := make([]*process, parallel)
		for i := range processes {
			if i < 3 {
				processes[i] = openProcess(t, open())
			} else {
				processes[i] = openProcess(t, processes[i%3].rows)
			}
		}
		p := processes[0]
		race := func(of func(n int) buying) (sold []answer) {
			t.Helper()
			var mu sync.Mutex
			var wg sync.WaitGroup
			begin := make(chan struct{})
			for n, q := range processes {
				wg.Go(func() {
					b := of(n)
					<-begin
					a, err := q.buy(b)
					var spent *search.CapError
					var unpaid *search.PaymentError
					if err != nil && !errors.As(err, &spent) && !errors.As(err, &unpaid) {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					sold = append(sold, a)
				})
			}
			close(begin)
			wg.Wait()
			return sold
		}
		count := func(sold []answer) (fresh int, amount int64) {
			for _, a := range sold {
				for _, c := range a.bill.Charges {
					fresh += len(c.Entries)
					amount += c.Amount
				}
			}
			return fresh, amount
		}
		for round := range rounds {
			store := fmt.Sprint("shop", round)
			goods := entries(store, parallel)
			offer := p.sell(store, priced(1, 10), meter.OfferCaps{})
			buyer := fmt.Sprint("buyer", round)
			p.topUp(buyer, 1000)
			if fresh, amount := count(race(func(int) buying { return p.of(offer, buyer, goods[0]) })); fresh != 1 || amount != parallel+10 {
				t.Errorf("one entry: %d were new, for %d", fresh, amount)
			}
			few := p.sell(store, priced(1, 10), meter.OfferCaps{EntriesTotal: new(int64(3))})
			for n := range parallel {
				p.topUp(fmt.Sprint(buyer, n), 1000)
			}
			if fresh, _ := count(race(func(n int) buying { return p.of(few, fmt.Sprint(buyer, n), goods[n]) })); fresh != 3 {
				t.Errorf("a cap of 3: %d were new", fresh)
			}
			shown := 0
			free := []acl.Access{unmetered(store, acl.Caps{EntriesPerDay: 3})}
			for _, a := range race(func(n int) buying { return named("reader", nil, free, goods[n]) }) {
				shown += len(a.hits)
			}
			if shown != 3 {
				t.Errorf("an unmetered cap of 3: %d were shown", shown)
			}
			poor := fmt.Sprint("poor", round)
			p.topUp(poor, 30)
			stores := make([]meter.Offer, parallel)
			for n := range stores {
				stores[n] = p.sell(fmt.Sprint(store, "-", n), priced(5, 10), meter.OfferCaps{})
			}
			fresh, amount := count(race(func(n int) buying { return p.of(stores[n], poor, entries(stores[n].Store, 1)...) }))
			if left := p.balance(poor); left != 30-amount || left > 4 || fresh > 2 {
				t.Errorf("a balance of 30: %d new entries for %d, %d left", fresh, amount, left)
			}
		}
		p.verify()
	})
}

// For all searches in any order, the charge is the price of the new entries, and within
// max_charge and the balance.
func TestChargesAreTheSumOfTheirPrices(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		check := func(r *rapid.T) {
			store, buyer := "s-"+uuid.NewString(), "b-"+uuid.NewString()
			terms := priced(rapid.Int64Range(0, 20).Draw(r, "price_search"), rapid.Int64Range(0, 20).Draw(r, "price_entry"))
			terms.NoveltyPercent = new(int64(0))
			terms.EntriesTotal = new(rapid.Int64Range(1, 12).Draw(r, "entries_total"))
			terms.FreeSearchesPerDay = new(rapid.Int64Range(0, 2).Draw(r, "free"))
			offer := p.sell(store, terms, meter.OfferCaps{})
			if given := rapid.Int64Range(0, 300).Draw(r, "balance"); given > 0 {
				p.topUp(buyer, given)
			}
			goods := entries(store, 8)
			for i := range goods {
				if rapid.IntRange(0, 3).Draw(r, "copy") == 0 {
					goods[i].Value = goods[0].Value
				}
			}
			values := make(map[string]bool) // shown
			for n := range rapid.IntRange(1, 5).Draw(r, "searches") {
				before := p.balance(buyer)
				most := rapid.Int64Range(0, 100).Draw(r, "max_charge")
				found := rapid.Permutation(goods).Draw(r, "found")
				a, err := p.buy(named(buyer, &most, []acl.Access{p.metered(offer)}, found[:rapid.IntRange(0, len(found)).Draw(r, "n")]...))
				if err != nil {
					r.Fatal(err)
				}
				price := *terms.PriceSearch
				if int64(n) < *terms.FreeSearchesPerDay {
					price = 0
				}
				// A refused search may not use up one of the free ones.
				if len(a.bill.Charges) == 0 {
					if p.balance(buyer) != before || len(a.hits) > 0 || len(a.bill.Skipped) != 1 {
						r.Fatalf("skipped, and charged or shown: %+v", a.bill)
					}
					return
				}
				for _, h := range a.hits {
					if !values[string(h.Value)] {
						values[string(h.Value)] = true
						price += *terms.PriceEntry
					}
				}
				if c := a.bill.Charges[0]; c.Amount != price || c.Amount > most || p.balance(buyer) != before-c.Amount || p.balance(buyer) < 0 {
					r.Fatalf("charged %d, want %d, at most %d; balance %d, then %d", c.Amount, price, most, before, p.balance(buyer))
				}
				if int64(len(values)) > *terms.EntriesTotal {
					r.Fatalf("%d values shown", len(values))
				}
			}
		}
		if testing.Short() {
			t.Skip("skipped with -short")
		}
		rapid.Check(t, check)
		p.verify()
	})
}
