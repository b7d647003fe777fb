package mcp_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/acl"
	"mneme/meter/payment/paymenttest"
	"mneme/server"
	"mneme/server/mcp"
	"mneme/server/servertest"
	"mneme/server/tool"
	"mneme/test/backendtest/shoptest"
)

// openShop opens a server where bob sells searches of his store, which has one entry.
// Alice has no account.
func openShop(t *testing.T) (h *harness, s *shoptest.Shop, offer string) {
	t.Helper()
	s = shoptest.Open(t)
	offer = s.Sell(bob, map[string]string{"hut": `"The hut has water in September"`}).String()
	tools := tool.New(s.Service, tool.Options{Market: s.Market, Payments: s.Payments})
	h = &harness{t: t, tools: tools}
	h.Server = servertest.Open(t, s.Clock.Now, server.Options{
		Service: s, Surfaces: []server.Surface{mcp.NewSurface(tools, mcp.Options{}), tool.NewSurface(tools)},
	})
	h.http = httptest.NewServer(h.Server)
	t.Cleanup(h.http.Close)
	return h, s, offer
}

// asked is the structured content of the result of an unpaid call.
type asked struct {
	Version  int              `json:"x402Version"`
	Error    string           `json:"error"`
	Resource map[string]any   `json:"resource"`
	Accepts  []map[string]any `json:"accepts"`
	Price    int64            `json:"price"`
	Offer    string           `json:"offer"`
}

