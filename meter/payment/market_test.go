package payment_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/meter/payment/paymenttest"
	"mneme/search"
	"mneme/storage"
	"mneme/storage/postgres"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlite/sqlitetest"
)

const (
	seller      = "seller"
	buyer       = "buyer"
	searchPrice = 1_000
	entryPrice  = 500
	fullPrice   = searchPrice + 10*entryPrice // of a search with ten hits
)

// desk is a service that sells searches of one store, with a fake facilitator.
type desk struct {
	t        testing.TB
	rows     storage.Storage
	fake     *paymenttest.Facilitator
	service  *memory.Service
	searcher *search.Searcher
	market   *meter.Market
	offer    uuid.UUID
	passes   passes                // receives the passes of the next market; nil: nobody does
	client   *http.Client          // of the next market, for the facilitator; nil: the default one
	till     *till                 // settles payments of every method; nil: fake does
	platform *paymenttest.Platform // settles credits in place of till; nil: till does
	methods  *payment.Methods

	mu  sync.Mutex
	now time.Time
}

func (d *desk) clock() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *desk) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

// onEachStorage runs a test on each storage.
func onEachStorage(t *testing.T, test func(t *testing.T, d *desk)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, newDesk(t, sqlitetest.Open(t))) })
	t.Run("postgres", func(t *testing.T) {
		rows, err := postgres.Open(t.Context(), postgrestest.Database(t), postgres.Options{MaxConns: 8})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rows.Close() })
		test(t, newDesk(t, rows))
	})
}

func newDesk(t testing.TB, rows storage.Storage) *desk {
	t.Helper()
	d := &desk{t: t, rows: rows, now: time.Now().UTC(), fake: paymenttest.New()}
	t.Cleanup(d.fake.Close)
	d.open()
	for i := range 3 {
		_, err := d.service.Put(context.Background(), agent(seller), memory.PutRequest{
			Path: memory.Path{Store: seller, Key: fmt.Sprintf("k%d", i)}, Value: json.RawMessage(fmt.Sprintf(`"the lighthouse number %d"`, i)),
		})
		d.must(err)
	}
	made, err := d.market.MakeOffer(context.Background(), agent(seller), seller, meter.OfferRequest{
		Title: new("Lighthouses"), Terms: meter.TermsRequest{PriceSearch: new(int64(searchPrice)), PriceEntry: new(int64(entryPrice)), NoveltyPercent: new(int64)},
	}, nil)
	d.must(err)
	d.offer = made.ID
	return d
}

// open opens the service over the database again, like another process.
func (d *desk) open() {
	d.t.Helper()
	options := payment.Options{Client: d.client, X402: &payment.X402{
		Facilitator: d.fake.URL, Schemes: []string{payment.SchemeUpto, payment.SchemeExact}, Network: "eip155:84532",
		Asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", Decimals: 6, PerCredit: "1",
		PayTo: "0x2222222222222222222222222222222222222222", Name: "USDC", Version: "2", MaxTimeout: time.Minute,
	}}
	if d.till != nil {
		d.till.take(&options)
		options.Now = d.clock
	}
	if d.platform != nil {
		options.Credits.Platform = d.platform.URL
	}
	methods, err := payment.New(options)
	d.must(err)
	d.must(methods.Refresh(context.Background()))
	d.methods = methods
	rules := meter.NewMeter(d.rows.ForMeter(), meter.MeterOptions{Now: d.clock})
	d.service, err = memory.New(context.Background(), d.rows, memory.Options{Now: d.clock})
	d.must(err)
	d.searcher = search.New(d.rows, d.service, search.Options{Meter: rules})
	marketed := meter.Options{Meter: rules, Gateway: methods}
	if d.passes != nil {
		marketed.Observer = d.passes
	}
	d.market = meter.NewMarket(d.rows.ForMeter(), d.service, d.searcher, marketed)
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func agent(name string) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: name, Taint: acl.Public}}
}

// request returns a search of the offer with an Idempotency-Key and a payment by a scheme, with
// the n-th nonce. With scheme "" there is no payment.
func (d *desk) request(key, scheme string, n int) meter.SearchRequest {
	d.t.Helper()
	r := meter.SearchRequest{
		Request: search.Request{Query: "lighthouse", Limit: 10}, Offer: d.offer, Call: d.call(key, "body"),
	}
	if scheme != "" {
		r.Payment = d.pay(scheme, fullPrice, n)
	}
	return r
}

