package payment

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/meter"
	"mneme/meter/payment/paymenttest"
)

var testCall = meter.Resource{URL: "https://memory.example/v1/offers/x/search", Description: "a search", Method: "POST", Path: "/v1/offers/x/search", Body: "body"}

func testOptions(f *paymenttest.Facilitator) Options {
	return Options{
		X402: &X402{
			Facilitator: f.URL, Token: "secret-of-ours", Schemes: []string{SchemeUpto, SchemeExact}, Network: "eip155:84532",
			Asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", Decimals: 6, PerCredit: "1",
			PayTo: "0x2222222222222222222222222222222222222222", Name: "USDC", Version: "2", MaxTimeout: time.Minute,
		},
		Secret: []byte(strings.Repeat("s", 32)),
	}
}

func testMethods(t *testing.T) (*Methods, *paymenttest.Facilitator) {
	t.Helper()
	f := paymenttest.New()
	t.Cleanup(f.Close)
	m, err := New(testOptions(f))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	return m, f
}

// pay returns the n-th payment, by a scheme, of a call with this price.
func pay(t *testing.T, m *Methods, scheme string, price int64, n int) *meter.Payment {
	t.Helper()
	h := http.Header{}
	m.Ask(h, testCall, price, nil)
	value, err := paymenttest.Pay(h, scheme, n)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(http.Header{"Payment-Signature": {value}}, testCall)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAnAssetsAmountIsRoundedUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.Int64Range(0, meter.MaxAmount).Draw(t, "micros")
		decimals := rapid.IntRange(0, 18).Draw(t, "decimals")
		r, err := newRate("0.9173", decimals)
		if err != nil {
			t.Fatal(err)
		}
		got := r.units(micros)
		exact := new(big.Rat).Mul(r.perMicro, new(big.Rat).SetInt64(micros))
		if below := new(big.Rat).SetInt(new(big.Int).Sub(got, big.NewInt(1))); new(big.Rat).SetInt(got).Cmp(exact) < 0 || below.Cmp(exact) >= 0 {
			t.Fatalf("%d micros are %s units, not %s rounded up", micros, got, exact)
		}
	})
}

func TestAPaymentIsAcceptedForThePriceAlone(t *testing.T) {
	m, _ := testMethods(t)
	for _, scheme := range []string{SchemeExact, SchemeUpto} {
		p := pay(t, m, scheme, 5000, 1)
		a, err := m.Accept(p, 5000)
		if err != nil || a.Covers != 5000 || a.Fixed != (scheme == SchemeExact) {
			t.Errorf("%s: accepted %+v, %v", scheme, a, err)
		}
		for _, other := range []int64{4999, 5001, math.MaxInt32} {
			var refusal *meter.PaymentRefusal
			if _, err := m.Accept(p, other); !errors.As(err, &refusal) {
				t.Errorf("%s: a payment of 5000 is accepted for a price of %d: %v", scheme, other, err)
			}
		}
	}
}

// A payment of scheme exact moves the amount that was signed for. If that exceeded the price,
// the buyer would lose the difference.
func TestAnExactPaymentIsSignedForThePrice(t *testing.T) {
	m, _ := testMethods(t)
	asked := m.requirements(testCall, 5000, "")[1]
	const from = `{"from":"0x1111111111111111111111111111111111111111",`
	for signed, fits := range map[string]bool{
		`"5000"`: true, `"0005000"`: true, `"0x1388"`: true, `"0X1388"`: true,
		`"4999"`: false, `"5001"`: false, `"0x1389"`: false, `"50000000000000000000000000005000"`: false, `"18446744073709556616"`: false,
		`""`: false, `null`: false, `5000`: false, `"5000.0"`: false, `"+5000"`: false, `"-5000"`: false, `" 5000"`: false, `"0x"`: false, `{}`: false,
		`"` + strings.Repeat("0", 100) + `5000"`: false,
	} {
		for name, payload := range map[string]string{
			"EIP-3009": `{"authorization":` + from + `"nonce":"0x` + strings.Repeat("1", 64) + `","value":` + signed + `}}`,
			"Permit2":  `{"permit2Authorization":` + from + `"nonce":"1","permitted":{"amount":` + signed + `}}}`,
		} {
			offered, err := json.Marshal(asked)
			if err != nil {
				t.Fatal(err)
			}
			for version, h := range map[string]http.Header{
				"1": {"X-Payment": {header64(`{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":` + payload + `}`)}},
				"2": {"Payment-Signature": {header64(`{"x402Version":2,"accepted":` + string(offered) + `,"payload":` + payload + `}`)}},
			} {
				p, err := Read(h, testCall)
				if err != nil {
					t.Fatal(err)
				}
				_, err = m.Accept(p, 5000)
				var refusal *meter.PaymentRefusal
				if fits != (err == nil) || err != nil && (!errors.As(err, &refusal) || refusal.Reason != "invalid_exact_evm_payload_authorization_value") {
					t.Errorf("%s, version %s: %s for 5000: %v", name, version, signed, err)
				}
			}
		}
	}
	missing, err := Read(http.Header{"X-Payment": {header64(exactV1)}}, testCall)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Accept(missing, 5000); err == nil {
		t.Error("a payment without a value is accepted")
	}
}

