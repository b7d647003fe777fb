package meter_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/problem"
	"mneme/test/backendtest"
)

// onEachStorage runs a test on each storage.
func onEachStorage(t *testing.T, test func(f *fixture)) {
	t.Helper()
	t.Parallel()
	backendtest.Each(t, backendtest.Storages(), func(t *testing.T, b backendtest.Backend) { test(open(t, b, memory.Limits{})) })
}

// fixture is a Market over a fresh database, with a clock that the test moves.
type fixture struct {
	*testing.T
	ctx      context.Context
	market   *meter.Market
	memory   *memory.Service
	searcher *search.Searcher
	rows     meter.Storage
	clock    *backendtest.Clock
}

func open(t *testing.T, b backendtest.Backend, limits memory.Limits) *fixture {
	t.Helper()
	data := b.Open(t)
	clock := backendtest.NewClock()
	f := backendtest.OpenOver(t, data, backendtest.Options{Memory: memory.Options{Limits: limits, Now: clock.Now}})
	rows := data.Storage(t).ForMeter()
	return &fixture{
		T: t, ctx: t.Context(), clock: clock, memory: f.Service, searcher: f.Searcher, rows: rows,
		market: meter.NewMarket(rows, f.Service, f.Searcher, meter.Options{}),
	}
}

// as returns a caller of an agent's session.
func as(agent string, taint acl.Label) memory.Caller {
	return memory.Caller{Principal: backendtest.Principal(agent, taint)}
}

// The callers of most tests. sam sells, ben buys, and zoe does neither.
var (
	sam, ben, zoe = as("sam", acl.Public), as("ben", acl.Public), as("zoe", acl.Public)
	platform      = memory.Caller{Principal: acl.Principal{Agent: "ops", Taint: acl.Public, Platform: true}}
)

// wants fails the test unless REST answers the error with this status.
func (f *fixture) wants(status int, err error) {
	f.Helper()
	if got := statusOf(err); got != status {
		f.Fatalf("status %d (%v), want %d", got, err, status)
	}
}

func statusOf(err error) int {
	if err == nil {
		return 200
	}
	return problem.From(err).Status
}

// offered returns the request for an offer with these prices.
func offered(search, entry int64) meter.OfferRequest {
	return meter.OfferRequest{Title: new("Peanut allergies"), Terms: meter.TermsRequest{PriceSearch: &search, PriceEntry: &entry}}
}

// offer creates an offer on the caller's own store.
func (f *fixture) offer(c memory.Caller) meter.FoundOffer {
	f.Helper()
	o, err := f.market.MakeOffer(f.ctx, c, c.Agent, offered(2000, 500), nil)
	if err != nil {
		f.Fatal(err)
	}
	return o
}

func (f *fixture) accept(c memory.Caller, o meter.FoundOffer) acl.Grant {
	f.Helper()
	g, err := f.market.Accept(f.ctx, c, o.ID, memory.Preconditions{}, nil)
	if err != nil {
		f.Fatal(err)
	}
	return g
}

// topUp gives an agent money.
func (f *fixture) topUp(agent string, amount int64) {
	f.Helper()
	if _, err := f.market.TopUp(f.ctx, platform, agent, amount, "ref-"+strconv.FormatInt(f.clock.Now().UnixNano(), 36)+agent); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) balance(agent string) int64 {
	f.Helper()
	a, err := f.market.Account(f.ctx, as(agent, acl.Public))
	if err != nil {
		f.Fatal(err)
	}
	return a.Balance
}

// charge writes a charge of ben for a search of sam's store.
func (f *fixture) charge(o meter.FoundOffer, amount int64, state meter.ChargeState, entries ...uuid.UUID) meter.Charge {
	f.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		f.Fatal(err)
	}
	c := meter.Charge{
		ID: id, Store: o.Store, Offer: o.ID, Label: o.Label, Buyer: "ben", Seller: o.Seller, Amount: amount,
		Hits: len(entries), Entries: entries, At: f.clock.Now(), State: state,
	}
	f.write(func(tx meter.Tx) error { return tx.PutCharge(f.ctx, c) })
	return c
}

func (f *fixture) write(fn func(meter.Tx) error) {
	f.Helper()
	if err := f.rows.Update(f.ctx, fn); err != nil {
		f.Fatal(err)
	}
}

// put writes an entry and returns its ID.
func (f *fixture) put(c memory.Caller, key string) uuid.UUID {
	f.Helper()
	r, err := f.memory.Put(f.ctx, c, memory.PutRequest{Path: memory.Path{Store: c.Agent, Key: key}, Value: []byte(`"peanuts"`)})
	if err != nil {
		f.Fatal(err)
	}
	return r.ID
}

// key is an Idempotency-Key of a call with a body.
func key(operation, body string) *memory.Idempotency {
	return &memory.Idempotency{Operation: operation, Path: "p", Key: "k", Digest: body}
}

// matching is the precondition If-Match.
func matching(tag string) memory.Preconditions { return memory.Preconditions{Match: []string{tag}} }

const day = 24 * time.Hour