// call returns what identifies a search of the offer: its Idempotency-Key and a digest of its
// body.
func (d *desk) call(key, digest string) func() (memory.Idempotency, error) {
	return func() (memory.Idempotency, error) {
		return memory.Idempotency{Operation: "POST search", Path: d.offer.String(), Key: key, Digest: digest}, nil
	}
}

// key returns the key under which the claim of a search with the Idempotency-Key "key" is
// stored.
func (d *desk) key() memory.IdempotencyKey {
	return memory.IdempotencyKey{Agent: buyer, Taint: acl.Public, Operation: "POST search", Path: d.offer.String(), Key: "key"}
}

// pay returns the n-th payment of a price by a scheme.
func (d *desk) pay(scheme string, price, n int) *meter.Payment {
	d.t.Helper()
	extra := map[string]any{"name": "USDC", "version": "2"}
	if scheme == payment.SchemeUpto {
		extra["assetTransferMethod"], extra["facilitatorAddress"] = "permit2", paymenttest.FacilitatorAddress
	}
	value, err := paymenttest.Sign(map[string]any{
		"scheme": scheme, "network": "eip155:84532", "amount": fmt.Sprint(price), "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
		"payTo": "0x2222222222222222222222222222222222222222", "maxTimeoutSeconds": 60, "extra": extra,
	}, n)
	d.must(err)
	p, err := payment.Read(http.Header{"Payment-Signature": {value}}, meter.Resource{URL: "https://memory.example/search", Method: "POST"})
	d.must(err)
	return p
}

// readResult is the result of a search, with the values of its hits, which were read.
type readResult struct {
	meter.SearchResult
	read *search.Values
}

func (d *desk) search(who string, r meter.SearchRequest) (readResult, []string, error) {
	d.t.Helper()
	result, err := d.market.Search(context.Background(), agent(who), r)
	found := readResult{result, result.Values()}
	if err != nil {
		return found, nil, err
	}
	var keys []string
	err = found.read.Each(context.Background(), func(h *search.Hit) error {
		shown := h.Key + string(h.Value)
		for _, p := range h.Passages {
			shown += fmt.Sprint(" … ", p.Text, p.Highlights)
		}
		keys = append(keys, shown)
		return nil
	})
	d.must(err)
	return found, keys, nil
}

func (d *desk) mustSearch(r meter.SearchRequest) (readResult, []string) {
	d.t.Helper()
	found, keys, err := d.search(buyer, r)
	d.must(err)
	return found, keys
}

func (d *desk) balance(account string) (balance int64) {
	d.t.Helper()
	d.must(d.rows.ForMeter().View(context.Background(), func(tx meter.ReadTx) (err error) {
		balance, err = tx.Balance(context.Background(), account)
		return err
	}))
	return balance
}

func (d *desk) charges() (charges []meter.Charge) {
	d.t.Helper()
	d.must(d.rows.ForMeter().View(context.Background(), func(tx meter.ReadTx) (err error) {
		charges, err = tx.BuyerCharges(context.Background(), buyer, acl.Restricted, uuid.Nil, 100)
		return err
	}))
	return charges
}

// check checks the ledger, and the balances of the buyer, of the seller and of
// meter.AccountSettling.
func (d *desk) check(buyerHas, sellerHas, settling int64) {
	d.t.Helper()
	for account, want := range map[string]int64{buyer: buyerHas, seller: sellerHas, meter.AccountSettling: settling} {
		if got := d.balance(account); got != want {
			d.t.Errorf("%s has %d, not %d", account, got, want)
		}
	}
	d.must(d.rows.ForMeter().View(context.Background(), func(tx meter.ReadTx) error {
		_, err := meter.VerifyLedger(context.Background(), tx)
		return err
	}))
}

const cost = searchPrice + 3*entryPrice

