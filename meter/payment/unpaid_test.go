package payment_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mneme/memory"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/meter/payment/paymenttest"
	"mneme/search"
)

// till is a fake of the services of all methods. It verifies every payment, and answers
// settlements with the replies that a test sets.
type till struct {
	*httptest.Server

	mu    sync.Mutex
	reply reply
	cards *cards // the card processor that answers instead; nil: none
}

// cards is a fake card processor. It answers a repeated Idempotency-Key with its first reply,
// until it forgets its keys.
type cards struct {
	first  map[string]reply // by key
	forgot bool
	intent string // the present state of the intent of every key; "": none
	posts  int
}

// answer returns the reply to a request. otherwise is the reply to a request with a new key.
func (c *cards) answer(r *http.Request, otherwise reply) reply {
	key := r.Header.Get("Idempotency-Key")
	switch {
	case r.Method == http.MethodPost:
		c.posts++
		if first, ok := c.first[key]; ok && !c.forgot {
			return first
		}
		c.first[key] = otherwise
		return otherwise
	case r.URL.Path == "/v1/payment_intents/pi_1" && c.intent != "":
		return reply{200, c.intent}
	case r.URL.Path == "/v1/payment_intents/search":
		for key := range c.first {
			if c.intent != "" && r.FormValue("query") == "metadata['challenge_id']:'"+key+"'" {
				return reply{200, `{"data":[` + c.intent + `]}`}
			}
		}
		return reply{200, `{"data":[]}`}
	}
	return reply{404, `{"error":{"type":"invalid_request_error"}}`}
}

// reply is the answer to a settlement. The body has the members of all services' answers.
type reply struct {
	status int // 0: the connection is closed without an answer
	body   string
}

const (
	paid    = `{"success":true,"partial":false,"transaction":"0x01","network":"eip155:84532","transactionId":"t-1","id":"pi_1","status":"succeeded"}`
	refused = `{"success":false,"errorReason":"insufficient_funds","error":"insufficient_funds","network":"eip155:84532","status":"requires_payment_method"}`
)

// Replies that say that the payment is settled, that it is refused, and neither.
var (
	settling = reply{200, paid}
	refusing = map[string]reply{"refused": {200, refused}, "refused by status": {402, refused}, "bad request": {400, refused}}
	unclear  = map[string]reply{
		"401": {401, refused}, "429": {429, refused}, "409": {409, refused}, "500": {500, refused}, "503 with success": {503, paid}, "broken connection": {},
		"no JSON": {200, "<html>"}, "nothing": {200, "{}"},
		"pending": {200, `{"success":false,"errorReason":"settlement_pending","status":"processing"}`},
		"part":    {200, `{"success":true,"partial":true,"status":"processing","errorReason":"pending"}`},
	}
)

// says reports whether the service of a method can give this reply: some are possible in one
// protocol only.
func (r reply) says(method string) bool {
	x402 := strings.HasPrefix(method, "x402 exact") || strings.HasPrefix(method, "x402 upto")
	credits := strings.Contains(method, "credits")
	switch {
	case strings.Contains(r.body, "partial\":true"):
		return !x402 // a facilitator never settles a part
	case strings.Contains(r.body, "settlement_pending"):
		return !credits // a credits platform has no such status
	}
	return true
}

func newTill(t *testing.T) *till {
	t.Helper()
	f := &till{reply: settling}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *till) say(r reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reply = r
}

func (f *till) take(o *payment.Options) {
	o.X402.Facilitator = f.URL
	o.Credits = &payment.Credits{Platform: f.URL, Token: "ours"}
	o.MPP = &payment.MPP{Realm: "memory.example", Stripe: &payment.Stripe{URL: f.URL, Key: "ours", Profile: "profile_1", Currency: "usd", PerCredit: "1"}}
	o.Secret = []byte(strings.Repeat("s", 32))
}

