package robutler_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/meter/payment/paymenttest"
	"mneme/server"
	"mneme/server/checkout"
	"mneme/server/robutler"
	"mneme/server/servertest"
	"mneme/test/backendtest/shoptest"
)

const (
	hutSearch = root + "?action=search&q=hut+water&store=alice"
	money     = 100_000
)

// openShop opens a server where alice sells searches of her store, which has one entry.
// Bob has accepted the offer.
func openShop(t *testing.T) (*harness, *shoptest.Shop, uuid.UUID) {
	t.Helper()
	shop := shoptest.Open(t)
	offer := shop.Sell(alice, map[string]string{"hut": `"The hut has water in September"`})
	shop.Accept(bob, offer)
	metrics := server.NewMetrics()
	s := servertest.Open(t, shop.Clock.Now, server.Options{
		Service: shop, Metrics: metrics,
		Surfaces: []server.Surface{robutler.New(shop.Service, shop.Market, checkout.Desk{Methods: shop.Payments}, metrics, 0)},
	})
	return &harness{Server: s, t: t, service: shop.Service, clock: shop.Clock, index: shop.Index}, shop, offer
}

func TestASearchPaysFromTheAccountWithMaxChargeAndScopeSpendAlone(t *testing.T) {
	h, shop, _ := openShop(t)
	shop.TopUp("bob", money)
	spender := bob
	spender.Spend = true
	for _, c := range []struct {
		target string
		p      acl.Principal
		lacks  string
	}{
		{hutSearch + "&max_charge=5000", bob, "scope spend"},
		{hutSearch, spender, "max_charge"},
		{hutSearch + "&max_charge=1999", spender, "max_charge"},
	} {
		a := h.want(402, c.p, "GET", c.target, "")
		if strings.Contains(a.body, "September") || !strings.Contains(a.body, c.lacks) || shop.Balance(bob) != money {
			t.Errorf("%s: %s, %d left", c.target, a.body, shop.Balance(bob))
		}
	}
	if a := h.want(200, spender, "GET", root+"?action=search&q=hut+water&max_charge=5000", ""); strings.Contains(a.body, "September") {
		t.Errorf("unnamed: %s", a.body)
	}
	for _, most := range []string{"-1", "x", "1.5", "1000000000001"} {
		h.want(422, spender, "GET", hutSearch+"&max_charge="+most, "")
	}
	a := h.want(200, spender, "GET", hutSearch+"&max_charge=5000", "")
	charges, _ := a.json(t)["charges"].([]any)
	if !strings.Contains(a.body, "September") || len(charges) != 1 || charges[0].(map[string]any)["amount"] != 2500.0 || shop.Balance(bob) != money-2500 {
		t.Errorf("%s, %d left", a.body, shop.Balance(bob))
	}
}

// An Idempotency-Key is charged once, as in other calls over HTTP.
func TestAKeyedSearchIsChargedOnce(t *testing.T) {
	h, shop, _ := openShop(t)
	shop.TopUp("bob", money)
	spender := bob
	spender.Spend = true
	const target = hutSearch + "&max_charge=5000"
	first := h.want(200, spender, "GET", target, "", "Idempotency-Key", "k")
	again := h.want(200, spender, "GET", target, "", "Idempotency-Key", "k")
	if !strings.Contains(first.body, "September") || again.body != first.body || shop.Balance(bob) != money-2500 {
		t.Errorf("%s, then %s, %d left", first.body, again.body, shop.Balance(bob))
	}
	h.want(422, spender, "GET", root+"?action=search&q=hut&store=alice&max_charge=5000", "", "Idempotency-Key", "k")
	for _, bad := range []string{"a b", strings.Repeat("k", 256)} {
		h.want(400, spender, "GET", target, "", "Idempotency-Key", bad)
	}
	if shop.Balance(bob) != money-2500 {
		t.Errorf("refused: %d left", shop.Balance(bob))
	}
	h.want(200, spender, "GET", target, "", "Idempotency-Key", "another")
	if shop.Balance(bob) == money-2500 {
		t.Error("another key is not charged")
	}
}