func TestAPaymentSettlesWhatItsSchemeSays(t *testing.T) {
	for scheme, c := range map[string]struct{ settled, surplus int64 }{
		payment.SchemeUpto:  {cost, 0},
		payment.SchemeExact: {fullPrice, fullPrice - cost},
	} {
		t.Run(scheme, func(t *testing.T) {
			onEachStorage(t, func(t *testing.T, d *desk) {
				found, keys := d.mustSearch(d.request("", scheme, 1))
				if len(keys) != 3 || len(found.Bill.Charges) != 1 || found.Bill.Charges[0].Amount != cost {
					t.Errorf("found %v for %+v", keys, found.Bill)
				}
				if found.Settled == nil || found.Settled.State != meter.SettleDone {
					t.Errorf("settled: %+v", found.Settled)
				}
				for _, amount := range d.fake.Settled() {
					if amount.Int64() != c.settled {
						t.Errorf("settled %s, not %d", amount, c.settled)
					}
				}
				if *found.Bill.Balance != c.surplus {
					t.Errorf("the answer tells a balance of %d, not %d", *found.Bill.Balance, c.surplus)
				}
				d.check(c.surplus, cost, 0)
			})
		})
	}
}

func TestARepetitionAnswersTheSameWithOneCharge(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		for _, r := range []meter.SearchRequest{d.request("", payment.SchemeExact, 1), d.request("key", payment.SchemeUpto, 2)} {
			first, keys := d.mustSearch(r)
			again, same := d.mustSearch(r)
			if strings.Join(keys, " ") != strings.Join(same, " ") || len(keys) != 3 {
				t.Errorf("found %v, then %v", keys, same)
			}
			if len(again.Bill.Charges) != 1 || again.Bill.Charges[0].Receipt != first.Bill.Charges[0].Receipt || again.Bill.Charges[0].Amount != first.Bill.Charges[0].Amount {
				t.Errorf("charged %+v, then %+v", first.Bill.Charges, again.Bill.Charges)
			}
			if again.Settled == nil || string(again.Settled.Response) != string(first.Settled.Response) {
				t.Errorf("settled %+v, then %+v", first.Settled, again.Settled)
			}
		}
		// The outcome is stored already, so the new payment in the repetition is not used.
		d.mustSearch(d.request("key", payment.SchemeUpto, 3))
		if n := len(d.fake.Settled()); n != 2 {
			t.Errorf("%d settlements of 2 searches", n)
		}
		if n := len(d.charges()); n != 2 {
			t.Errorf("%d charges of 2 searches", n)
		}
		// A repetition does not show entries that were deleted since.
		d.must(d.service.Delete(context.Background(), agent(seller), memory.Path{Store: seller, Key: "k1"}, memory.Preconditions{}))
		if _, keys := d.mustSearch(d.request("key", "", 0)); len(keys) != 2 {
			t.Errorf("a repetition shows %v", keys)
		}
	})
}

// Entries that the account paid for are shown again only while the caller holds the grant. A
// spent cap prevents neither the repetition nor its bill.
func TestARepetitionShowsNothingAfterTheGrantEnded(t *testing.T) {
	for name, searches := range map[string]int64{"caps have room": 60, "a cap is spent": 1} {
		t.Run(name, func(t *testing.T) {
			onEachStorage(t, func(t *testing.T, d *desk) {
				terms := meter.TermsRequest{PriceSearch: new(int64(searchPrice)), PriceEntry: new(int64(entryPrice)), SearchesPerMinute: &searches}
				made, err := d.market.MakeOffer(context.Background(), agent(seller), seller, meter.OfferRequest{Title: new("Lighthouses"), Terms: terms}, nil)
				d.must(err)
				d.offer = made.ID
				platform := agent("platform")
				platform.Platform = true
				_, err = d.market.TopUp(context.Background(), platform, buyer, 10_000, "first")
				d.must(err)
				_, err = d.market.Accept(context.Background(), agent(buyer), d.offer, memory.Preconditions{}, nil)
				d.must(err)
				first, keys := d.mustSearch(d.request("key", "", 0))
				if len(keys) != 3 {
					t.Fatalf("found %v", keys)
				}
				d.must(d.service.Unshare(context.Background(), agent(seller), seller, buyer))
				again, keys := d.mustSearch(d.request("key", "", 0))
				if len(keys) != 0 {
					t.Errorf("a repetition shows %v", keys)
				}
				if len(again.Bill.Charges) != 1 || again.Bill.Charges[0].Receipt != first.Bill.Charges[0].Receipt || again.Bill.Charges[0].Amount != cost {
					t.Errorf("charged %+v, then %+v", first.Bill.Charges, again.Bill.Charges)
				}
				d.check(10_000-cost, cost, 0)
			})
		})
	}
}

