package paymenttest

import (
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Failures of a Platform, besides those of a Facilitator.
const (
	Partial Failure = "partial" // a first settlement charges a part, a later one the rest
	NoFunds Failure = "no_funds"
)

// Platform is a fake of Robutler's credits platform and of a card processor.
type Platform struct {
	*httptest.Server

	mu      sync.Mutex
	failure Failure
	charged map[string]string // amounts by Idempotency-Key, in credits or in cents
}

// NewPlatform starts a platform, which the caller must close.
func NewPlatform() *Platform {
	p := &Platform{charged: make(map[string]string)}
	p.Server = httptest.NewServer(p)
	return p
}

// Fail makes the platform misbehave from now on; with None it works again.
func (p *Platform) Fail(how Failure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failure = how
}

// Charged returns the charged amounts by Idempotency-Key, in credits or in cents.
func (p *Platform) Charged() map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make(map[string]string, len(p.charged))
	for key, amount := range p.charged {
		all[key] = amount
	}
	return all
}

// ServeHTTP answers /api/payments/verify, /api/payments/settle and
// /v1/payment_intents.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure == Gone {
		panic(http.ErrAbortHandler)
	}
	key := r.Header.Get("Idempotency-Key")
	switch r.URL.Path {
	case "/api/payments/verify":
		has := 1.0
		if p.failure == NoFunds {
			has = 0.000001
		}
		answer(w, map[string]any{"valid": p.failure != RefuseVerify, "balanceCredits": has})
	case "/api/payments/settle":
		var in struct {
			Token  string      `json:"token"`
			Amount json.Number `json:"amount"`
			Key    string      `json:"idempotencyKey"`
		}
		if json.NewDecoder(r.Body).Decode(&in) != nil || in.Token == "" || in.Key != key {
			http.Error(w, `{"success":false,"error":"malformed"}`, http.StatusBadRequest)
			return
		}
		p.settle(w, key, in.Amount.String())
	case "/v1/payment_intents":
		p.settle(w, key, r.PostFormValue("amount"))
	default:
		http.NotFound(w, r)
	}
}

// settle charges an amount once for each key. Its answer is for both services: it has the
// members of a settlement in credits and those of a payment intent.
func (p *Platform) settle(w http.ResponseWriter, key, amount string) {
	_, again := p.charged[key]
	switch {
	case p.failure == RefuseSettle && !again:
		w.WriteHeader(http.StatusPaymentRequired)
		answer(w, map[string]any{"success": false, "error": "insufficient_funds", "status": "requires_payment_method"})
		return
	case p.failure == Partial && !again:
		half, _ := new(big.Rat).SetString(amount)
		answer(w, map[string]any{"success": true, "partial": true, "chargedDollars": json.Number(half.Quo(half, big.NewRat(2, 1)).FloatString(6)), "status": "processing"})
		return
	case !again:
		p.charged[key] = amount
	}
	if p.failure == LoseSettlement {
		panic(http.ErrAbortHandler)
	}
	answer(w, map[string]any{"success": true, "partial": false, "replayed": again, "transactionId": "t-1", "id": "pi_1", "status": "succeeded"})
}