func TestAPricedStoreIs402WithTheRequirementsOfREST(t *testing.T) {
	h, _, offer := openShop(t)
	a := h.want(402, bob, "GET", hutSearch, "")
	got := a.json(t)
	accepts, _ := got["accepts"].([]any)
	if got["type"] != "urn:mneme:problem:payment-required" || got["price"] != 7000.0 || got["balance"] != 0.0 || got["offer"] != offer.String() ||
		got["x402Version"] != 1.0 || len(accepts) != 2 || accepts[0].(map[string]any)["resource"] != "http://example.com"+root ||
		a.header.Get("Payment-Required") == "" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v %s", a.header, a.body)
	}
}

func TestASearchTakesAPaymentOnce(t *testing.T) {
	h, shop, _ := openShop(t)
	shop.TopUp("bob", money)
	asked := h.want(402, bob, "GET", hutSearch, "")
	value, err := paymenttest.Pay(asked.header, "exact", 1)
	if err != nil {
		t.Fatal(err)
	}
	spender := bob
	spender.Spend = true
	target := hutSearch + "&max_charge=5000"
	first := h.want(200, spender, "GET", target, "", "Payment-Signature", value)
	if !strings.Contains(first.body, "September") || first.header.Get("Payment-Response") == "" || first.header.Get("Cache-Control") != "private" || shop.Balance(bob) != money+4500 {
		t.Errorf("%v %s, %d left", first.header, first.body, shop.Balance(bob))
	}
	again := h.want(200, spender, "GET", target, "", "Payment-Signature", value)
	if again.body != first.body || again.header.Get("Payment-Response") != first.header.Get("Payment-Response") {
		t.Errorf("again: %s", again.body)
	}
	h.want(409, spender, "GET", target+"&chatId=c", "", "Payment-Signature", value)
	h.want(400, spender, "GET", target, "", "Payment-Signature", "x")
	h.want(400, spender, "GET", target, "", "Payment-Signature", value, "X-Payment", value)
	if len(shop.Facilitator.Settled()) != 1 || shop.Balance(bob) != money+4500 {
		t.Errorf("%d payments, %d left", len(shop.Facilitator.Settled()), shop.Balance(bob))
	}
	shop.Facilitator.Fail(paymenttest.RefuseVerify)
	if value, err = paymenttest.Pay(asked.header, "upto", 2); err != nil {
		t.Fatal(err)
	}
	h.want(402, bob, "GET", hutSearch, "", "Payment-Signature", value)
	if shop.Balance(alice) != 2500 {
		t.Errorf("the seller has %d", shop.Balance(alice))
	}
}

func TestASearchTakesAPaymentOfVersion1(t *testing.T) {
	h, shop, _ := openShop(t)
	asked := h.want(402, bob, "GET", hutSearch, "").json(t)["accepts"].([]any)
	for _, one := range asked {
		r := one.(map[string]any)
		if r["scheme"] != "exact" {
			continue
		}
		text, err := json.Marshal(map[string]any{"x402Version": 1, "scheme": "exact", "network": r["network"], "payload": map[string]any{
			"signature": "0x00", "authorization": map[string]any{
				"from": paymenttest.Payer, "to": r["payTo"], "value": r["maxAmountRequired"], "nonce": "0x" + strings.Repeat("01", 32),
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
		a := h.want(200, bob, "GET", hutSearch, "", "X-Payment", base64.StdEncoding.EncodeToString(text))
		if !strings.Contains(a.body, "September") || a.header.Get("X-Payment-Response") == "" || shop.Balance(alice) != 2500 {
			t.Errorf("%v %s", a.header, a.body)
		}
		return
	}
	t.Errorf("asked for %v", asked)
}