// A repetition shows the same passages of a long value as the first answer, whether its payment
// is settled or not.
func TestARepetitionShowsTheSamePassages(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		filler := strings.Repeat("The committee discussed the budget at length. ", 30)
		for i := range 3 {
			_, err := d.service.Put(context.Background(), agent(seller), memory.PutRequest{
				Path: memory.Path{Store: seller, Key: fmt.Sprintf("k%d", i)}, Value: json.RawMessage(fmt.Sprintf(`"%sThe lighthouse has number %d. %s"`, filler, i, filler)),
			})
			d.must(err)
		}
		n := 0
		for name, bound := range map[string]func(*search.Request){
			"passages":   func(r *search.Request) { r.Passages = true },
			"max_tokens": func(r *search.Request) { r.MaxTokens = 50 },
		} {
			for _, failure := range []paymenttest.Failure{paymenttest.None, paymenttest.Pending} {
				n++
				r := d.request(fmt.Sprint("key ", n), payment.SchemeUpto, n)
				bound(&r.Request)
				d.fake.Fail(failure)
				first, shown := d.mustSearch(r)
				if len(shown) == 0 || !strings.Contains(shown[0], "The lighthouse has number") || strings.Contains(shown[0], filler) {
					t.Fatalf("%s: shows %q", name, shown)
				}
				d.pass(2 * time.Minute) // the hold lapses, and pending payments are tried again
				again, same := d.mustSearch(r)
				if !slices.Equal(shown, same) || again.read.Tokens() != first.read.Tokens() {
					t.Errorf("%s, payment %s: shows %q in %d tokens, then %q in %d", name, first.Settled.State, shown, first.read.Tokens(), same, again.read.Tokens())
				}
				if first.Settled.State != again.Settled.State || (again.Settled.State == meter.SettlePending) != (failure == paymenttest.Pending) {
					t.Errorf("%s: settled %+v, then %+v", name, first.Settled, again.Settled)
				}
			}
		}
		if n := len(d.charges()); n != 4 {
			t.Errorf("%d charges of 4 searches", n)
		}
	})
}

func TestAPaymentIsForOneAgentCallAndBody(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		r := d.request("", payment.SchemeExact, 1)
		d.mustSearch(r)
		other := r
		other.Call = d.call("", "another")
		var clash *memory.ConflictError
		if _, _, err := d.search(buyer, other); !errors.As(err, &clash) {
			t.Errorf("another body: %v", err)
		}
		if _, _, err := d.search("other", r); !errors.As(err, &clash) {
			t.Errorf("another agent: %v", err)
		}
		keyed := d.request("key", payment.SchemeUpto, 2)
		d.mustSearch(keyed)
		keyed.Call = d.call("key", "another")
		if _, _, err := d.search(buyer, keyed); !errors.Is(err, memory.ErrKeyReused) {
			t.Errorf("another body of a key: %v", err)
		}
	})
}

func TestAPaymentIdentifierIsForOnePayment(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		r := d.request("", payment.SchemeExact, 1)
		r.Payment.Identifier = "an-identifier-of-the-buyer"
		first, _ := d.mustSearch(r)
		if again, _ := d.mustSearch(r); again.Bill.Charges[0].Receipt != first.Bill.Charges[0].Receipt {
			t.Error("a repetition has another receipt")
		}
		other := d.request("", payment.SchemeExact, 2)
		other.Payment.Identifier = r.Payment.Identifier
		var clash *memory.ConflictError
		if _, _, err := d.search(buyer, other); !errors.As(err, &clash) {
			t.Errorf("another payment: %v", err)
		}
	})
}

