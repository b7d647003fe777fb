package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/backend/backendtest"
	"mneme/memory"
	"mneme/meter"
	"mneme/server/tool"
)

// shop is a priced store of bob's with one entry, on which alice has accepted the
// offer and for which she has money.
type shop struct {
	*testing.T
	tools  *tool.Tools
	market *meter.Market
}

const shopMoney = 1_000_000

func openShop(t *testing.T) *shop {
	t.Helper()
	ctx, rows, clock := t.Context(), backendtest.Embedded().Open(t).Storage(t), backendtest.NewClock()
	rules := meter.NewMeter(rows.ForMeter(), meter.MeterOptions{Now: clock.Now})
	service, err := memory.New(ctx, rows, memory.Options{Meter: rules, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	market := meter.NewMarket(rows.ForMeter(), service, meter.Options{Meter: rules})
	bob := memory.Caller{Principal: acl.Principal{Agent: "bob", Taint: acl.Public}}
	if _, err := service.Put(ctx, bob, memory.PutRequest{Path: memory.Path{Store: "bob", Key: "hut"}, Value: json.RawMessage(`"The hut has water in September"`)}); err != nil {
		t.Fatal(err)
	}
	offer, err := market.MakeOffer(ctx, bob, "bob", meter.OfferRequest{
		Title: new("Huts"), Terms: meter.TermsRequest{PriceSearch: new(int64(2000)), PriceEntry: new(int64(500))},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := market.Accept(ctx, memory.Caller{Principal: alice}, offer.ID, memory.Preconditions{}, nil); err != nil {
		t.Fatal(err)
	}
	platform := memory.Caller{Principal: acl.Principal{Agent: "ops", Taint: acl.Public, Platform: true}}
	if _, err := market.TopUp(ctx, platform, "alice", shopMoney, "r"); err != nil {
		t.Fatal(err)
	}
	return &shop{T: t, tools: tool.New(service, tool.Options{Market: market}), market: market}
}

func (s *shop) call(p acl.Principal, name string, pairs ...any) tool.Result {
	s.Helper()
	r, err := s.tools.Call(context.Background(), p, name, input(pairs...))
	if err != nil {
		s.Fatal(err)
	}
	return r
}

func (s *shop) spent() int64 {
	s.Helper()
	account, err := s.market.Account(context.Background(), memory.Caller{Principal: alice})
	if err != nil {
		s.Fatal(err)
	}
	return shopMoney - account.Balance
}

// Whatever an injected prompt makes a model say, a token without the scope spend
// pays nothing.
func TestAToolWithoutScopeSpendNeverCharges(t *testing.T) {
	s := openShop(t)
	for _, pairs := range [][]any{
		{"query", "hut water"},
		{"query", "hut water", "max_charge", 1_000_000},
		{"query", "hut water", "stores", []string{"bob"}},
		{"query", "hut water", "stores", []string{"bob"}, "max_charge", 1_000_000},
		{"query", "hut water", "stores", []string{"bob", "alice"}, "max_charge", 1_000_000},
		{"query", "hut water", "stores", []string{"bob"}, "max_charge", 0},
	} {
		for _, name := range []string{"memory_search", "memory"} {
			given := pairs
			if name == "memory" {
				given = append([]any{"command", "search"}, pairs...)
				for i := range given {
					if given[i] == "stores" {
						given[i], given[i+1] = "store", "bob"
					}
				}
			}
			r := s.call(alice, name, given...)
			if strings.Contains(r.Text, "September") || s.spent() != 0 {
				t.Errorf("%s %v: %s, spent %d", name, given, r.Text, s.spent())
			}
		}
	}
}

func TestAPricedStoreIsAnsweredWithItsPrice(t *testing.T) {
	s := openShop(t)
	spender := alice
	spender.Spend = true
	for name, p := range map[string]acl.Principal{"without spend": alice, "without max_charge": spender} {
		r := s.call(p, "memory_search", "query", "hut water", "stores", []string{"bob"})
		var got struct {
			Price, Balance int64
			Offer, Error   string
		}
		if err := json.Unmarshal([]byte(r.Text), &got); err != nil || !r.IsError || !r.Structured || got.Price < 2500 || got.Balance != shopMoney || got.Offer == "" || got.Error == "" {
			t.Errorf("%s: %+v, error %v", name, r, err)
		}
	}
	if s.spent() != 0 {
		t.Errorf("spent %d", s.spent())
	}
}

func TestAToolPaysWhereTheCallNamesTheStoreAndItsPrice(t *testing.T) {
	s := openShop(t)
	spender := alice
	spender.Spend = true
	if r := s.call(spender, "memory_search", "query", "hut water", "max_charge", 5000); strings.Contains(r.Text, "September") || s.spent() != 0 {
		t.Errorf("unnamed: %s, spent %d", r.Text, s.spent())
	}
	r := s.call(spender, "memory_search", "query", "hut water", "stores", []string{"bob"}, "max_charge", 5000)
	if r.IsError || !strings.Contains(r.Text, "September") || !strings.Contains(r.Text, `"amount":2500`) || s.spent() != 2500 {
		t.Errorf("%s, spent %d", r.Text, s.spent())
	}
	r = s.call(spender, "memory", "command", "search", "query", "hut water", "store", "bob", "max_charge", 5000)
	if r.IsError || !strings.Contains(r.Text, "September") || s.spent() != 4500 { // the entry was bought
		t.Errorf("%s, spent %d", r.Text, s.spent())
	}
	for _, wrong := range [][]any{{"max_charge", -1}, {"max_charge", 2_000_000_000_000}, {"max_charge", 5000, "passages", false}} {
		if r := s.call(spender, "memory_search", append([]any{"query", "hut", "stores", []string{"bob"}}, wrong...)...); !r.IsError || s.spent() != 4500 {
			t.Errorf("%v: %s", wrong, r.Text)
		}
	}
}