func askedBy(t *testing.T, r *sdk.CallToolResult) (a asked) {
	t.Helper()
	structured, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if text := textOf(t, r); !r.IsError || !sameJSON(t, r.StructuredContent, json.RawMessage(text)) {
		t.Fatalf("error %t, text %s, structured %s", r.IsError, text, structured)
	}
	if err := json.Unmarshal(structured, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// payFor returns the n-th payment for the requirements of a call, in a scheme.
func payFor(t *testing.T, a asked, scheme string, n int) map[string]any {
	t.Helper()
	for _, r := range a.Accepts {
		if r["scheme"] != scheme {
			continue
		}
		value, err := paymenttest.Sign(r, n)
		if err != nil {
			t.Fatal(err)
		}
		text, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			t.Fatal(err)
		}
		var paid map[string]any
		if err := json.Unmarshal(text, &paid); err != nil {
			t.Fatal(err)
		}
		return paid
	}
	t.Fatalf("scheme %s is not asked for", scheme)
	return nil
}

func callPaid(t *testing.T, s *sdk.ClientSession, name string, arguments, paid any) *sdk.CallToolResult {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments, Meta: sdk.Meta{"x402/payment": paid}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAPricedToolAsksForAPaymentAndTakesItOnce(t *testing.T) {
	for _, scheme := range []string{"upto", "exact"} {
		t.Run(scheme, func(t *testing.T) {
			h, shop, offer := openShop(t)
			s := h.client(alice)
			arguments := map[string]any{"query": "hut water", "offer": offer, "max_results": 2}
			a := askedBy(t, call(t, s, "memory_search", arguments))
			if a.Version != 2 || a.Error == "" || a.Resource["url"] != "mcp://tool/memory_search" || a.Price != 3000 || a.Offer != offer || len(a.Accepts) != 2 || a.Accepts[0]["amount"] != "3000" {
				t.Errorf("asked: %+v", a)
			}
			paid := payFor(t, a, scheme, 1)
			first := callPaid(t, s, "memory_search", arguments, paid)
			settled, _ := first.Meta["x402/payment-response"].(map[string]any)
			if first.IsError || !strings.Contains(textOf(t, first), "September") || !strings.Contains(textOf(t, first), `"amount":2500`) || settled["success"] != true {
				t.Fatalf("%s, settled %v", textOf(t, first), first.Meta)
			}
			again := callPaid(t, s, "memory_search", arguments, paid)
			if textOf(t, again) != textOf(t, first) || !sameJSON(t, again.Meta, must(t, first.Meta)) {
				t.Errorf("again: %s, settled %v", textOf(t, again), again.Meta)
			}
			other := callPaid(t, s, "memory_search", map[string]any{"query": "water", "offer": offer, "max_results": 2}, paid)
			if !other.IsError || strings.Contains(textOf(t, other), "September") || other.Meta["x402/payment-response"] != nil {
				t.Errorf("with another body: %s", textOf(t, other))
			}
			if got := len(shop.Facilitator.Settled()); got != 1 || shop.Balance(bob) != 2500 {
				t.Errorf("%d payments, the seller has %d", got, shop.Balance(bob))
			}
		})
	}
}

func must(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestARefusedPaymentIsRequestedAgainAndBuysNothing(t *testing.T) {
	for failure, reason := range map[paymenttest.Failure]string{
		paymenttest.RefuseVerify: "insufficient_funds", paymenttest.RefuseSettle: "settlement_failed",
	} {
		t.Run(string(failure), func(t *testing.T) {
			h, shop, offer := openShop(t)
			s := h.client(alice)
			arguments := map[string]any{"command": "search", "query": "hut water", "offer": offer}
			a := askedBy(t, call(t, s, "memory", arguments))
			shop.Facilitator.Fail(failure)
			refused := callPaid(t, s, "memory", arguments, payFor(t, a, "exact", 1))
			if b := askedBy(t, refused); b.Error != reason || len(b.Accepts) != 2 || strings.Contains(textOf(t, refused), "September") {
				t.Errorf("refused: %+v", b)
			}
			if failure == paymenttest.RefuseSettle {
				settled, _ := refused.Meta["x402/payment-response"].(map[string]any)
				if settled["success"] != false {
					t.Errorf("settled: %v", refused.Meta)
				}
			}
			shop.Facilitator.Fail(paymenttest.None)
			if r := callPaid(t, s, "memory", arguments, payFor(t, a, "exact", 2)); r.IsError || shop.Balance(bob) != 2500 {
				t.Errorf("%s, the seller has %d", textOf(t, r), shop.Balance(bob))
			}
		})
	}
}

// Refused payments of many agents from one address count towards the address.
func TestRefusedPaymentsAreCountedByAddress(t *testing.T) {
	h, shop, offer := openShop(t)
	arguments := map[string]any{"command": "search", "query": "hut water", "offer": offer}
	shop.Facilitator.Fail(paymenttest.RefuseVerify)
	const most = 30 // of an address; an offer has ten times as many
	for n := range most + 1 {
		s := h.client(acl.Principal{Agent: fmt.Sprint("buyer-", n/5), Taint: acl.Public})
		paid := payFor(t, askedBy(t, call(t, s, "memory", arguments)), "exact", n+1)
		refused := textOf(t, callPaid(t, s, "memory", arguments, paid))
		if capped := strings.Contains(refused, "refused_payments"); capped != (n == most) {
			t.Fatalf("payment %d: %s", n, refused)
		}
	}
}

func TestAPaymentThatCannotBeReadIsAnError(t *testing.T) {
	h, shop, offer := openShop(t)
	s := h.client(alice)
	for _, paid := range []any{"x", []any{}, map[string]any{}, map[string]any{"x402Version": 1}, map[string]any{"x402Version": 2, "accepted": map[string]any{}}} {
		r := callPaid(t, s, "memory_search", map[string]any{"query": "hut", "offer": offer}, paid)
		if !r.IsError || !strings.Contains(textOf(t, r), "x402/payment") {
			t.Errorf("%v: %s", paid, textOf(t, r))
		}
	}
	if len(shop.Facilitator.Settled()) != 0 {
		t.Error("something was settled")
	}
}

// A named store is paid with the call's payment, whatever the account's balance: the
// remainder of an exact payment does not pay for a repetition.
func TestAPaymentForANamedStoreLeavesTheAccountAlone(t *testing.T) {
	h, shop, offer := openShop(t)
	shop.Accept(alice, uuid.MustParse(offer))
	spender := alice
	spender.Spend = true
	s := h.client(spender)
	arguments := map[string]any{"query": "hut water", "stores": []string{"bob"}, "max_charge": 100_000}
	paid := payFor(t, askedBy(t, call(t, s, "memory_search", arguments)), "exact", 1)
	first := callPaid(t, s, "memory_search", arguments, paid)
	left := shop.Balance(alice)
	if first.IsError || left != 4500 {
		t.Fatalf("%s, %d left", textOf(t, first), left)
	}
	if again := callPaid(t, s, "memory_search", arguments, paid); textOf(t, again) != textOf(t, first) || shop.Balance(alice) != left {
		t.Errorf("again: %s, %d left", textOf(t, again), shop.Balance(alice))
	}
}

// Over HTTP, tools take payments in the same headers as REST, and their answers
// have the same headers too.
func TestToolsOverHTTPTakePaymentsInHeaders(t *testing.T) {
	h, shop, offer := openShop(t)
	body := `{"query":"hut water","offer":"` + offer + `"}`
	post := func(header ...string) answer {
		return h.post(http.MethodPost, "/v1/tools/memory_search", body, append(header, "Authorization", "Bearer "+h.Token(alice))...)
	}
	unpaid := post()
	if unpaid.status != http.StatusOK || !strings.Contains(unpaid.body, `"is_error":true`) || unpaid.header.Get("Cache-Control") != "no-store" {
		t.Errorf("unpaid: %+v", unpaid)
	}
	value, err := paymenttest.Pay(unpaid.header, "upto", 1)
	if err != nil {
		t.Fatal(err)
	}
	paid := post("Payment-Signature", value)
	if !strings.Contains(paid.body, "September") || paid.header.Get("Payment-Response") == "" || shop.Balance(bob) != 2500 {
		t.Errorf("paid: %+v", paid)
	}
	if again := post("Payment-Signature", value); again.body != paid.body || again.header.Get("Payment-Response") != paid.header.Get("Payment-Response") {
		t.Errorf("again: %+v", again)
	}
	if got := post("Payment-Signature", "x").status; got != http.StatusBadRequest {
		t.Errorf("malformed: %d", got)
	}
	if got := post("Payment-Signature", value, "X-Payment", value).status; got != http.StatusBadRequest {
		t.Errorf("two: %d", got)
	}
}