func TestARefusedPaymentCostsNothingAndAnotherOneMayFollow(t *testing.T) {
	for _, failure := range []paymenttest.Failure{paymenttest.RefuseVerify, paymenttest.RefuseSettle, paymenttest.SpentElsewhere} {
		t.Run(string(failure), func(t *testing.T) {
			onEachStorage(t, func(t *testing.T, d *desk) {
				d.fake.Fail(failure)
				_, _, err := d.search(buyer, d.request("key", payment.SchemeExact, 1))
				var price *search.PaymentError
				var refusal *meter.PaymentRefusal
				if !errors.As(err, &price) || !errors.As(err, &refusal) || price.Price != fullPrice {
					t.Fatalf("refused: %v", err)
				}
				if (failure != paymenttest.RefuseVerify) != (refusal.Settled != nil) {
					t.Errorf("refusal: %+v", refusal)
				}
				if len(d.fake.Settled()) != 0 {
					t.Error("a refused payment was settled")
				}
				d.check(0, 0, 0)
				d.fake.Fail(paymenttest.None)
				found, _ := d.mustSearch(d.request("key", payment.SchemeExact, 2))
				if len(found.Bill.Charges) != 1 || found.Bill.Charges[0].Amount != cost {
					t.Errorf("after a refusal: %+v", found.Bill)
				}
				d.check(fullPrice-cost, cost, 0)
			})
		})
	}
}

func TestAPaymentThatDoesNotFitThePriceIsRefused(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		r := d.request("", "", 0)
		r.Payment = d.pay(payment.SchemeExact, fullPrice-1, 1)
		var refusal *meter.PaymentRefusal
		if _, _, err := d.search(buyer, r); !errors.As(err, &refusal) {
			t.Errorf("a low payment: %v", err)
		}
		if d.fake.Calls("/verify") != 0 {
			t.Error("it was sent to the facilitator")
		}
	})
}

// A payment of x402 version 1 does not name the price that it was signed for, and a facilitator
// accepts a payment of more than the price.
func TestAnExactPaymentForAnEarlierPriceIsRefused(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		pays := func(price int) meter.SearchRequest {
			text, err := json.Marshal(map[string]any{
				"x402Version": 1, "scheme": payment.SchemeExact, "network": "base-sepolia", "payload": map[string]any{"signature": "0x00", "authorization": map[string]any{
					"from": paymenttest.Payer, "to": "0x2222222222222222222222222222222222222222", "value": fmt.Sprint(price), "nonce": fmt.Sprintf("0x%064x", price),
				}},
			})
			d.must(err)
			r := d.request("", "", 0)
			r.Payment, err = payment.Read(http.Header{"X-Payment": {base64.StdEncoding.EncodeToString(text)}}, meter.Resource{URL: "https://memory.example/search", Method: "POST"})
			d.must(err)
			return r
		}
		before := pays(fullPrice)
		_, err := d.market.ChangeOffer(context.Background(), agent(seller), d.offer, meter.OfferRequest{Terms: meter.TermsRequest{PriceEntry: new(int64(100))}}, memory.Preconditions{})
		d.must(err)
		const price = searchPrice + 10*100
		var refusal *meter.RefusedError
		if _, _, err := d.search(buyer, before); !errors.As(err, &refusal) || refusal.Price.Price != price {
			t.Errorf("a payment of the earlier price: %v", err)
		}
		if len(d.fake.Settled()) != 0 || d.fake.Calls("/verify") != 0 {
			t.Errorf("it was sent to the facilitator, which settled %v", d.fake.Settled())
		}
		d.check(0, 0, 0)
		d.mustSearch(pays(price))
		d.check(price-searchPrice-3*100, searchPrice+3*100, 0)
	})
}

func TestAFacilitatorThatIsGoneMakesSearchesUnavailable(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.fake.Fail(paymenttest.Gone)
		r := d.request("", payment.SchemeExact, 1)
		if _, _, err := d.search(buyer, r); !errors.Is(err, memory.ErrUnavailable) {
			t.Errorf("gone: %v", err)
		}
		d.fake.Fail(paymenttest.None)
		d.mustSearch(r)
		d.check(fullPrice-cost, cost, 0)
	})
}

