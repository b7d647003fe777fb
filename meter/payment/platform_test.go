package payment

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mneme/meter"
	"mneme/meter/payment/paymenttest"
)

// platformMethods returns methods that accept credits, by x402 and by MPP, and shared payment
// tokens.
func platformMethods(t *testing.T) (*Methods, *paymenttest.Platform) {
	t.Helper()
	p := paymenttest.NewPlatform()
	t.Cleanup(p.Close)
	m, err := New(Options{
		Credits: &Credits{Platform: p.URL, Token: "secret-of-ours"},
		MPP: &MPP{Realm: "memory.example", Stripe: &Stripe{
			URL: p.URL, Key: "secret-of-ours", Profile: "profile_1", Currency: "usd", PerCredit: "1",
		}},
		Secret: []byte(strings.Repeat("s", 32)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, p
}

var challengeParameter = regexp.MustCompile(`([a-z]+)="([^"]*)"`)

// platformPayments returns a payment of 20,000 micros by each method that a platform settles.
func platformPayments(t *testing.T, m *Methods) map[string]*meter.Payment {
	t.Helper()
	asked := http.Header{}
	m.Ask(asked, testCall, 20_000, nil)
	text, err := base64.StdEncoding.DecodeString(asked.Get("Payment-Required"))
	if err != nil {
		t.Fatal(err)
	}
	var v2 struct{ Accepts []map[string]any }
	if err := json.Unmarshal(text, &v2); err != nil || len(v2.Accepts) != 1 {
		t.Fatalf("asks for %s, %v", text, err)
	}
	token := map[string]any{"token": "a.b.c"}
	headers := map[string]http.Header{
		"x402": {"Payment-Signature": {base64JSON(t, base64.StdEncoding, map[string]any{"x402Version": 2, "accepted": v2.Accepts[0], "payload": token})}},
	}
	for _, header := range asked.Values("Www-Authenticate") {
		members := make(map[string]any)
		for _, found := range challengeParameter.FindAllStringSubmatch(header, -1) {
			members[found[1]] = found[2]
		}
		payload := token
		if members["method"] == "stripe" {
			payload = map[string]any{"spt": "spt_1"}
		}
		name, _ := members["header"].(string)
		headers["mpp "+members["method"].(string)] = http.Header{http.CanonicalHeaderKey(name): {
			"Payment " + base64JSON(t, base64.RawURLEncoding, map[string]any{"challenge": members, "payload": payload}),
		}}
	}
	if len(headers) != 3 {
		t.Fatalf("asks for %v", asked)
	}
	payments := make(map[string]*meter.Payment)
	for name, h := range headers {
		p, err := Read(h, testCall)
		if err != nil || p == nil {
			t.Fatalf("%s: %+v, %v", name, p, err)
		}
		payments[name] = p
	}
	return payments
}

func base64JSON(t *testing.T, in *base64.Encoding, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return in.EncodeToString(text)
}

func TestAPlatformSettlesOnce(t *testing.T) {
	for _, c := range []struct {
		failure     paymenttest.Failure
		first, last meter.SettleState // of the first attempt; of one after the failure
	}{
		{paymenttest.None, meter.SettleDone, meter.SettleDone},
		{paymenttest.RefuseSettle, meter.SettleRefused, meter.SettleDone},
		{paymenttest.LoseSettlement, meter.SettlePending, meter.SettleDone},
		{paymenttest.Gone, meter.SettlePending, meter.SettleDone},
		// A part was charged. A refusal would reverse the charge, and the buyer lose that part.
		{paymenttest.Partial, meter.SettlePending, meter.SettleDone},
	} {
		m, platform := platformMethods(t)
		for name, p := range platformPayments(t, m) {
			platform.Fail(paymenttest.None)
			a, err := m.Accept(p, 20_000)
			if err == nil {
				err = m.Verify(context.Background(), a)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			platform.Fail(c.failure)
			s, err := m.Settle(context.Background(), a, uuid.Nil, 15_000, false)
			if s.State != c.first || (s.State == meter.SettlePending) != (err != nil) {
				t.Errorf("%s %s: %s, %v", name, c.failure, s.State, err)
			}
			if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), platform.URL)) {
				t.Errorf("%s: the error holds what it must not", name)
			}
			platform.Fail(paymenttest.None)
			if s, err = m.Settle(context.Background(), a, uuid.Nil, 15_000, true); s.State != c.last || err != nil {
				t.Errorf("%s %s, again: %s, %v", name, c.failure, s.State, err)
			}
			h := http.Header{}
			if m.Settled(h, &s, nil); (h.Get("Payment-Receipt") != "") != strings.HasPrefix(name, "mpp") || (h.Get("Payment-Response") != "") != (name == "x402") {
				t.Errorf("%s answers %v", name, h)
			}
		}
		want := map[string]int{"0.015000": 2, "2": 1} // a card pays the whole price, in cents
		for key, amount := range platform.Charged() {
			if want[amount]--; want[amount] < 0 || key == "" {
				t.Errorf("%s: charged %v", c.failure, platform.Charged())
			}
		}
		if len(platform.Charged()) != 3 {
			t.Errorf("%s: charged %v for three payments", c.failure, platform.Charged())
		}
	}
}

// The expected values are from mint_credits_nonce and compute_challenge_id of webagents 0.3.9
// on PyPI.
func TestNoncesAndChallengesAreThoseOfTheReference(t *testing.T) {
	secret := []byte(strings.Repeat("s", 32))
	c := credits{secret: secret}
	if got := c.mac(testCall, "5000000", "3f2b8c1e-5d4a-4c6b-9e8f-0a1b2c3d4e5f", 1_800_000_300); got != "fcd8a9f180c5e6e57e7c95a0f990e3e6" {
		t.Errorf("the nonce ends with %s", got)
	}
	m := mpp{secret: secret}
	if got := m.id(challenge{
		Realm: "memory.example", Method: "stripe", Intent: "charge", Request: "e30", Expires: "2027-01-15T08:05:00Z",
		Digest: "sha-256=:x:", Header: "Payment-Authorization", Opaque: "e30",
	}); got != "PnkwpvobcC7LCR-o45Qd2NXm1MG-LiPNcmSMeAE6KBY" {
		t.Errorf("the challenge is %s", got)
	}
}

func TestATokenWithoutTheCreditsIsRefused(t *testing.T) {
	m, platform := platformMethods(t)
	a, err := m.Accept(platformPayments(t, m)["x402"], 20_000)
	if err != nil {
		t.Fatal(err)
	}
	var refusal *meter.PaymentRefusal
	for _, failure := range []paymenttest.Failure{paymenttest.NoFunds, paymenttest.RefuseVerify} {
		platform.Fail(failure)
		if err := m.Verify(context.Background(), a); !errors.As(err, &refusal) {
			t.Errorf("%s: %v", failure, err)
		}
	}
	platform.Fail(paymenttest.Gone)
	if err := m.Verify(context.Background(), a); err == nil || errors.As(err, new(*meter.PaymentRefusal)) {
		t.Errorf("gone: %v", err)
	}
	if len(platform.Charged()) != 0 {
		t.Error("verifying charged something")
	}
}

func TestAChallengeIsForOneCallAndPrice(t *testing.T) {
	m, _ := platformMethods(t)
	for name, p := range platformPayments(t, m) {
		other := *p
		other.Resource.Body = "another"
		var refusal *meter.PaymentRefusal
		if _, err := m.Accept(&other, 20_000); !errors.As(err, &refusal) {
			t.Errorf("%s: another body: %v", name, err)
		}
		if _, err := m.Accept(p, 30_000); !errors.As(err, &refusal) {
			t.Errorf("%s: another price: %v", name, err)
		}
	}
}
