//go:build unix

package faults

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/meter/payment/paymenttest"
	"mneme/test/size"
)

var purchases = flag.Int("purchases", 0, "number of paid searches to kill on SQLite (default: 12, in a full run 80); on Postgres a tenth of them, at least two")

// shops is the number of shops killed in parallel on SQLite.
const shops = 4

// TestAKilledPurchaseIsChargedOnceAndAnswered kills mneme at random instants of a paid
// search, and at chosen steps of its payment, starts it again, and repeats the search.
func TestAKilledPurchaseIsChargedOnceAndAnswered(t *testing.T) {
	sizeCampaigns()
	if !size.Full() { // a full run has the machine to itself
		t.Parallel()
	}
	for on, work := range map[stack]struct{ shops, rounds int }{
		sqliteFlat:   {shops, max(1, *purchases/shops)},
		postgresFlat: {1, max(2, *purchases/10)},
	} {
		t.Run(on.String(), func(t *testing.T) {
			on.need(t)
			t.Parallel()
			s := &stats{counts: make(map[string]int)}
			t.Run("shops", func(t *testing.T) {
				for number := range work.shops {
					t.Run(fmt.Sprint(number), func(t *testing.T) {
						t.Parallel()
						d := openShop(t, on, uint64(number), s) //nolint:gosec // not negative
						for round := 0; round < work.rounds && !t.Failed(); round++ {
							d.round(round, kindsOfPurchases[(round*work.shops+number)%len(kindsOfPurchases)])
						}
						d.audit()
					})
				}
			})
			t.Logf("seed %d: repeat with -purchases %d -seed %d\n%s", *seed, *purchases, *seed, s)
		})
	}
}

// purchase is a paid search that is made twice: mneme is killed during the first attempt.
type purchase struct {
	buyer   string
	scheme  string // of the payment; "": paid from the account
	once    bool   // must be charged once: it has a key or a payment
	query   string
	headers []string
}

func (d *shop) buy(p purchase) reply {
	return d.call(p.buyer, http.MethodPost, d.offer+"/search", map[string]any{"query": p.query}, p.headers...)
}

// kindOfPurchase is a kind of purchase to kill.
type kindOfPurchase struct {
	scheme string // of the payment; "": paid from the account
	step   string // the step of the till at which mneme is killed; "": a random instant
	key    bool   // it has an Idempotency-Key
}

// kindsOfPurchases are used in turn: a dozen purchases cover all kinds.
var kindsOfPurchases = []kindOfPurchase{
	{"", "", false}, {"exact", settling, false}, {"upto", "", true}, {"", "", true}, {"upto", hasSettled, false}, {"exact", "", false},
	{"exact", verifying, true}, {"upto", settling, true}, {"exact", hasSettled, true}, {"upto", verifying, false}, {"upto", "", false}, {"exact", "", true},
}

// next returns another purchase.
func (d *shop) next(round int, kind kindOfPurchase) purchase {
	p := purchase{buyer: holder, query: "lighthouse " + word(round), scheme: kind.scheme, once: kind.scheme != "" || kind.key}
	if p.scheme != "" {
		value, err := paymenttest.Pay(d.ask(p.scheme), p.scheme, round)
		if err != nil {
			d.t.Fatal(err)
		}
		p.buyer, p.headers = payer, []string{"PAYMENT-SIGNATURE", value}
	}
	if kind.key {
		p.headers = append(p.headers, "Idempotency-Key", fmt.Sprintf("key-%d", round))
	}
	return p
}

// answer holds the fields of a paid search's answer that the tests check.
type answer struct {
	Hits    []struct{ Key string }
	Charges []charge
}

