// Package shoptest opens a service that accepts payments. It is a separate package so that
// the many test packages without sales need not compile it.
package shoptest

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/meter/payment/paymenttest"
	"mneme/search"
	"mneme/test/backendtest"
)

// Shop is a service over a fresh database, and a market that accepts x402 payments
// through an in-process facilitator.
type Shop struct {
	*backendtest.Fixture
	Market      *meter.Market
	Payments    *payment.Methods
	Facilitator *paymenttest.Facilitator
	t           testing.TB
}

// Open opens a Shop without offers. Its searches are lexical.
func Open(t testing.TB) *Shop {
	t.Helper()
	s := &Shop{Facilitator: paymenttest.New(), t: t}
	t.Cleanup(s.Facilitator.Close)
	var err error
	s.Payments, err = payment.New(payment.Options{X402: &payment.X402{
		Facilitator: s.Facilitator.URL, Schemes: []string{payment.SchemeUpto, payment.SchemeExact}, Network: "eip155:84532",
		Asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", Decimals: 6, PerCredit: "1",
		PayTo: "0x2222222222222222222222222222222222222222", Name: "USDC", Version: "2", MaxTimeout: time.Minute,
	}})
	s.must(err)
	s.must(s.Payments.Refresh(context.Background()))
	data, clock := backendtest.Embedded().Open(t), backendtest.NewClock()
	records := data.Storage(t).ForMeter()
	rules := meter.NewMeter(records, meter.MeterOptions{Now: clock.Now})
	s.Fixture = backendtest.OpenOver(t, data, backendtest.Options{Memory: memory.Options{Now: clock.Now}, Search: search.Options{Meter: rules}})
	s.Clock = clock
	s.Market = meter.NewMarket(records, s.Service, s.Searcher, meter.Options{Meter: rules, Gateway: s.Payments})
	return s
}

// Sell writes entries, by key, to the seller's store, and offers searches of it for
// 2,000 micros plus 500 per entry.
func (s *Shop) Sell(seller acl.Principal, entries map[string]string) uuid.UUID {
	s.t.Helper()
	caller := memory.Caller{Principal: seller}
	for key, value := range entries {
		_, err := s.Put(context.Background(), caller, memory.PutRequest{Path: memory.Path{Store: seller.Agent, Key: key}, Value: []byte(value)})
		s.must(err)
	}
	offer, err := s.Market.MakeOffer(context.Background(), caller, seller.Agent, meter.OfferRequest{
		Title: new("Huts"), Terms: meter.TermsRequest{PriceSearch: new(int64(2000)), PriceEntry: new(int64(500)), NoveltyPercent: new(int64)},
	}, nil)
	s.must(err)
	return offer.ID
}

// TopUp credits an agent's account.
func (s *Shop) TopUp(agent string, micros int64) {
	s.t.Helper()
	platform := acl.Principal{Agent: "ops", Taint: acl.Public, Platform: true}
	_, err := s.Market.TopUp(context.Background(), memory.Caller{Principal: platform}, agent, micros, "r")
	s.must(err)
}

// Accept accepts an offer.
func (s *Shop) Accept(buyer acl.Principal, offer uuid.UUID) {
	s.t.Helper()
	_, err := s.Market.Accept(context.Background(), memory.Caller{Principal: buyer}, offer, memory.Preconditions{}, nil)
	s.must(err)
}

// Balance returns the balance of an agent's account.
func (s *Shop) Balance(agent acl.Principal) int64 {
	s.t.Helper()
	account, err := s.Market.Account(context.Background(), memory.Caller{Principal: agent})
	s.must(err)
	return account.Balance
}

func (s *Shop) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}
