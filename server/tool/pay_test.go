package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/meter/payment/paymenttest"
	"mneme/search"
	"mneme/server"
	"mneme/server/servertest"
	"mneme/server/tool"
	"mneme/test/backendtest"
	"mneme/test/backendtest/shoptest"
)

// shop is a priced store of bob with one entry. Alice has accepted the offer and
// has a balance.
type shop struct {
	*testing.T
	tools  *tool.Tools
	market *meter.Market
	offer  string
}

const shopMoney = 1_000_000

func openShop(t *testing.T) *shop {
	t.Helper()
	ctx, rows, clock := t.Context(), backendtest.Embedded().Open(t).Storage(t), backendtest.NewClock()
	rules := meter.NewMeter(rows.ForMeter(), meter.MeterOptions{Now: clock.Now})
	service, err := memory.New(ctx, rows, memory.Options{Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	searcher := search.New(rows, service, search.Options{Meter: rules})
	market := meter.NewMarket(rows.ForMeter(), service, searcher, meter.Options{Meter: rules})
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
	return &shop{T: t, tools: tool.New(service, tool.Options{Market: market}), market: market, offer: offer.ID.String()}
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
		{"query", "hut water", "offer", s.offer},
		{"query", "hut water", "offer", s.offer, "max_charge", 1_000_000},
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

func TestAToolBuysThroughAnOfferThatItNames(t *testing.T) {
	s := openShop(t)
	spender, carol := alice, acl.Principal{Agent: "carol", Taint: acl.Public}
	spender.Spend = true
	if r := s.call(spender, "memory_search", "query", "hut water", "offer", s.offer); !r.IsError || !strings.Contains(r.Text, "max_charge") || s.spent() != 0 {
		t.Errorf("without max_charge: %s, spent %d", r.Text, s.spent())
	}
	if r := s.call(carol, "memory_search", "query", "hut water", "offer", s.offer, "max_charge", 5000); !r.IsError || !strings.Contains(r.Text, `"price":7000`) {
		t.Errorf("without a grant: %s", r.Text)
	}
	r := s.call(spender, "memory_search", "query", "hut water", "offer", s.offer, "max_charge", 5000)
	if r.IsError || !strings.Contains(r.Text, "September") || s.spent() != 2500 {
		t.Errorf("%s, spent %d", r.Text, s.spent())
	}
	r = s.call(spender, "memory", "command", "search", "query", "hut water", "offer", s.offer, "max_charge", 5000)
	if r.IsError || !strings.Contains(r.Text, "September") || s.spent() != 4500 {
		t.Errorf("%s, spent %d", r.Text, s.spent())
	}
	for _, wrong := range [][]any{
		{"offer", "x"}, {"offer", ""}, {"offer", "00000000-0000-0000-0000-000000000000"}, {"offer", "01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a77"},
		{"stores", []string{"bob"}}, {"passages", false}, {"max_tokens", 1},
		{"mode", "lexical"}, {"cursor", ""}, {"recency", map[string]any{"half_life": "1d"}}, {"explain", true}, {"where", map[string]any{"key": "hut"}}, {"timezone", "UTC"},
		{"diversity", 0.5}, {"ranking", "rrf"}, {"match", map[string]any{"all": []string{"hut"}}},
	} {
		pairs := append([]any{"query", "hut water", "offer", s.offer, "max_charge", 5000}, wrong...)
		if r := s.call(spender, "memory_search", pairs...); !r.IsError || s.spent() != 4500 {
			t.Errorf("%v: %s, spent %d", wrong, r.Text, s.spent())
		}
	}
}

// Every charged hit is in the answer, however short the answers are.
func TestChargedHitsAreShown(t *testing.T) {
	key := func(i int) string { return fmt.Sprintf("%02d", i) + strings.Repeat(`"`, memory.MaxKey-2) }
	for name, value := range map[string]string{
		"long":              strings.Repeat("hut water ", 9_999),
		"escaped":           "hut water " + strings.Repeat("\\u0001", 900),
		"escaped and long":  "hut water " + strings.Repeat("\\u0001", 16_000),
		"separators":        "hut water " + strings.Repeat("\\u2028", 300),
		"quoted separators": strings.Repeat("hut \\u2028", 4_000),
	} {
		s := shoptest.Open(t)
		entries := make(map[string]string)
		for i := range 10 {
			entries[key(i)] = fmt.Sprintf(`"%d %s"`, i, value)
		}
		offer := s.Sell(bob, entries)
		for most, buyer := range map[int]string{tool.MinAnswer: "alice", tool.DefaultAnswer: "carol"} {
			spender := acl.Principal{Agent: buyer, Taint: acl.Public}
			s.Accept(spender, offer)
			s.TopUp(buyer, shopMoney)
			spender.Spend = true
			t.Run(fmt.Sprintf("%s in %d", name, most), func(t *testing.T) {
				tools := tool.New(s.Service, tool.Options{Market: s.Market, MaxAnswer: most})
				for _, named := range [][]any{{"offer", offer.String()}, {"stores", []string{"bob", buyer}}} {
					before := s.Balance(spender)
					r, err := tools.Call(t.Context(), spender, "memory_search", input(append(named, "query", "hut water", "max_charge", 100_000, "max_tokens", 1_000_000, "max_results", 100, "min_relevance", 0)...))
					if err != nil {
						t.Fatal(err)
					}
					var got struct {
						Results []struct{ Content string }
						LeftOut int `json:"left_out"`
						Charges []struct{ Amount int64 }
					}
					if err := json.Unmarshal([]byte(r.Text), &got); err != nil || len(r.Text) > most || len(got.Charges) != 1 {
						t.Fatalf("%d bytes, charges %v, error %v: %.300s", len(r.Text), got.Charges, err, r.Text)
					}
					if named[0] == "stores" { // they were bought
						if len(got.Results) == 0 || got.LeftOut > 0 {
							t.Errorf("again %d results, %d left out", len(got.Results), got.LeftOut)
						}
						continue
					}
					want := 10
					if most == tool.MinAnswer {
						want = 2
					}
					if len(got.Results) != want || got.LeftOut != 0 || before-s.Balance(spender) != int64(2000+500*want) {
						t.Errorf("%d results, %d left out, paid %d", len(got.Results), got.LeftOut, before-s.Balance(spender))
					}
				}
			})
		}
	}
}

// Hits of the caller's own store take no room from charged hits.
func TestOwnHitsLeaveRoomForChargedOnes(t *testing.T) {
	s := shoptest.Open(t)
	offer := s.Sell(bob, map[string]string{"hut": `"hut water ` + strings.Repeat("\\u0001", 16_000) + `"`})
	s.Accept(alice, offer)
	s.TopUp("alice", shopMoney)
	var tags []string
	for i := range 32 {
		tags = append(tags, fmt.Sprintf("%02d", i)+strings.Repeat(`"`, 62))
	}
	_, err := s.Put(t.Context(), memory.Caller{Principal: alice}, memory.PutRequest{
		Path: memory.Path{Store: "alice", Key: strings.Repeat(`"`, memory.MaxKey)}, Value: json.RawMessage(`"hut water hut water ` + strings.Repeat("\\u0001", 16_000) + `"`), Tags: &tags,
	})
	if err != nil {
		t.Fatal(err)
	}
	spender := alice
	spender.Spend = true
	tools := tool.New(s.Service, tool.Options{Market: s.Market, MaxAnswer: tool.MinAnswer})
	r, err := tools.Call(t.Context(), spender, "memory_search", input("query", "hut water", "stores", []string{"alice", "bob"}, "max_charge", 100_000))
	if err != nil {
		t.Fatal(err)
	}
	charged, shown := strings.Contains(r.Text, `"amount":2500`), strings.Contains(r.Text, `"key":"hut"`)
	if !charged || !shown || len(r.Text) > tool.MinAnswer {
		t.Errorf("charged %t, shown %t, %d bytes: %.500s", charged, shown, len(r.Text), r.Text)
	}
}

// A buyer searches: bought entries are in no view, no index, and no other
// answer.
func TestABuyerReachesNothingByOtherTools(t *testing.T) {
	s := openShop(t)
	spender := alice
	spender.Spend, spender.Share = true, true
	if r := s.call(spender, "memory_search", "query", "hut water", "stores", []string{"bob"}, "max_charge", 5000); r.IsError {
		t.Fatal(r.Text)
	}
	for _, path := range []string{"/memories", "/memories/", "/memories/MEMORY.md", "/memories/shared", "/memories/shared/bob", "/memories/shared/bob/", "/memories/shared/bob/hut", "/memories/shared/bob/MEMORY.md"} {
		if r := s.call(spender, "memory", "command", "view", "path", path); strings.Contains(r.Text, "September") || strings.Contains(r.Text, "shared/bob/h") {
			t.Errorf("view of %s: %s", path, r.Text)
		}
	}
	if index, err := s.tools.Index(s.Context(), spender, "bob"); !errors.Is(err, acl.ErrDenied) || index != "" {
		t.Errorf("index %q, error %v", index, err)
	}
	for _, pairs := range [][]any{
		{"command", "create", "path", "/memories/shared/bob/new", "content", "x"},
		{"command", "delete", "path", "/memories/shared/bob/hut"},
		{"command", "rename", "old_path", "/memories/shared/bob/hut", "new_path", "/memories/shared/bob/cabin"},
		{"command", "share", "path", "/memories/shared/bob/", "agent", "carol", "level", "search"},
		{"command", "search", "store", "bob", "query", "hut", "max_charge", 5000, "explain", true},
		{"command", "search", "store", "bob", "query", "hut", "max_charge", 5000, "match", map[string]any{"all": []string{"hut"}}},
	} {
		if r := s.call(spender, "memory", pairs...); !r.IsError || strings.Contains(r.Text, "September") {
			t.Errorf("%v: %s", pairs, r.Text)
		}
	}
	for _, name := range []string{"memory_get", "memory_list"} {
		pairs := []any{"key", "hut"}
		if name == "memory_list" {
			pairs = nil
		}
		if r := s.call(spender, name, pairs...); strings.Contains(r.Text, "September") || strings.Contains(r.Text, `"hut"`) && name == "memory_list" {
			t.Errorf("%s: %s", name, r.Text)
		}
	}
	if s.spent() != 2500 {
		t.Errorf("spent %d", s.spent())
	}
}

func TestAPaymentThatIsSentTwiceShowsTheSame(t *testing.T) {
	s := shoptest.Open(t)
	filler := strings.Repeat("The committee discussed the budget at length. ", 30)
	offer := s.Sell(bob, map[string]string{"hut": `"` + filler + `The hut has water in September. ` + filler + `"`})
	tools := tool.New(s.Service, tool.Options{Market: s.Market, Payments: s.Payments})
	pay := func(paid *meter.Payment) tool.Result {
		t.Helper()
		r, err := tools.Pay(t.Context(), alice, "memory_search", input("query", "hut water", "offer", offer.String()), paid)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	value, err := paymenttest.Pay(pay(nil).Payment, payment.SchemeExact, 1)
	if err != nil {
		t.Fatal(err)
	}
	paid, err := payment.Read(http.Header{"Payment-Signature": {value}}, meter.Resource{})
	if err != nil {
		t.Fatal(err)
	}
	first := pay(paid)
	if first.IsError || !strings.Contains(first.Text, "September") || strings.Contains(first.Text, filler) {
		t.Fatalf("shows %s", first.Text)
	}
	again := pay(paid)
	if again.IsError || again.Text != first.Text || string(again.Settlement) != string(first.Settlement) {
		t.Errorf("shows %s, then %s", first.Text, again.Text)
	}
	if n := len(s.Facilitator.Settled()); n != 1 {
		t.Errorf("%d settlements", n)
	}
}

// An Idempotency-Key is charged once, as in other calls over HTTP.
func TestAKeyedCallIsChargedOnce(t *testing.T) {
	s := shoptest.Open(t)
	offer := s.Sell(bob, map[string]string{"hut": `"The hut has water in September"`})
	s.Accept(alice, offer)
	s.TopUp("alice", shopMoney)
	spender := alice
	spender.Spend = true
	tools := tool.New(s.Service, tool.Options{Market: s.Market})
	w := &web{&harness{t: t}, servertest.Open(t, s.Clock.Now, server.Options{Service: s, Surfaces: []server.Surface{tool.NewSurface(tools)}})}
	call := func(status int, name, body string, header ...string) string {
		t.Helper()
		a := w.call(spender, http.MethodPost, "/v1/tools/"+name, body, header...)
		if a.Code != status {
			t.Errorf("%s %s %v: status %d, want %d: %s", name, body, header, a.Code, status, a.Body)
		}
		return a.Body.String()
	}
	const question = `{"query":"hut water","stores":["bob"],"max_charge":5000}`
	const command = `{"command":"search","query":"hut water","store":"bob","max_charge":5000}`
	for _, c := range []struct{ name, body, other string }{
		{"memory_search", question, `{"query":"hut","stores":["bob"],"max_charge":5000}`}, {"memory", command, `{"command":"search","query":"hut","store":"bob","max_charge":5000}`},
	} {
		before := s.Balance(alice)
		first := call(200, c.name, c.body, "Idempotency-Key", "k")
		once := s.Balance(alice)
		if !strings.Contains(first, "September") || once == before {
			t.Errorf("%s: %s, paid %d", c.name, first, before-once)
		}
		if again := call(200, c.name, c.body, "Idempotency-Key", "k"); again != first {
			t.Errorf("%s: %s, then %s", c.name, first, again)
		}
		call(422, c.name, c.other, "Idempotency-Key", "k")
		if s.Balance(alice) != once {
			t.Errorf("%s: paid %d more", c.name, once-s.Balance(alice))
		}
		call(200, c.name, c.body, "Idempotency-Key", "another")
		if s.Balance(alice) == once {
			t.Errorf("%s: another key is not charged", c.name)
		}
	}
	usage, err := s.Market.Usage(t.Context(), memory.Caller{Principal: spender}, 100, "")
	if err != nil || len(usage.Items) != 4 {
		t.Errorf("%d charges, error %v", len(usage.Items), err)
	}
	for _, refused := range [][]string{{"Idempotency-Key", ""}, {"Idempotency-Key", "a b"}, {"Idempotency-Key", strings.Repeat("k", 256)}, {"Idempotency-Key", "a", "Idempotency-Key", "b"}} {
		call(400, "memory_search", question, refused...)
	}
	// Writes are not recorded under the key.
	for name, body := range map[string]string{
		"memory_save": `{"key":"a","content":"b"}`, "memory": `{"command":"create","path":"/memories/a","content":"b"}`,
		"UpdateUserMemory": `{"action":"upsert","name":"a","type":"user","description":"b","body":"c"}`,
	} {
		if text := call(400, name, body, "Idempotency-Key", "w"); !strings.Contains(text, `"field":"Idempotency-Key"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	for name, body := range map[string]string{"memory_get": `{"key":"a"}`, "memory": `{"command":"view","path":"/memories"}`} {
		call(200, name, body, "Idempotency-Key", "r")
	}
	if text := call(200, "memory_get", `{"key":"a"}`); !strings.Contains(text, `\"found\":false`) {
		t.Errorf("a refused call wrote: %s", text)
	}
}
