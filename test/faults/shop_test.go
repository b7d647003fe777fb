//go:build unix

package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mneme/acl"
	"mneme/meter/payment/paymenttest"
	"mneme/test/mnemetest"
)

// shop is a service with a store for sale. It is killed repeatedly while two agents
// buy: the holder has accepted the offer and pays from its account; the payer sends
// a payment with each search.
type shop struct {
	*database
	*mnemetest.Process
	till    *till
	rng     *rand.Rand
	stats   *stats
	started int // number of started processes, for their names
	offer   string
	tokens  map[string]string
	known   map[string]map[string]charge // by buyer and ID
}

// The agents of a shop.
const (
	seller = "seller"
	holder = "holder"
	payer  = "payer"
)

// Amounts of a shop, in micros.
const (
	priceSearch = 1000
	priceEntry  = 500
	holderHas   = 1_000_000_000
)

// charge holds the fields of a charge that the tests check.
type charge struct {
	ID      string
	Amount  int64
	State   string
	Receipt string
}

func openShop(t *testing.T, on stack, number uint64, s *stats) *shop {
	t.Helper()
	d := &shop{
		database: newDatabase(t, on, false), till: openTill(t), stats: s, tokens: make(map[string]string),
		rng:   rand.New(rand.NewPCG(*seed, number)), //nolint:gosec // reproducible
		known: map[string]map[string]charge{holder: {}, payer: {}},
	}
	d.environment = append(d.environment, "MNEME_METER_HOLD=1s", "MNEME_METER_X402_FACILITATOR="+d.till.server.URL,
		"MNEME_METER_X402_NETWORK=eip155:84532", "MNEME_METER_X402_ASSET=0x036CbD53842c5426634e7929541eC2318f3dCF7e",
		"MNEME_METER_X402_PAY_TO=0x2222222222222222222222222222222222222222")
	d.start()
	for _, p := range []acl.Principal{{Agent: seller, Share: true}, {Agent: holder, Spend: true}, {Agent: payer, Spend: true}, {Agent: "platform", Platform: true}} {
		p.Taint = acl.Public
		signed, err := d.mint(p)
		if err != nil {
			t.Fatal(err)
		}
		d.tokens[p.Agent] = signed
	}
	var made struct{ ID string }
	d.must(seller, http.MethodPost, "/v1/stores/self/offers", map[string]any{
		"title": "Notes", "description": "on lighthouses", "terms": map[string]any{
			"price_search": priceSearch, "price_entry": priceEntry, "novelty_percent": 0,
			"searches_per_minute": many, "searches_per_day": many, "entries_per_day": many, "entries_total": many,
		},
	}, &made)
	d.offer = "/v1/offers/" + made.ID
	d.must("platform", http.MethodPost, "/v1/admin/accounts/"+holder+"/topup", map[string]any{"amount": holderHas, "reference": "first"}, nil)
	d.must(holder, http.MethodPost, d.offer+"/accept", nil, nil)
	return d
}

// many is a limit that no test reaches.
const many = 1_000_000

// start starts the service. It must become ready, whatever a kill interrupted before.
func (d *shop) start() {
	d.t.Helper()
	d.started++
	d.Process = mnemetest.Start(d.t, d.command(d.name(), "serve", "--addr", "127.0.0.1:0", "--json"))
	// The scheme upto is not offered until the facilitator has reported its support.
	if d.offer != "" {
		d.ask("upto")
	}
}

// name returns the name of the process's connections to the database.
func (d *shop) name() string { return fmt.Sprintf("shop-%d", d.started) }

// restart kills the service if it is still running, and starts it again.
func (d *shop) restart() {
	d.t.Helper()
	d.Kill()
	if err := d.waitGone(d.name()); err != nil {
		d.t.Fatal(err)
	}
	if strings.Contains(d.Log.String(), "panic:") {
		d.t.Errorf("mneme panicked: %s", d.Log.Last(50))
	}
	d.start()
}

func (d *shop) call(agent, method, path string, body any, headers ...string) reply {
	return exchange(d.t.Context(), method, d.Address+path, d.tokens[agent], body, headers...)
}

