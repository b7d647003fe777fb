package meter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/storage"
	"mneme/storage/postgres"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlite/sqlitetest"
)

// noon is a time in the middle of every window.
var noon = time.Date(2026, 3, 1, 12, 30, 30, 0, time.UTC)

// onBothStorages runs a test on each storage. Each call of open opens the same database again;
// on PostgreSQL, with connections of its own.
func onBothStorages(t *testing.T, test func(t *testing.T, open func() storage.Storage)) {
	t.Helper()
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		one := sqlitetest.Open(t)
		test(t, func() storage.Storage { return one })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		dsn := postgrestest.Database(t)
		test(t, func() storage.Storage {
			rows, err := postgres.Open(t.Context(), dsn, postgres.Options{MaxConns: 8})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := rows.Close(); err != nil {
					t.Error(err)
				}
			})
			return rows
		})
	})
}

// process has the meter and market of one process, over a database.
type process struct {
	t       testing.TB
	rows    storage.Storage
	storage meter.Storage
	meter   *meter.Meter
	market  *meter.Market
	seen    *observer
}

func openProcess(t testing.TB, rows storage.Storage) *process {
	t.Helper()
	service, err := memory.New(t.Context(), rows, memory.Options{Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, rows: rows, storage: rows.ForMeter(), seen: &observer{refused: make(map[search.SkipReason]int)}}
	p.meter = meter.NewMeter(p.storage, meter.MeterOptions{Observer: p.seen, Now: func() time.Time { return noon }})
	p.market = meter.NewMarket(p.storage, service, search.New(rows, service, search.Options{}), meter.Options{})
	return p
}

// observer counts the events of a meter. Tests read it while no search runs.
type observer struct {
	charged, half int
	refused       map[search.SkipReason]int
}

func (o *observer) Charged(n int)                    { o.charged += n }
func (o *observer) Refused(reason search.SkipReason) { o.refused[reason]++ }
func (o *observer) PassedHalf()                      { o.half++ }

func caller(agent string) memory.Caller { return as(agent, acl.Public) }

func (p *process) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) topUp(agent string, amount int64) {
	p.t.Helper()
	_, err := p.market.TopUp(context.Background(), platform, agent, amount, uuid.NewString())
	p.must(err)
}

func (p *process) balance(agent string) int64 {
	p.t.Helper()
	account, err := p.market.Account(context.Background(), caller(agent))
	p.must(err)
	return account.Balance
}

// sell makes an offer of a store by its own agent.
func (p *process) sell(store string, terms meter.TermsRequest, caps meter.OfferCaps) meter.Offer {
	p.t.Helper()
	if terms.PriceSearch == nil {
		terms.PriceSearch = new(int64)
	}
	if terms.PriceEntry == nil {
		terms.PriceEntry = new(int64)
	}
	offer, err := p.market.MakeOffer(context.Background(), caller(store), store, meter.OfferRequest{Title: new("Title"), Terms: terms, Caps: &caps}, nil)
	p.must(err)
	return offer.Offer
}

// metered returns the access of an agent that has accepted an offer.
func (p *process) metered(offer meter.Offer) acl.Access {
	p.t.Helper()
	terms, err := json.Marshal(offer.Terms)
	p.must(err)
	return acl.Access{Store: offer.Store, Level: acl.Search, Ceiling: acl.Public, Via: acl.ViaGrant, Offer: offer.ID.String(), Terms: string(terms)}
}

func unmetered(store string, caps acl.Caps) acl.Access {
	return acl.Access{Store: store, Level: acl.Search, Ceiling: acl.Public, Via: acl.ViaGrant, Caps: caps}
}

// buying describes a search, with what package search would pass to a Meter.
type buying struct {
	agent    string
	taint    acl.Label // 0: PUBLIC
	purchase search.Purchase
	stores   []acl.Access
	found    []memory.Entry // candidates, best first
	limit    int            // of hits; 0: 10
	hide     int            // number of last entries of found that do not fit into the answer
	at       time.Time      // noon
}

// answer is what a search shows.
type answer struct {
	keys []string
	bill search.Bill
	hits []*search.Hit
}

// of returns a search of an offer that the agent has accepted. found are the entries that it
// finds.
func (p *process) of(offer meter.Offer, agent string, found ...memory.Entry) buying {
	return buying{agent: agent, stores: []acl.Access{p.metered(offer)}, found: found, purchase: search.Purchase{Offer: offer.ID, Named: []string{offer.Store}}}
}

// named returns a search that names stores and may spend up to most. found are the entries that
// it finds.
func named(agent string, most *int64, stores []acl.Access, found ...memory.Entry) buying {
	b := buying{agent: agent, stores: stores, found: found, purchase: search.Purchase{MaxCharge: most}}
	for _, access := range stores {
		b.purchase.Named = append(b.purchase.Named, access.Store)
	}
	return b
}