func (f *till) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/supported":
		fmt.Fprintf(w, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:84532"},{"x402Version":2,"scheme":"upto","network":"eip155:84532","extra":{"facilitatorAddress":%q}}]}`, paymenttest.FacilitatorAddress)
		return
	case "/verify":
		fmt.Fprint(w, `{"isValid":true}`)
		return
	case "/api/payments/verify":
		// The balance is enough for one search: the platform says so to each of several.
		fmt.Fprint(w, `{"valid":true,"balanceCredits":1}`)
		return
	}
	f.mu.Lock()
	reply := f.reply
	if f.cards != nil {
		reply = f.cards.answer(r, reply)
	}
	f.mu.Unlock()
	if reply.status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(reply.status)
	fmt.Fprint(w, reply.body)
}

var parameter = regexp.MustCompile(`([a-z]+)="([^"]*)"`)

// payments returns a payment of a search by each method, and whether the method verifies it
// before the search, so that the answer may be delivered before the settlement is known.
// Payments with different n differ.
func (d *desk) payments(n int) map[string]*meter.Payment {
	d.t.Helper()
	of := meter.Resource{URL: "https://memory.example/search", Method: "POST"}
	asked := http.Header{}
	d.methods.Ask(asked, of, fullPrice, nil)
	text, err := base64.StdEncoding.DecodeString(asked.Get("Payment-Required"))
	d.must(err)
	var v2 struct{ Accepts []map[string]any }
	d.must(json.Unmarshal(text, &v2))
	all := map[string]*meter.Payment{
		"x402 exact": d.pay(payment.SchemeExact, fullPrice, n), "x402 upto": d.pay(payment.SchemeUpto, fullPrice, n+1000),
	}
	token := map[string]any{"token": fmt.Sprintf("a.b.%d", n)}
	read := func(name, header, value string) {
		p, err := payment.Read(http.Header{header: {value}}, of)
		d.must(err)
		all[name] = p
	}
	encode := func(in *base64.Encoding, v any) string {
		text, err := json.Marshal(v)
		d.must(err)
		return in.EncodeToString(text)
	}
	for _, accepts := range v2.Accepts {
		if accepts["scheme"] == "robutler-credits" {
			read("x402 credits", "Payment-Signature", encode(base64.StdEncoding, map[string]any{"x402Version": 2, "accepted": accepts, "payload": token}))
		}
	}
	for _, header := range asked.Values("Www-Authenticate") {
		members := make(map[string]any)
		for _, found := range parameter.FindAllStringSubmatch(header, -1) {
			members[found[1]] = found[2]
		}
		if members["method"] == "stripe" {
			read("mpp stripe", "Payment-Authorization", "Payment "+encode(base64.RawURLEncoding, map[string]any{"challenge": members, "payload": map[string]any{"spt": fmt.Sprintf("spt_%d", n)}}))
		} else {
			read("mpp credits", "Payment-Authorization", "Payment "+encode(base64.RawURLEncoding, map[string]any{"challenge": members, "payload": token}))
		}
	}
	if len(all) != 5 {
		d.t.Fatalf("%d methods", len(all))
	}
	return all
}

// traces returns the numbers of what searches leave in the database: lines of the ledger,
// charges, and bought entries.
func (d *desk) traces() (lines, charges, bought int64) {
	d.t.Helper()
	d.must(d.rows.ForMeter().View(context.Background(), func(tx meter.ReadTx) error {
		check, err := meter.VerifyLedger(context.Background(), tx)
		if err != nil {
			return err
		}
		lines = check.Lines
		bought, err = tx.CountShown(context.Background(), seller, buyer)
		return err
	}))
	return lines, int64(len(d.charges())), bought
}