func TestWhatIsPendingIsDeliveredAndReconciled(t *testing.T) {
	for _, c := range []struct {
		failure, then paymenttest.Failure
		state         meter.ChargeState // afterwards
	}{
		{paymenttest.Pending, paymenttest.None, meter.ChargeDone},
		{paymenttest.LoseSettlement, paymenttest.None, meter.ChargeDone},
		{paymenttest.NonceUsed, paymenttest.NonceUsed, meter.ChargeDone},
		{paymenttest.Pending, paymenttest.BadSignature, meter.ChargeReversed},
		{paymenttest.Busy, paymenttest.RefuseSettle, meter.ChargeReversed},
		{paymenttest.Busy, paymenttest.SpentElsewhere, meter.ChargeReversed},
		{paymenttest.Busy, paymenttest.None, meter.ChargeDone},
		// These refusals prove nothing: our own settlement may have emptied the wallet, and a
		// payment that has expired by now may have been settled before.
		{paymenttest.Emptied, paymenttest.Emptied, meter.ChargePending},
		{paymenttest.Expired, paymenttest.Expired, meter.ChargePending},
		{paymenttest.Reverted, paymenttest.Reverted, meter.ChargePending},
		{paymenttest.Pending, paymenttest.RefuseSettle, meter.ChargePending},
	} {
		t.Run(string(c.failure+"_"+c.then), func(t *testing.T) {
			onEachStorage(t, func(t *testing.T, d *desk) {
				d.fake.Fail(c.failure)
				found, keys := d.mustSearch(d.request("", payment.SchemeUpto, 1))
				if len(keys) != 3 || found.Settled == nil || found.Settled.State != meter.SettlePending {
					t.Fatalf("found %v, settled %+v", keys, found.Settled)
				}
				d.check(0, 0, cost)
				if done, _, err := d.market.Reconcile(context.Background()); done != 0 || err != nil {
					t.Errorf("reconciled %d while it is held, %v", done, err)
				}
				d.pass(2 * time.Minute)
				d.fake.Fail(c.then)
				d.open() // another process
				if c.state == meter.ChargePending {
					if done, pending, err := d.market.Reconcile(context.Background()); done != 0 || pending != 1 || err != nil {
						t.Errorf("reconciled %d, %d pending, %v", done, pending, err)
					}
					d.check(0, 0, cost)
					d.pass(2 * time.Minute)
					d.fake.Fail(paymenttest.None) // now it reports what it settled
				}
				if done, pending, err := d.market.Reconcile(context.Background()); done != 1 || pending != 0 || err != nil {
					t.Errorf("reconciled %d, %d pending, %v", done, pending, err)
				}
				if c.state == meter.ChargeReversed {
					d.check(0, 0, 0)
					if charges := d.charges(); len(charges) != 1 || charges[0].State != meter.ChargeReversed {
						t.Errorf("charges: %+v", charges)
					}
					return
				}
				d.check(0, cost, 0)
				if len(d.fake.Settled()) != 1 {
					t.Errorf("%d settlements", len(d.fake.Settled()))
				}
				again, _ := d.mustSearch(d.request("", payment.SchemeUpto, 1))
				if again.Settled == nil || again.Settled.State != meter.SettleDone {
					t.Errorf("a repetition tells %+v", again.Settled)
				}
			})
		})
	}
}

// A process died after it had charged and before it tried to settle. Meanwhile the payer has
// used the payment for something else.
func TestAUsedPaymentIsSettledOnlyIfAnAttemptOfOursWasRecorded(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.fake.Fail(paymenttest.Pending)
		r := d.request("key", payment.SchemeExact, 1)
		d.mustSearch(r)
		d.must(d.rows.ForMeter().Update(context.Background(), func(tx meter.Tx) error {
			claim, err := tx.ClaimOfKey(context.Background(), d.key())
			if err != nil || claim == nil {
				return fmt.Errorf("the claim is %+v, %w", claim, err)
			}
			text := strings.Replace(string(claim.Settlement), `,"tried":true`, "", 1)
			if text == string(claim.Settlement) {
				t.Error("the attempt to settle was not recorded")
			}
			claim.Settlement = json.RawMessage(text)
			return tx.PutClaim(context.Background(), *claim)
		}))
		d.fake.Fail(paymenttest.SpentElsewhere)
		d.pass(2 * time.Minute)
		if done, pending, err := d.market.Reconcile(context.Background()); done != 1 || pending != 0 || err != nil {
			t.Errorf("reconciled %d, %d pending, %v", done, pending, err)
		}
		d.check(0, 0, 0)
		if charges := d.charges(); len(charges) != 1 || charges[0].State != meter.ChargeReversed {
			t.Errorf("charges: %+v", charges)
		}
	})
}