// buy runs a search as package search does: it is admitted in a snapshot, and charged in a
// writing transaction.
func (p *process) buy(b buying) (a answer, err error) {
	ctx := context.Background()
	if b.at.IsZero() {
		b.at = noon
	}
	if b.limit == 0 {
		b.limit = 10
	}
	b.purchase.Limit = b.limit
	c := as(b.agent, max(b.taint, acl.Public))
	if b.purchase.Offer != uuid.Nil && b.purchase.Payment == nil {
		p.accept(c, b.purchase.Offer)
	}
	var admission search.Admission
	err = p.storage.View(ctx, func(tx meter.ReadTx) (err error) {
		admission, err = p.meter.Admit(ctx, tx, c, b.purchase, b.stores, b.at)
		return err
	})
	b.purchase.Grant = admission.Grant
	if err != nil {
		p.meter.Observe(c, search.Bill{}, err)
		return answer{}, err
	}
	left := make(map[string]bool)
	for _, store := range admission.LeftOut {
		left[store] = true
	}
	var stores []acl.Access
	for _, access := range b.stores {
		if !left[access.Store] {
			stores = append(stores, access)
		}
	}
	var found []memory.Entry
	for _, e := range b.found {
		if !left[e.Store] {
			found = append(found, e)
		}
	}
	err = p.storage.Update(ctx, func(tx meter.Tx) error {
		a = answer{}
		o := offering(stores, b.limit, found...)
		o.Skipped = admission.Skipped
		for i := range b.hide {
			o.MaxTokens = 1000
			o.Candidates[len(found)-1-i].Tokens = -1
		}
		sale, err := p.meter.Sell(ctx, tx, c, b.purchase, o, b.at)
		for _, i := range sale.Shown {
			a.hits = append(a.hits, o.Candidates[i].Hit)
		}
		a.bill = sale.Bill
		return err
	})
	p.meter.Observe(c, a.bill, err)
	if err != nil {
		return answer{}, err
	}
	for _, h := range a.hits {
		a.keys = append(a.keys, h.Key)
	}
	return a, nil
}

// offering returns what package search offers to a Meter: the found entries as candidates, in
// stores at level search.
func offering(stores []acl.Access, limit int, found ...memory.Entry) search.Offering {
	o := search.Offering{Stores: stores, Limit: limit}
	for i := range found {
		e := &found[i]
		hit := &search.Hit{Entry: memory.Entry{Path: e.Path, Label: e.Label, Value: e.Value}, Score: 0.5, Relevance: 0.5, Level: acl.Search}
		o.Candidates = append(o.Candidates, search.Candidate{Entry: e, ForSale: true, Hit: hit})
	}
	return o
}

// accept accepts an offer unless the caller has a grant under it.
func (p *process) accept(c memory.Caller, offer uuid.UUID) {
	p.t.Helper()
	if _, err := p.market.Accept(context.Background(), c, offer, memory.Preconditions{}, nil); err != nil && !errors.Is(err, memory.ErrConflict) {
		p.t.Fatal(err)
	}
}

// admitted returns the purchase of a search of an offer as it is after Admit.
func (p *process) admitted(b buying) search.Purchase {
	p.t.Helper()
	p.must(p.storage.View(context.Background(), func(tx meter.ReadTx) error {
		admission, err := p.meter.Admit(context.Background(), tx, caller(b.agent), b.purchase, nil, noon)
		b.purchase.Grant = admission.Grant
		return err
	}))
	return b.purchase
}

// mustBuy is buy for a search that must succeed.
func (p *process) mustBuy(b buying) answer {
	p.t.Helper()
	a, err := p.buy(b)
	p.must(err)
	return a
}

// entries returns n entries of a store with different values.
func entries(store string, n int) []memory.Entry {
	made := make([]memory.Entry, n)
	for i := range made {
		made[i] = entry(store, fmt.Sprintf("k%d", i), fmt.Sprintf("%q", store+" "+uuid.NewString()))
	}
	return made
}

func entry(store, key, value string) memory.Entry {
	return memory.Entry{ID: uuid.Must(uuid.NewV7()), Path: memory.Path{Store: store, Key: key}, Label: acl.Public, Value: json.RawMessage(value)}
}

// verify checks the ledger.
func (p *process) verify() *meter.LedgerCheck {
	p.t.Helper()
	var check *meter.LedgerCheck
	p.must(p.storage.View(context.Background(), func(tx meter.ReadTx) (err error) {
		check, err = meter.VerifyLedger(context.Background(), tx)
		return err
	}))
	return check
}