// The rule, for every method and every answer of its service: If a payment is settled, the
// answer is delivered. If it is refused, no trace of the search remains. If the outcome is
// unknown, the answer is delivered only if the method had verified the payment; otherwise the
// search fails until a repetition with the same payment finds it settled.
func TestNothingIsShownBeforeItIsPaid(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.till = newTill(t)
		d.open()
		n := 0
		each := func(replies map[string]reply, judge func(t *testing.T, method string, r meter.SearchRequest)) {
			for method := range d.payments(0) {
				for name, answer := range replies {
					if !answer.says(method) {
						continue
					}
					t.Run(method+", "+name, func(t *testing.T) {
						n++
						d.t = t
						// Challenges of the same second are equal, so let time pass. A new process
						// has counted no refusals yet.
						d.pass(2 * time.Second)
						d.open()
						d.till.say(answer)
						r := d.request("", "", 0)
						r.Payment = d.payments(n)[method]
						judge(t, method, r)
					})
				}
			}
		}
		each(refusing, func(t *testing.T, _ string, r meter.SearchRequest) {
			lines, charges, bought := d.traces()
			var refusal *meter.RefusedError
			if _, _, err := d.search(buyer, r); !errors.As(err, &refusal) || refusal.Price.Price == 0 {
				t.Errorf("got %v", err)
			}
			if l, c, b := d.traces(); l != lines || c != charges || b != bought {
				t.Errorf("a refused payment left %d lines, %d charges and %d bought entries", l-lines, c-charges, b-bought)
			}
			if found := d.counted(); found != (meter.Count{}) {
				t.Errorf("it counts %+v", found)
			}
		})
		each(unclear, func(t *testing.T, method string, r meter.SearchRequest) {
			lines, charges, bought := d.traces()
			verified := method == "x402 exact" || method == "x402 upto"
			tries := 2
			if verified {
				tries = 1 // a repetition waits until its hold lapses
			}
			for range tries {
				found, keys, err := d.search(buyer, r)
				var later *search.UnsettledError
				if verified {
					if err != nil || len(keys) != 3 || found.Settled == nil || found.Settled.State != meter.SettlePending {
						t.Fatalf("a verified payment: %v for %+v, %v", keys, found.Settled, err)
					}
				} else if !errors.As(err, &later) || later.RetryAfter <= 0 || !errors.Is(err, memory.ErrUnavailable) || len(keys) > 0 {
					t.Fatalf("an unverified payment: %v, %v", keys, err)
				}
				if l, c, b := d.traces(); !verified && (l != lines || c != charges || b != bought) {
					t.Fatalf("a payment without an outcome left %d lines, %d charges and %d bought entries", l-lines, c-charges, b-bought)
				}
			}
			d.till.say(settling)
			d.pass(2 * time.Minute) // lets the hold on a delivered claim lapse
			if _, pending, err := d.market.Reconcile(context.Background()); err != nil || pending != 0 {
				t.Errorf("%d pending, %v", pending, err)
			}
			found, keys, err := d.search(buyer, r)
			if err != nil || len(keys) != 3 || found.Settled == nil || found.Settled.State != meter.SettleDone || len(found.Bill.Charges) != 1 || found.Bill.Charges[0].Receipt == "" {
				t.Errorf("once it is settled: %v for %+v, %v", keys, found.Bill, err)
			}
			if d.balance(meter.AccountSettling) != 0 {
				t.Error("something is still being settled")
			}
			d.forget()
		})
		each(map[string]reply{"settled": settling}, func(t *testing.T, _ string, r meter.SearchRequest) {
			if found, keys, err := d.search(buyer, r); err != nil || len(keys) != 3 || found.Settled.State != meter.SettleDone {
				t.Errorf("%v, %v", keys, err)
			}
			d.forget()
		})
	})
}