// If the facilitator could not be reached, no attempt of ours has settled anything. A payment
// that was used before is then not one that we settled.
func TestAnAttemptThatReachedNobodyIsNotOne(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.client = &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if d.fake.Calls("/verify") > 0 {
					return nil, errors.New("refused")
				}
				return (&net.Dialer{}).DialContext(ctx, network, address)
			},
		}}
		d.open()
		found, keys := d.mustSearch(d.request("key", payment.SchemeExact, 1))
		if len(keys) != 3 || found.Settled == nil || found.Settled.State != meter.SettlePending || d.fake.Calls("/settle") != 0 {
			t.Fatalf("found %v, settled %+v, %d calls", keys, found.Settled, d.fake.Calls("/settle"))
		}
		d.check(0, 0, cost)
		d.client = nil
		d.open()
		d.fake.Fail(paymenttest.SpentElsewhere)
		d.pass(2 * time.Minute)
		if done, pending, err := d.market.Reconcile(context.Background()); done != 1 || pending != 0 || err != nil {
			t.Errorf("reconciled %d, %d pending, %v", done, pending, err)
		}
		d.check(0, 0, 0)
	})
}

// passes receives, for each pass of Market.Run, the number of payments that it ended and the
// number that are overdue.
type passes chan [2]int

func (passes) SettleFailed() {}

func (p passes) Reconciled(done, overdue int) { p <- [2]int{done, overdue} }

// runOnce runs a market over the database, like another process, until the end of its first
// pass.
func (d *desk) runOnce() [2]int {
	d.t.Helper()
	d.open()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.market.Run(ctx, func(err error) { d.t.Error(err) })
	}()
	seen := <-d.passes
	cancel()
	<-ended
	return seen
}

// A pending payment stays overdue while a pass has just tried it and holds its claim, although
// that pass cannot try it again.
func TestAPaymentIsOverdueUntilItEnds(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.passes = make(passes)
		d.fake.Fail(paymenttest.Pending)
		d.mustSearch(d.request("", payment.SchemeUpto, 1))
		if seen := d.runOnce(); seen != [2]int{0, 0} {
			t.Errorf("just charged: %v", seen)
		}
		d.pass(2 * time.Minute)
		for range 2 {
			if seen := d.runOnce(); seen != [2]int{0, 1} {
				t.Errorf("pending: %v", seen)
			}
		}
		d.pass(2 * time.Minute)
		d.fake.Fail(paymenttest.None)
		if seen := d.runOnce(); seen != [2]int{1, 0} {
			t.Errorf("settled: %v", seen)
		}
	})
}

func TestClaimsThatExpireAreRemoved(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.passes = make(passes)
		r := d.request("key", payment.SchemeUpto, 1)
		d.mustSearch(r)
		kept := func() bool {
			var claim *meter.Claim
			d.must(d.rows.ForMeter().View(context.Background(), func(tx meter.ReadTx) (err error) {
				claim, err = tx.ClaimOfKey(context.Background(), d.key())
				return err
			}))
			return claim != nil
		}
		if d.runOnce(); !kept() {
			t.Error("a claim was removed before it expired")
		}
		d.pass(367 * 24 * time.Hour) // a payment is remembered for at most 366 days
		if d.runOnce(); kept() {
			t.Error("a claim that has expired is kept")
		}
	})
}