// round kills the service during a purchase, restarts it, and repeats the purchase.
func (d *shop) round(round int, kind kindOfPurchase) {
	d.t.Helper()
	d.must(seller, http.MethodPut, fmt.Sprintf("/v1/stores/self/memories/note-%d", round), map[string]any{"value": "a lighthouse " + word(round)}, nil)
	// Until it has its vectors, an entry may rank below so many others that a
	// search of an offer omits it: see searchOnlyDepth in package memory.
	if err := poll(d.t.Context(), func() error { return queueIsEmpty(d.Address) }); err != nil {
		d.t.Fatal(err)
	}
	p, step := d.next(round, kind), kind.step
	// Sometimes the facilitator settles a payment, its answer is lost, and it refuses a
	// repetition because the payment has been used.
	d.till.Fail([]paymenttest.Failure{paymenttest.None, paymenttest.None, paymenttest.LoseOnce, paymenttest.NonceUsed}[d.rng.IntN(4)])
	process := d.Process
	instant := time.Duration(d.rng.IntN(60_000)) * time.Microsecond
	if d.storage == "postgres" {
		instant *= 3
	}
	if step != "" {
		d.till.next(step, process.Signal)
		instant = patience
	}
	replies := make(chan reply, 1)
	go func() { replies <- d.buy(p) }()
	var first reply
	select {
	case first = <-replies:
		process.Signal()
	case <-time.After(instant): // a random instant
		process.Signal()
		first = <-replies
	}
	d.till.next(step, nil)
	d.restart()
	d.count(p, step, first)

	var was answer
	if first.status == http.StatusOK {
		was = d.read(p, first)
	} else if first.status != 0 {
		d.t.Errorf("round %d: a killed search was answered with %v", round, first)
	}
	if !p.once {
		switch found := d.news(p.buyer); {
		case len(found) > 1, len(was.Charges) == 1 && (len(found) != 1 || found[0].ID != was.Charges[0].ID):
			d.t.Errorf("round %d: %+v was answered and %+v charged", round, was.Charges, found)
		default:
			d.stats.add(fmt.Sprintf("without a key or payment: %d charges", len(found)), 1)
		}
	}
	again := d.buy(p)
	got := d.read(p, again)
	found := d.news(p.buyer)
	switch {
	case len(got.Charges) != 1 || len(got.Hits) == 0 || got.Hits[0].Key != fmt.Sprintf("note-%d", round):
		d.t.Errorf("round %d (%+v, %q): the repetition answers %v", round, p, step, again)
	case len(found) != 1 || found[0].ID != got.Charges[0].ID || found[0].Amount != got.Charges[0].Amount:
		d.t.Errorf("round %d (%+v, %q): %+v was answered and %+v charged", round, p, step, got.Charges, found)
	case p.once && len(was.Charges) == 1 && (was.Charges[0].Receipt != got.Charges[0].Receipt || !slices.Equal(was.Hits, got.Hits)):
		d.t.Errorf("round %d (%+v, %q): the answers differ: %v, then %v", round, p, step, first, again)
	}
}

// count counts kills by kind.
func (d *shop) count(p purchase, step string, first reply) {
	kind := "account"
	if p.scheme != "" {
		kind = p.scheme
	}
	if slices.Contains(p.headers, "Idempotency-Key") {
		kind += " with a key"
	}
	if step == "" {
		step = "random instant"
	}
	outcome := "cut off"
	if first.status != 0 {
		outcome = "answered"
	}
	d.stats.add("kills", 1)
	d.stats.add("kills: "+kind+", "+outcome, 1)
	d.stats.add("kills at "+step+", "+outcome, 1)
}

// read decodes the answer to a purchase, which must have succeeded.
func (d *shop) read(p purchase, r reply) (a answer) {
	d.t.Helper()
	if r.status != http.StatusOK {
		d.t.Errorf("%+v: %v", p, r)
	} else if err := json.Unmarshal(r.body, &a); err != nil {
		d.t.Error(err)
	}
	return a
}

// audit checks accounts, settlements and the ledger when no charge is pending any more.
func (d *shop) audit() {
	d.t.Helper()
	d.till.Fail(paymenttest.None)
	totals := make(map[string]int64)
	charges := make(map[string]int)
	err := poll(d.t.Context(), func() error {
		for _, buyer := range []string{holder, payer} {
			totals[buyer], charges[buyer] = 0, 0
			for _, c := range d.all(buyer) {
				if c.State != "done" {
					return fmt.Errorf("the charge %s is %s", c.ID, c.State)
				}
				totals[buyer] += c.Amount
				charges[buyer]++
			}
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	if charges[holder] != len(d.known[holder]) || charges[payer] != len(d.known[payer]) {
		d.t.Errorf("%v charges, but the rounds counted %d and %d", charges, len(d.known[holder]), len(d.known[payer]))
	}
	var paid, surplus int64
	settled := d.till.Settled()
	for _, amount := range settled {
		paid += amount.Int64()
	}
	surplus = paid - totals[payer] // from payments of a fixed amount
	for agent, want := range map[string]int64{seller: totals[holder] + totals[payer], holder: holderHas - totals[holder], payer: surplus} {
		if got := d.balance(agent); got != want {
			d.t.Errorf("%s has %d, not %d", agent, got, want)
		}
	}
	if len(settled) != charges[payer] {
		d.t.Errorf("%d payments were settled for %d charges", len(settled), charges[payer])
	}
	for name, amounts := range d.till.amounts() {
		if len(amounts) != 1 {
			d.t.Errorf("settlement of the payment %s was requested for %v", name, amounts)
		}
	}
	d.Kill()
	if out, err := d.command("verify", "ledger", "verify").CombinedOutput(); err != nil {
		d.t.Errorf("mneme ledger verify: %v: %s", err, strings.TrimSpace(string(out)))
	}
}