// For a day, a card processor answers a repeated key with its first reply, even if the payment
// has changed since. Later it treats the key as new, and would charge the card again.
func TestACardPaymentEndsWhateverItsFirstAnswerWas(t *testing.T) {
	const (
		processing = `{"id":"pi_1","status":"processing"}`
		succeeded  = `{"id":"pi_1","status":"succeeded"}`
		failed     = `{"id":"pi_1","status":"requires_payment_method"}`
	)
	used := reply{400, `{"error":{"type":"invalid_request_error"}}`} // the token
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.till = newTill(t)
		d.open()
		n := 0
		for name, c := range map[string]struct {
			first  reply
			after  time.Duration
			second reply // to a new key
			intent string
			state  meter.SettleState
		}{
			"processing, then charged":            {reply{200, processing}, time.Minute, used, succeeded, meter.SettleDone},
			"processing, then not":                {reply{200, processing}, time.Minute, used, failed, meter.SettleRefused},
			"processing for long":                 {reply{200, processing}, time.Minute, used, processing, meter.SettlePending},
			"processing, charged after two days":  {reply{200, processing}, 48 * time.Hour, used, succeeded, meter.SettleDone},
			"failed, charged all the same":        {reply{500, `{}`}, 48 * time.Hour, used, succeeded, meter.SettleDone},
			"failed, not charged":                 {reply{500, `{}`}, 48 * time.Hour, used, failed, meter.SettleRefused},
			"failed, and not known":               {reply{500, `{}`}, 48 * time.Hour, settling, "", meter.SettlePending},
			"lost, charged":                       {reply{}, 48 * time.Hour, used, succeeded, meter.SettleDone},
			"asked too often, then not charged":   {reply{429, `{}`}, time.Minute, reply{402, refused}, "", meter.SettleRefused},
			"asked too often, then charged":       {reply{429, `{}`}, time.Minute, settling, "", meter.SettleDone},
			"asked too often, and not for a week": {reply{429, `{}`}, 7 * 24 * time.Hour, settling, "", meter.SettlePending},
		} {
			t.Run(name, func(t *testing.T) {
				n++
				d.t = t
				// Challenges of the same second are equal, so let time pass.
				d.pass(2 * time.Second)
				d.open()
				card := &cards{first: make(map[string]reply)}
				d.till.cards = card
				d.till.say(c.first)
				r := d.request("", "", 0)
				r.Payment = d.payments(n)["mpp stripe"]
				lines, charges, bought := d.traces()
				var later *search.UnsettledError
				if _, _, err := d.search(buyer, r); !errors.As(err, &later) {
					t.Fatalf("first: %v", err)
				}
				d.till.mu.Lock()
				if c.first.status == http.StatusTooManyRequests { // it keeps no answer
					clear(card.first)
				}
				card.intent, card.forgot = c.intent, c.after > 24*time.Hour
				d.till.reply = c.second
				posts := card.posts
				d.till.mu.Unlock()
				d.pass(c.after)
				d.open() // another process
				found, keys, err := d.search(buyer, r)
				var refusal *meter.RefusedError
				switch c.state {
				case meter.SettleDone:
					if err != nil || len(keys) != 3 || found.Settled == nil || found.Settled.State != meter.SettleDone {
						t.Errorf("charged: %v for %+v, %v", keys, found.Settled, err)
					}
					d.forget()
				case meter.SettleRefused:
					if !errors.As(err, &refusal) {
						t.Errorf("not charged: %v", err)
					}
				default:
					if !errors.As(err, &later) {
						t.Errorf("not known: %v", err)
					}
				}
				if l, c, b := d.traces(); err != nil && (l != lines || c != charges || b != bought) {
					t.Errorf("it left %d lines, %d charges and %d bought entries", l-lines, c-charges, b-bought)
				}
				if card.forgot && card.posts != posts {
					t.Error("another payment was made for a key that may be forgotten")
				}
			})
		}
	})
}

// counted returns the counts of the buyer in the store over all time.
func (d *desk) counted() (found meter.Count) {
	d.t.Helper()
	d.must(d.rows.ForMeter().View(context.Background(), func(tx meter.ReadTx) error {
		counts, err := tx.Counts(context.Background(), []meter.CountKey{{Store: seller, Buyer: buyer, Window: meter.WindowTotal}})
		for _, c := range counts {
			found = c
		}
		return err
	}))
	return found
}

