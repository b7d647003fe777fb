package accesstest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

// Prices and amounts, in micros. Every caller could pay for all searches of the matrix.
const (
	priceSearch = 10
	priceEntry  = 100
	balance     = 1_000_000
)

// unpaid is the status of a search that requires a payment.
const unpaid = 402

// trade is the caller's relation to the offer on the store under test.
type trade struct {
	buys     bool // the caller has a metered grant in effect
	searches int  // the status of a search of the offer
	accepts  int  // the status of accepting the offer
}

// tradeRelations are relations to a store with an open or withdrawn offer.
func tradeRelations() []relation {
	share := func(e *env, level acl.Level) {
		e.must(acl.Principal{Agent: "owner", Taint: taint}, Operation{Name: Share, Store: "owner", Other: "caller", Level: level})
		e.must(acl.Principal{Agent: "caller", Taint: taint}, Operation{Name: AcceptGrant, Store: "owner"})
	}
	buy := func(label acl.Label, ttl *int64) func(*env) {
		return func(e *env) {
			e.sell(label, ttl)
			e.accept(label)
		}
	}
	sell := func(e *env) { e.sell(taint, nil) }
	bought := &trade{buys: true, searches: ok, accepts: conflict}
	open := &trade{searches: unpaid, accepts: created}
	has := &trade{searches: conflict, accepts: conflict}
	return []relation{
		{name: "metered grant", store: "owner", level: acl.Search, trade: bought, setUp: buy(taint, nil)},
		{name: "metered grant of a withdrawn offer", store: "owner", level: acl.Search, trade: bought, setUp: func(e *env) {
			buy(taint, nil)(e)
			e.withdraw()
		}},
		{
			name: "metered grant, in a session below the offer", store: "owner",
			trade: &trade{searches: absent, accepts: absent}, setUp: buy(acl.Confidential, nil),
		},
		{name: "expired metered grant", store: "owner", trade: open, setUp: func(e *env) {
			buy(taint, new(int64(60)))(e)
			e.Advance(time.Hour)
		}},
		{name: "stranger to a store for sale", store: "owner", trade: open, setUp: sell},
		{name: "platform token, on a store for sale", store: "owner", platform: true, trade: open, setUp: sell},
		{name: "grant by another agent, without effect while an offer is open", store: "owner", sleeps: true, trade: open, setUp: func(e *env) {
			e.must(acl.Principal{Agent: "owner", Taint: taint}, Operation{Name: Share, Store: "owner", Other: "maker", Level: acl.ReadWrite})
			e.must(acl.Principal{Agent: "maker", Taint: taint}, Operation{Name: Share, Store: "owner", Other: "caller", Level: acl.Read})
			sell(e)
		}},
		{name: "search grant and an offer", store: "owner", level: acl.Search, trade: has, setUp: func(e *env) {
			share(e, acl.Search)
			sell(e)
		}},
		{name: "readwrite grant and an offer", store: "owner", level: acl.ReadWrite, trade: has, setUp: func(e *env) {
			share(e, acl.ReadWrite)
			sell(e)
		}},
		{name: "own store, which is for sale", store: "owner", level: acl.ReadWrite, self: true, trade: has, setUp: sell},
	}
}

// onOffer returns the cases of the offer on the store.
func onOffer(r relation) []testCase {
	if r.trade == nil {
		return nil
	}
	op := func(o string) Operation { return Operation{Name: o, Store: r.store, Query: word} }
	cases := []testCase{
		{name: OfferSearch, env: unchanged, op: op(OfferSearch), before: func(e *env) { e.Index() }, check: func(t *testing.T, got Outcome) {
			shows(r.trade.searches, listed(plain))(t, got)
			charged(t, r, got)
		}},
		{name: Accept, env: Accept, op: op(Accept), check: want(r.trade.accepts)},
	}
	if r.trade.buys {
		cases = append(cases, testCase{name: "search without max_charge", env: unchanged, op: op(Search), before: func(e *env) { e.Index() }, check: func(t *testing.T, got Outcome) {
			// The surfaces for agents answer with the price instead of status 402.
			if got.Status != ok && got.Status != unpaid || len(got.Keys) > 0 || got.Charges > 0 {
				t.Errorf("status %d, showed %q for %d charges", got.Status, got.Keys, got.Charges)
			}
		}})
	}
	return cases
}

// offerToPay gives every search a maximum charge.
func offerToPay(cases []testCase) {
	for i := range cases {
		if op := &cases[i].op; strings.HasPrefix(op.Name, Search) {
			op.MaxCharge = new(int64(balance))
		}
	}
}

// charged checks that a successful search was charged only under a metered grant,
// whatever its maximum charge.
func charged(t *testing.T, r relation, got Outcome) {
	t.Helper()
	want := 0
	if r.trade != nil && r.trade.buys {
		want = 1
	}
	if got.Status == ok && got.Charges != want {
		t.Errorf("%d charges, want %d", got.Charges, want)
	}
}

// unique returns the unique form of a name of the matrix in this environment.
func (e *env) unique(name string) string { return fmt.Sprintf("%s@%d", name, e.number) }

// as returns an agent of this environment in a session.
func (e *env) as(agent string, taint acl.Label) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: e.unique(agent), Taint: taint}}
}

// sell offers searches of the owner's store and tops up the caller's account. Grants of
// the offer expire after ttl seconds; nil: never.
func (e *env) sell(label acl.Label, ttl *int64) {
	e.t.Helper()
	owner, platform := e.as("owner", label), e.as("platform", acl.Restricted)
	platform.Platform = true
	offer, err := e.Market().MakeOffer(context.Background(), owner, owner.Agent, meter.OfferRequest{
		Title: new("Notes"),
		Terms: meter.TermsRequest{PriceSearch: new(int64(priceSearch)), PriceEntry: new(int64(priceEntry)), GrantTTL: ttl},
	}, nil)
	for label := acl.Public; label <= acl.Restricted && err == nil; label++ {
		platform.Taint = label
		_, err = e.Market().TopUp(context.Background(), platform, e.unique("caller"), balance, "first")
	}
	if err != nil {
		e.t.Fatalf("setting up an offer: %v", err)
	}
	e.offer = offer.ID
}

// accept gives the caller a metered grant.
func (e *env) accept(label acl.Label) {
	e.t.Helper()
	if _, err := e.Market().Accept(context.Background(), e.as("caller", label), e.offer, memory.Preconditions{}, nil); err != nil {
		e.t.Fatalf("setting up a metered grant: %v", err)
	}
}

func (e *env) withdraw() {
	e.t.Helper()
	if err := e.Market().WithdrawOffer(context.Background(), e.as("owner", taint), e.offer, memory.Preconditions{}); err != nil {
		e.t.Fatalf("withdrawing an offer: %v", err)
	}
}

// offerOf returns the ID of the offer on the store under test, in the form that
// operations use.
func (e *env) offerOf(op Operation) string {
	if e.offer == uuid.Nil || op.Name != OfferSearch && op.Name != Accept {
		return ""
	}
	return e.offer.String()
}