func TestWhatABuyerChangesInAnAcceptedOfferIsRefused(t *testing.T) {
	m, _ := testMethods(t)
	asked := m.requirements(testCall, 5000, "")
	for name, change := range map[string]func(map[string]any){
		"payTo":   func(r map[string]any) { r["payTo"] = paymenttest.Payer },
		"asset":   func(r map[string]any) { r["asset"] = paymenttest.Payer },
		"timeout": func(r map[string]any) { r["maxTimeoutSeconds"] = 1e6 },
		"amount":  func(r map[string]any) { r["amount"] = "1" },
		"a name":  func(r map[string]any) { r["more"] = 1 },
		"extra":   func(r map[string]any) { r["extra"] = map[string]any{} },
		"extra 2": func(r map[string]any) { r["extra"].(map[string]any)["facilitatorAddress"] = paymenttest.Payer },
	} {
		text, _ := json.Marshal(asked[0])
		var r map[string]any
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		change(r)
		value, err := paymenttest.Sign(r, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Read(http.Header{"Payment-Signature": {value}}, testCall)
		if err != nil {
			continue
		}
		var refusal *meter.PaymentRefusal
		if _, err := m.Accept(p, 5000); !errors.As(err, &refusal) {
			t.Errorf("changed %s: %v", name, err)
		}
	}
}

func TestASettlementIsKnownOrPending(t *testing.T) {
	for _, c := range []struct {
		failure paymenttest.Failure
		first   meter.SettleState
		last    meter.SettleState // state of a repetition after the failure has ended
		settled int
	}{
		{paymenttest.None, meter.SettleDone, meter.SettleDone, 1},
		{paymenttest.RefuseSettle, meter.SettleRefused, meter.SettleDone, 1},
		{paymenttest.Pending, meter.SettlePending, meter.SettleDone, 1},
		{paymenttest.LoseSettlement, meter.SettlePending, meter.SettleDone, 1},
		{paymenttest.Gone, meter.SettlePending, meter.SettleDone, 1},
		{paymenttest.Garbage, meter.SettlePending, meter.SettleDone, 1},
		{paymenttest.Redirect, meter.SettlePending, meter.SettleDone, 1},
	} {
		for _, scheme := range []string{SchemeExact, SchemeUpto} {
			m, f := testMethods(t)
			a, err := m.Accept(pay(t, m, scheme, 5000, 1), 5000)
			if err != nil {
				t.Fatal(err)
			}
			f.Fail(c.failure)
			s, err := m.Settle(context.Background(), a, uuid.Nil, 3000, false)
			if s.State != c.first {
				t.Errorf("%s %s: %s, %v", scheme, c.failure, s.State, err)
			}
			if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), f.URL)) {
				t.Errorf("%s: the error holds what it must not", c.failure)
			}
			f.Fail(paymenttest.None)
			if s, err = m.Settle(context.Background(), a, uuid.Nil, 3000, true); err != nil || s.State != c.last {
				t.Errorf("%s %s, again: %s, %v", scheme, c.failure, s.State, err)
			}
			want := "3000"
			if scheme == SchemeExact {
				want = "5000"
			}
			for _, amount := range f.Settled() {
				if amount.String() != want {
					t.Errorf("%s settled %s, not %s", scheme, amount, want)
				}
			}
			if len(f.Settled()) != c.settled {
				t.Errorf("%s %s: %d settlements", scheme, c.failure, len(f.Settled()))
			}
		}
	}
}

func TestAUsedNonceOfASettlementWhoseAnswerWasLostIsSettled(t *testing.T) {
	m, f := testMethods(t)
	a, err := m.Accept(pay(t, m, SchemeExact, 5000, 1), 5000)
	if err != nil {
		t.Fatal(err)
	}
	f.Fail(paymenttest.NonceUsed)
	if s, _ := m.Settle(context.Background(), a, uuid.Nil, 1, false); s.State != meter.SettlePending {
		t.Errorf("first: %s", s.State)
	}
	if s, err := m.Settle(context.Background(), a, uuid.Nil, 1, true); s.State != meter.SettleDone || err != nil {
		t.Errorf("again: %s, %v", s.State, err)
	}
}