// forget removes the buyer's purchases, so that the entries are new to it again.
func (d *desk) forget() {
	d.t.Helper()
	d.must(d.rows.ForMeter().Update(context.Background(), func(tx meter.Tx) error {
		all := d.charges()
		for _, charge := range all {
			// DeleteBought moves purchases only to charges that were not reversed.
			charge.State = meter.ChargeReversed
			if err := tx.PutCharge(context.Background(), charge); err != nil {
				return err
			}
		}
		for _, charge := range all {
			if err := tx.DeleteBought(context.Background(), charge.ID); err != nil {
				return err
			}
		}
		c := d.counted()
		return tx.AddCounts(context.Background(), []meter.CountKey{{Store: seller, Buyer: buyer, Window: meter.WindowTotal}}, meter.Count{Searches: -c.Searches, Entries: -c.Entries})
	}))
}

// A token has money for one of eight parallel searches that it pays for. A search gets no
// answer if the platform charges only a part of its price, or has not charged it yet.
func TestParallelSearchesOfAnEmptyTokenShowNothing(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.till = newTill(t)
		d.open()
		for _, answer := range []reply{unclear["part"], unclear["429"]} {
			d.till.say(answer)
			var together sync.WaitGroup
			for i := range 8 {
				r := d.request("", "", 0)
				r.Payment = d.payments(i)["mpp credits"]
				together.Go(func() {
					var later *search.UnsettledError
					if _, err := d.market.Search(context.Background(), agent(buyer), r); !errors.As(err, &later) {
						t.Errorf("got %v", err)
					}
				})
			}
			together.Wait()
			d.open()
		}
		if lines, charges, bought := d.traces(); charges != 0 || bought != 0 {
			t.Errorf("%d lines, %d charges, %d bought", lines, charges, bought)
		}
	})
}

// Each buyer, address and offer may have a number of refused payments. Further payments are not
// sent to the service until some time has passed.
func TestRefusedPaymentsHaveACap(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.till = newTill(t)
		d.open()
		d.till.say(refusing["refused"])
		try := func(who, address string, n int) error {
			r := d.request("", "", 0)
			r.Payment = d.payments(n)["mpp stripe"]
			r.Payment.Client = address
			_, err := d.market.Search(context.Background(), agent(who), r)
			return err
		}
		refusedUntil := func(who func(n int) string, address func(n int) string, most int) {
			t.Helper()
			var spent *search.CapError
			var refusal *meter.RefusedError
			for n := range most {
				if err := try(who(n), address(n), n); !errors.As(err, &refusal) {
					t.Fatalf("payment %d: %v", n, err)
				}
			}
			if err := try(who(most), address(most), most); !errors.As(err, &spent) || spent.Cap != "refused_payments" || spent.RetryAfter <= 0 {
				t.Fatalf("payment %d: %v", most, err)
			}
			d.pass(spent.RetryAfter)
			if err := try(who(most), address(most), most+1); !errors.As(err, &refusal) {
				t.Errorf("after a while: %v", err)
			}
			d.open()
		}
		same := func(text string) func(int) string { return func(int) string { return text } }
		other := func(text string) func(int) string { return func(n int) string { return fmt.Sprint(text, n) } }
		refusedUntil(same(buyer), other("address"), 10)
		refusedUntil(other("buyer"), same("192.0.2.1/32"), 30)
		refusedUntil(other("buyer"), other("address"), 300)
	})
}