// If concurrent repetitions could take over the claim from each other at once, none would ever
// end.
func TestRepetitionsAtOneTimeChargeOnce(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		r := d.request("key", payment.SchemeExact, 1)
		var group sync.WaitGroup
		receipts := make([]string, 32)
		for i := range receipts {
			group.Go(func() {
				found, err := d.market.Search(context.Background(), agent(buyer), r)
				if err != nil {
					t.Error(err)
				} else if len(found.Bill.Charges) == 1 {
					receipts[i] = found.Bill.Charges[0].Receipt
				}
			})
		}
		group.Wait()
		for _, receipt := range receipts {
			if receipt == "" || receipt != receipts[0] {
				t.Error("the repetitions have other receipts")
			}
		}
		if n := len(d.fake.Settled()); n != 1 || d.fake.Calls("/settle") != 1 {
			t.Errorf("%d settlements, in %d calls", n, d.fake.Calls("/settle"))
		}
		d.check(fullPrice-cost, cost, 0)
	})
}

// held is a transport in which the first call of /verify waits until goOn is closed.
type held struct {
	called atomic.Bool
	begun  chan struct{}
	goOn   chan struct{}
}

func (h *held) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/verify") && !h.called.Swap(true) {
		close(h.begun)
		<-h.goOn
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestARepetitionTakesOverFromARequestThatHangs(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		hung := &held{begun: make(chan struct{}), goOn: make(chan struct{})}
		d.client = &http.Client{Transport: hung}
		d.open()
		r := d.request("key", payment.SchemeExact, 1)
		var first meter.SearchResult
		var group sync.WaitGroup
		group.Go(func() {
			var err error
			if first, err = d.market.Search(context.Background(), agent(buyer), r); err != nil {
				t.Error(err)
			}
		})
		<-hung.begun
		second, _ := d.mustSearch(r)
		close(hung.goOn)
		group.Wait()
		if len(first.Bill.Charges) != 1 || first.Bill.Charges[0].Receipt != second.Bill.Charges[0].Receipt {
			t.Errorf("charged %+v, then %+v", second.Bill.Charges, first.Bill.Charges)
		}
		if verified, settled := d.fake.Calls("/verify"), d.fake.Calls("/settle"); verified != 2 || settled != 1 {
			t.Errorf("%d calls of verify, %d of settle", verified, settled)
		}
		d.check(fullPrice-cost, cost, 0)
	})
}

func TestAKeyWithoutAPaymentChargesTheAccountOnce(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		platform := agent("platform")
		platform.Platform = true
		_, err := d.market.TopUp(context.Background(), platform, buyer, 10_000, "first")
		d.must(err)
		var unpaid *search.PaymentError
		if _, _, err := d.search(buyer, d.request("key", "", 0)); !errors.As(err, &unpaid) { // not accepted yet
			t.Fatalf("without a grant: %v", err)
		}
		_, err = d.market.Accept(context.Background(), agent(buyer), d.offer, memory.Preconditions{}, nil)
		d.must(err)
		first, _ := d.mustSearch(d.request("key", "", 0))
		again, keys := d.mustSearch(d.request("key", "", 0))
		if len(keys) != 3 || again.Bill.Charges[0].Receipt != first.Bill.Charges[0].Receipt {
			t.Errorf("a repetition shows %v for %+v", keys, again.Bill)
		}
		d.check(10_000-cost, cost, 0)
	})
}

func TestAnOpenClaimIsTakenOver(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		// A process died after it had created the claim.
		r := d.request("key", payment.SchemeExact, 1)
		claim := meter.Claim{
			ID: uuid.Must(uuid.NewV7()), State: meter.ClaimOpen, Fence: 1, Digest: "body",
			Key:       d.key(),
			HeldUntil: d.clock().Add(time.Minute).Truncate(time.Microsecond), ExpiresAt: d.clock().Add(time.Hour).Truncate(time.Microsecond),
		}
		d.must(d.rows.ForMeter().Update(context.Background(), func(tx meter.Tx) error { return tx.PutClaim(context.Background(), claim) }))
		d.mustSearch(r)
		d.check(fullPrice-cost, cost, 0)
		var kept *meter.Claim
		d.must(d.rows.ForMeter().View(context.Background(), func(tx meter.ReadTx) (err error) {
			kept, err = tx.Claim(context.Background(), claim.ID)
			return err
		}))
		if kept == nil || kept.Fence != 2 || kept.State != meter.ClaimDone {
			t.Errorf("the claim is %+v", kept)
		}
		if kept != nil && strings.Contains(string(kept.Settlement), "signature") {
			t.Error("a settled claim keeps what settles its payment")
		}
	})
}