func TestARefusedRepetitionProvesNothingThatItsSettlementMayHaveCaused(t *testing.T) {
	for reason, want := range map[string]meter.SettleState{
		"invalid_exact_evm_payload_signature": meter.SettleRefused, "invalid_permit2_signature": meter.SettleRefused, "invalid_payload": meter.SettleRefused,
		"invalid_exact_evm_payload_recipient_mismatch": meter.SettleRefused, "permit2_amount_mismatch": meter.SettleRefused,
		"invalid_exact_evm_payload_authorization_value": meter.SettleRefused,

		"insufficient_funds": meter.SettlePending, "invalid_exact_evm_insufficient_balance": meter.SettlePending, "permit2_allowance_required": meter.SettlePending,
		"invalid_exact_evm_payload_authorization_valid_before": meter.SettlePending, "permit2_deadline_expired": meter.SettlePending,
		"invalid_exact_evm_transaction_simulation_failed": meter.SettlePending, "transaction_failed": meter.SettlePending, "": meter.SettlePending,

		"nonce_already_used": meter.SettleDone, "permit2_invalid_nonce": meter.SettleDone,
	} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{"success": false, "errorReason": reason})
		}))
		t.Cleanup(service.Close)
		remote, err := newRemote("facilitator", service.URL, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := (facilitator{remote}).settle(context.Background(), facilitated{}, true); got != want || (err != nil) != (want == meter.SettlePending) {
			t.Errorf("%q, again: %s, %v", reason, got, err)
		}
		if got, _, err := (facilitator{remote}).settle(context.Background(), facilitated{}, false); got != meter.SettleRefused || err != nil {
			t.Errorf("%q: %s, %v", reason, got, err)
		}
	}
}

func TestVerifyingMovesNothingAndRefusesOtherPayers(t *testing.T) {
	m, f := testMethods(t)
	a, err := m.Accept(pay(t, m, SchemeExact, 5000, 1), 5000)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Verify(context.Background(), a); err != nil {
		t.Error(err)
	}
	var refusal *meter.PaymentRefusal
	other := a
	other.Payment.Payer = "0x3333333333333333333333333333333333333333"
	if err := m.Verify(context.Background(), other); !errors.As(err, &refusal) {
		t.Errorf("another payer: %v", err)
	}
	f.Fail(paymenttest.RefuseVerify)
	if err := m.Verify(context.Background(), a); !errors.As(err, &refusal) {
		t.Errorf("refused: %v", err)
	}
	for _, failure := range []paymenttest.Failure{paymenttest.Gone, paymenttest.Garbage, paymenttest.SlowVerify} {
		f.Fail(failure)
		if err := m.Verify(context.Background(), a); err == nil || errors.As(err, &refusal) {
			t.Errorf("%s: %v", failure, err)
		}
	}
	if len(f.Settled()) != 0 {
		t.Error("verifying moved money")
	}
}

func TestANonceOfCreditsIsForOneCallAndPrice(t *testing.T) {
	f := paymenttest.New()
	defer f.Close()
	now := time.Unix(1_800_000_000, 0)
	options := testOptions(f)
	options.X402, options.Credits = nil, &Credits{Platform: "https://platform.example"}
	options.Now = func() time.Time { return now }
	m, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	r := m.requirements(testCall, 5000, "")[0]
	if r.Amount != "5000000" || r.Network != "robutler:1" || r.Asset != "credits" || r.PayTo != "robutler" {
		t.Errorf("asks for %+v", r)
	}
	read := func(of meter.Resource) *meter.Payment {
		t.Helper()
		text, _ := json.Marshal(map[string]any{"x402Version": 2, "accepted": r, "payload": map[string]any{"token": "a.b.c"}})
		p, err := Read(http.Header{"Payment-Signature": {base64.StdEncoding.EncodeToString(text)}}, of)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if _, err := m.Accept(read(testCall), 5000); err != nil {
		t.Error(err)
	}
	other := testCall
	other.Body = "another"
	if _, err := m.Accept(read(other), 5000); err == nil {
		t.Error("the nonce is taken for another body")
	}
	if _, err := m.Accept(read(testCall), 5001); err == nil {
		t.Error("the nonce is taken for another price")
	}
	now = now.Add(301 * time.Second)
	if _, err := m.Accept(read(testCall), 5000); err == nil {
		t.Error("the nonce is taken after it expired")
	}
}

func TestA402AsksInBothVersions(t *testing.T) {
	m, _ := testMethods(t)
	h := http.Header{}
	members := m.Ask(h, testCall, 5000, nil)
	text, err := base64.StdEncoding.DecodeString(h.Get("PAYMENT-REQUIRED"))
	if err != nil {
		t.Fatal(err)
	}
	var v2 required
	if err := json.Unmarshal(text, &v2); err != nil {
		t.Fatal(err)
	}
	if v2.Version != 2 || len(v2.Accepts) != 2 || v2.Accepts[0].Amount != "5000" || v2.Resource.URL != testCall.URL {
		t.Errorf("version 2 asks for %s", text)
	}
	if v2.Accepts[0].Extra["facilitatorAddress"] != paymenttest.FacilitatorAddress {
		t.Error("upto does not name the facilitator")
	}
	v1, _ := members["accepts"].([]requirementV1)
	if members["x402Version"] != 1 || len(v1) != 2 || v1[1].MaxAmountRequired != "5000" || v1[1].Network != "base-sepolia" {
		t.Errorf("version 1 asks for %+v", members)
	}
	if h.Get("Cache-Control") != "no-store" {
		t.Error("a 402 may be stored")
	}
	var none *Methods
	if members := none.Ask(http.Header{}, testCall, 5000, nil); len(members) != 0 {
		t.Errorf("asks for %v without a method", members)
	}
}