// With a card processor as the only method, a 402 asks for a payment by MPP.
func TestStripeAloneAsksForAPayment(t *testing.T) {
	m, err := payment.New(payment.Options{Secret: []byte(strings.Repeat("s", 32)), MPP: &payment.MPP{
		Realm: "memory.example", Stripe: &payment.Stripe{URL: "https://cards.example", Key: "k", Profile: "p", Currency: "usd", PerCredit: "1"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	if members := m.Ask(h, meter.Resource{URL: "https://memory.example/search"}, 10_000, nil); len(members) > 0 {
		t.Errorf("x402 asks for %v", members)
	}
	if got := h.Get("Www-Authenticate"); !strings.HasPrefix(got, "Payment ") || !strings.Contains(got, `method="stripe"`) {
		t.Errorf("asks for %q", got)
	}
	free := http.Header{}
	if m.Ask(free, meter.Resource{}, 0, nil); free.Get("Www-Authenticate") != "" {
		t.Error("asks for nothing")
	}
}

var nonceExpiry = regexp.MustCompile(`\.([0-9]{10})\.[0-9a-f]{32}`)

// The platform settles a nonce only once. So a nonce that is written in another way must not
// credit the seller again.
func TestACreditsNoncePaysOnceHoweverItIsSpelled(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.till, d.platform = newTill(t), paymenttest.NewPlatform()
		t.Cleanup(d.platform.Close)
		d.open()
		r := d.request("", "", 0)
		r.Payment = d.payments(1)["x402 credits"]
		d.mustSearch(r)
		text, of := string(r.Payment.Payload), r.Payment.Resource
		found := nonceExpiry.FindStringSubmatchIndex(text)
		if found == nil {
			t.Fatalf("no nonce in %s", text)
		}
		nonce := text[found[0]-36 : found[1]]
		for _, spelled := range []string{
			text[:found[2]] + "0" + text[found[2]:], text[:found[2]] + "00" + text[found[2]:],
			strings.Replace(text, nonce, strings.ToUpper(nonce), 1),
		} {
			again, err := payment.ParseV2("the test", json.RawMessage(spelled))
			var malformed *payment.MalformedError
			if errors.As(err, &malformed) {
				continue
			}
			d.must(err)
			again.Resource, r.Payment = of, again
			if _, keys, err := d.search(buyer, r); err != nil {
				t.Logf("%s: shows %v, %v", spelled, keys, err)
			}
		}
		if charged := d.platform.Charged(); len(charged) != 1 {
			t.Errorf("charged %v", charged)
		}
		d.check(0, cost, 0)
	})
}

// Two concurrent searches each charge for the same entries. If the payment of one is refused,
// the buyer keeps the entries that the other one paid for.
func TestARefusedPaymentLeavesWhatAnotherOnePaidFor(t *testing.T) {
	onEachStorage(t, func(t *testing.T, d *desk) {
		d.till = newTill(t)
		d.open()
		pays := func(method string, n int) meter.SearchRequest {
			r := d.request("", "", 0)
			r.Payment = d.payments(n)[method]
			return r
		}
		d.till.say(unclear["500"])
		first, second := pays("mpp credits", 1), pays("x402 upto", 2)
		var later *search.UnsettledError
		if _, _, err := d.search(buyer, first); !errors.As(err, &later) {
			t.Fatalf("got %v", err)
		}
		found, _ := d.mustSearch(second) // delivered, and booked before the first search
		if found.Settled.State != meter.SettlePending || found.Bill.Charges[0].Amount != cost {
			t.Fatalf("charged %+v, settled %+v", found.Bill.Charges, found.Settled)
		}
		d.till.say(settling)
		if found, _ := d.mustSearch(first); found.Settled.State != meter.SettleDone || found.Bill.Charges[0].Amount != cost {
			t.Fatalf("charged %+v, settled %+v", found.Bill.Charges, found.Settled)
		}
		d.till.say(reply{200, `{"success":false,"errorReason":"invalid_permit2_signature","network":"eip155:84532"}`})
		d.pass(2 * time.Minute)
		if done, pending, err := d.market.Reconcile(context.Background()); done != 1 || pending != 0 || err != nil {
			t.Fatalf("reconciled %d, %d pending, %v", done, pending, err)
		}
		d.check(0, cost, 0)
		d.till.say(settling)
		if found, keys := d.mustSearch(pays("x402 upto", 3)); len(keys) != 3 || found.Bill.Charges[0].Amount != searchPrice {
			t.Errorf("what was paid for costs again: %v for %+v", keys, found.Bill.Charges)
		}
	})
}