// must makes a call that must succeed, and decodes its answer.
func (d *shop) must(agent, method, path string, body, out any) {
	d.t.Helper()
	r := d.call(agent, method, path, body)
	if r.status < 200 || r.status > 299 {
		d.t.Fatalf("%s %s: %v", method, path, r)
	}
	if out != nil {
		if err := json.Unmarshal(r.body, out); err != nil {
			d.t.Fatal(err)
		}
	}
}

// ask returns the headers of a 402 answer that requires a payment by a scheme.
func (d *shop) ask(scheme string) (asked http.Header) {
	d.t.Helper()
	err := poll(d.t.Context(), func() error {
		r := d.call(payer, http.MethodPost, d.offer+"/search", map[string]any{"query": "lighthouse"})
		if asked = r.header; r.status != http.StatusPaymentRequired {
			return fmt.Errorf("an unpaid search: %v", r)
		}
		_, err := paymenttest.Pay(asked, scheme, 0)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return asked
}

// news returns the new charges of a buyer, and marks them as known.
func (d *shop) news(buyer string) (found []charge) {
	d.t.Helper()
	var page struct{ Items []charge }
	d.must(buyer, http.MethodGet, "/v1/usage?limit=100", nil, &page)
	for _, c := range page.Items {
		if _, ok := d.known[buyer][c.ID]; !ok {
			found = append(found, c)
		}
		d.known[buyer][c.ID] = c
	}
	return found
}

// all returns every charge of a buyer.
func (d *shop) all(buyer string) (charges []charge) {
	d.t.Helper()
	for cursor := ""; ; {
		var page struct {
			Items []charge
			Next  string `json:"next_cursor"`
		}
		d.must(buyer, http.MethodGet, "/v1/usage?limit=100"+cursor, nil, &page)
		charges = append(charges, page.Items...)
		if page.Next == "" {
			return charges
		}
		cursor = "&cursor=" + page.Next
	}
}

func (d *shop) balance(agent string) int64 {
	d.t.Helper()
	var account struct{ Balance int64 }
	d.must(agent, http.MethodGet, "/v1/account", nil, &account)
	return account.Balance
}

// till is a payment facilitator that triggers the kills.
type till struct {
	*paymenttest.Facilitator
	server *httptest.Server

	mu    sync.Mutex
	hooks map[string]func()          // by step; each is called once
	asked map[string]map[string]bool // the requested settlement amounts, by payer and nonce
}

// The steps of a till.
const (
	verifying  = "/verify"
	settling   = "/settle"
	hasSettled = "/settle, done" // the answer is not sent yet
)

func openTill(t *testing.T) *till {
	f := &till{Facilitator: paymenttest.Make(), hooks: make(map[string]func()), asked: make(map[string]map[string]bool)}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

// next sets a hook for the next time that a step is reached; nil removes it.
func (f *till) next(step string, do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hooks[step] = do
}

func (f *till) reach(step string) {
	f.mu.Lock()
	do := f.hooks[step]
	delete(f.hooks, step)
	f.mu.Unlock()
	if do != nil {
		do()
	}
}

func (f *till) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller was killed
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.URL.Path == settling {
		f.note(body)
	}
	f.reach(r.URL.Path)
	f.Facilitator.ServeHTTP(w, r)
	if r.URL.Path == settling {
		f.reach(hasSettled)
	}
}

// note records the amount for which a payment is to be settled.
func (f *till) note(body []byte) {
	type signed struct{ From, Nonce string }
	var in struct {
		Payment struct {
			Payload struct {
				Authorization *signed
				Permit2       *signed `json:"permit2Authorization"`
			}
		} `json:"paymentPayload"`
		Requirements struct{ Amount string } `json:"paymentRequirements"`
	}
	if json.Unmarshal(body, &in) != nil {
		return
	}
	s := in.Payment.Payload.Authorization
	if s == nil {
		s = in.Payment.Payload.Permit2
	}
	if s == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	name := strings.ToLower(s.From + " " + s.Nonce)
	if f.asked[name] == nil {
		f.asked[name] = make(map[string]bool)
	}
	f.asked[name][in.Requirements.Amount] = true
}

// amounts returns the requested settlement amounts of each payment.
func (f *till) amounts() map[string]map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.asked)
}
