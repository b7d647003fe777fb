package rest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"mneme/memory"
	"mneme/meter/payment"
	"mneme/meter/payment/paymenttest"
)

// till settles the payments of a harness.
type till struct {
	*paymenttest.Facilitator
	platform *paymenttest.Platform
}

// openTill opens a harness that accepts payments by every method.
func openTill(t *testing.T) (*harness, till) {
	t.Helper()
	f := till{paymenttest.New(), paymenttest.NewPlatform()}
	t.Cleanup(f.Close)
	t.Cleanup(f.platform.Close)
	methods, err := payment.New(payment.Options{
		X402: &payment.X402{
			Facilitator: f.URL, Schemes: []string{payment.SchemeUpto, payment.SchemeExact}, Network: "eip155:84532",
			Asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", Decimals: 6, PerCredit: "1",
			PayTo: "0x2222222222222222222222222222222222222222", Name: "USDC", Version: "2", MaxTimeout: time.Minute,
		},
		Credits: &payment.Credits{Platform: f.platform.URL},
		MPP: &payment.MPP{Realm: "memory.example", Stripe: &payment.Stripe{
			URL: f.platform.URL, Key: "key", Profile: "profile_1", Currency: "usd", PerCredit: "1",
		}},
		Secret: []byte(strings.Repeat("s", 32)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := methods.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	return openPaying(t, memory.Limits{}, methods), f
}

const hutQuestion = `{"query":"which hut has water"}`

// sign returns a payment for a 402 by a scheme of x402 version 2.
func sign(t *testing.T, asked answer, scheme string, n int) string {
	t.Helper()
	value, err := paymenttest.Pay(asked.header, scheme, n)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// challenges are the MPP challenges in a 402, by method.
func challenges(asked answer) map[string]map[string]any {
	all := make(map[string]map[string]any)
	for _, header := range asked.header.Values("Www-Authenticate") {
		c := make(map[string]any)
		for _, found := range regexp.MustCompile(`([a-z]+)="([^"]*)"`).FindAllStringSubmatch(header, -1) {
			c[found[1]] = found[2]
		}
		if method, ok := c["method"].(string); ok {
			all[method] = c
		}
	}
	return all
}

func credential(t *testing.T, challenge, payload map[string]any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"challenge": challenge, "payload": payload})
	if err != nil {
		t.Fatal(err)
	}
	return "Payment " + base64.RawURLEncoding.EncodeToString(text)
}

func TestA402SaysHowToPay(t *testing.T) {
	h, _ := openTill(t)
	offer, _ := h.sell(hutOffer)
	asked := h.want(402, bob, "POST", offer+"/search", hutQuestion)
	if asked.header.Get("Cache-Control") != "no-store" || asked.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("headers: %v", asked.header)
	}
	text, err := base64.StdEncoding.DecodeString(asked.header.Get("Payment-Required"))
	if err != nil {
		t.Fatal(err)
	}
	var v2 struct {
		Version  int `json:"x402Version"`
		Resource struct{ URL string }
		Accepts  []struct{ Scheme, Amount string }
	}
	if err := json.Unmarshal(text, &v2); err != nil || v2.Version != 2 || len(v2.Accepts) != 3 || v2.Resource.URL != "https://memory.example"+offer+"/search" {
		t.Errorf("version 2: %s, %v", text, err)
	}
	body := asked.json(t)
	if body["x402Version"] != 1.0 || len(asked.items(t, "accepts")) != 3 || body["error"] == "" || body["price"] != 7000.0 {
		t.Errorf("version 1: %s", asked.body)
	}
	if found := challenges(asked); found["stripe"] == nil || found["robutler"] == nil || found["stripe"]["header"] != "Payment-Authorization" {
		t.Errorf("challenges: %v", found)
	}
}

func TestAPaymentBuysASearch(t *testing.T) {
	h, f := openTill(t)
	offer, _ := h.sell(hutOffer)
	asked := h.want(402, bob, "POST", offer+"/search", hutQuestion)

	// Version 1 has its requirements in the body, and its payment in another header.
	var v1 map[string]any
	for _, r := range asked.items(t, "accepts") {
		if r["scheme"] == "exact" {
			v1 = r
		}
	}
	text, _ := json.Marshal(map[string]any{
		"x402Version": 1, "scheme": "exact", "network": v1["network"], "payload": map[string]any{"signature": "0x00", "authorization": map[string]any{
			"from": paymenttest.Payer, "to": v1["payTo"], "value": v1["maxAmountRequired"], "nonce": "0x" + strings.Repeat("1", 64),
		}},
	})
	paid := h.want(200, bob, "POST", offer+"/search", hutQuestion, "X-PAYMENT", base64.StdEncoding.EncodeToString(text))
	if paid.header.Get("X-Payment-Response") == "" || paid.header.Get("Payment-Response") != "" || len(paid.items(t, "charges")) != 1 {
		t.Errorf("version 1: %v %s", paid.header, paid.body)
	}

	paid = h.want(200, bob, "POST", offer+"/search", hutQuestion, "PAYMENT-SIGNATURE", sign(t, asked, "upto", 2))
	if paid.header.Get("Payment-Response") == "" || !strings.Contains(paid.header.Get("Cache-Control"), "private") {
		t.Errorf("version 2: %v", paid.header)
	}
	if len(f.Settled()) != 2 {
		t.Errorf("%d settlements", len(f.Settled()))
	}

	// A payment credential occupies Authorization, so the API key is in another header.
	c := challenges(asked)
	r := httptest.NewRequest(http.MethodPost, offer+"/search", strings.NewReader(hutQuestion))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", h.Token(bob))
	r.Header.Set("Authorization", credential(t, c["stripe"], map[string]any{"spt": "spt_1"}))
	if paid = h.send(r); paid.status != 200 || paid.header.Get("Payment-Receipt") == "" {
		t.Errorf("with X-API-Key: %d %v %s", paid.status, paid.header, paid.body)
	}
	paid = h.want(200, bob, "POST", offer+"/search", hutQuestion, "Payment-Authorization", credential(t, c["robutler"], map[string]any{"token": "a.b.c"}))
	if paid.header.Get("Payment-Receipt") == "" {
		t.Errorf("with a bearer token: %v", paid.header)
	}
	if len(f.platform.Charged()) != 2 {
		t.Errorf("the platform charged %v", f.platform.Charged())
	}
}

func TestPaymentsThatCannotBeReadAre400(t *testing.T) {
	h, f := openTill(t)
	offer, _ := h.sell(hutOffer)
	asked := h.want(402, bob, "POST", offer+"/search", hutQuestion)
	good := sign(t, asked, "exact", 1)
	mpp := credential(t, challenges(asked)["robutler"], map[string]any{"token": "a.b.c"})
	for name, header := range map[string][]string{
		"two payments":       {"PAYMENT-SIGNATURE", good, "Payment-Authorization", mpp},
		"two of one header":  {"PAYMENT-SIGNATURE", good, "PAYMENT-SIGNATURE", good},
		"no base64":          {"PAYMENT-SIGNATURE", "{"},
		"another version":    {"X-PAYMENT", good},
		"no credential":      {"Payment-Authorization", "Bearer x"},
		"an empty signature": {"PAYMENT-SIGNATURE", ""},
	} {
		if a := h.call(bob, "POST", offer+"/search", hutQuestion, header...); a.status != 400 || strings.Contains(a.body, good) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if len(f.Settled())+len(f.platform.Charged()) != 0 {
		t.Error("something was settled")
	}
}

func TestARefusedSettlementIs402WithItsReason(t *testing.T) {
	h, f := openTill(t)
	offer, _ := h.sell(hutOffer)
	asked := h.want(402, bob, "POST", offer+"/search", hutQuestion)
	f.Fail(paymenttest.RefuseSettle)
	refused := h.want(402, bob, "POST", offer+"/search", hutQuestion, "PAYMENT-SIGNATURE", sign(t, asked, "exact", 1))
	text, err := base64.StdEncoding.DecodeString(refused.header.Get("Payment-Response"))
	if err != nil || !strings.Contains(string(text), `"success":false`) || !strings.Contains(string(text), "insufficient_funds") {
		t.Errorf("the settlement is %s, %v", text, err)
	}
	if refused.header.Get("Cache-Control") != "no-store" || refused.header.Get("Payment-Required") == "" || strings.Contains(refused.body, "hits") {
		t.Errorf("refused: %v %s", refused.header, refused.body)
	}
	if used := h.want(200, bob, "GET", "/v1/usage", "").items(t, "items"); len(used) != 0 {
		t.Errorf("usage: %v", used)
	}
}
