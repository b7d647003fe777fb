// Package paymenttest provides fakes of the services that settle payments (an x402 facilitator,
// a credits platform and a card processor), and payments for them, for tests. The fakes check
// no signatures and move no money.
package paymenttest

import (
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Failure is a way in which a fake service misbehaves.
type Failure string

// The failures. NonceUsed, Emptied, Expired and Reverted are like LoseOnce, except that a
// repetition of the settlement is then refused for the reason given.
const (
	None           Failure = ""
	RefuseVerify   Failure = "refuse_verify"
	RefuseSettle   Failure = "refuse_settle"
	Pending        Failure = "pending"          // settlements are pending until the failure ends
	LoseSettlement Failure = "lose_settlement"  // settlements succeed, but their answers are lost
	LoseOnce       Failure = "lose_once"        // the answer to a payment's first one is lost
	NonceUsed      Failure = "nonce_used"       // a repetition: the nonce is used
	Emptied        Failure = "emptied"          // a repetition: the payer has no more funds
	Expired        Failure = "expired"          // a repetition: the payment has expired
	Reverted       Failure = "reverted"         // a repetition: the transaction failed
	BadSignature   Failure = "bad_signature"    // settlements are refused because of the signature
	SpentElsewhere Failure = "spent_elsewhere"  // verified, but then the nonce is used elsewhere
	Busy           Failure = "busy"             // settlements are refused with status 429
	Gone           Failure = "gone"             // the connection is closed without an answer
	Garbage        Failure = "garbage"          // answers are not JSON
	Redirect       Failure = "redirect"         // answers are redirects to another address
	SlowVerify     Failure = "refuse_slow_body" // answers are larger than any client should read
)

// refused has the reasons for which repetitions of a settlement are refused.
var refused = map[Failure]string{
	NonceUsed: "nonce_already_used", Emptied: "insufficient_funds",
	Expired: "invalid_exact_evm_payload_authorization_valid_before", Reverted: "transaction_failed",
}

// FacilitatorAddress is the facilitator's address, which payments of scheme upto must name.
const FacilitatorAddress = "0x00000000000000000000000000000000000000fa"

// Facilitator settles each payment once.
type Facilitator struct {
	*httptest.Server

	mu      sync.Mutex
	failure Failure
	settled map[string]*big.Int // by payer and nonce
	calls   map[string]int      // by path
}

// New starts a facilitator, which the caller must close.
func New() *Facilitator {
	f := Make()
	f.Server = httptest.NewServer(f)
	return f
}

// Make returns a facilitator without a server, for use as an http.Handler.
func Make() *Facilitator {
	return &Facilitator{settled: make(map[string]*big.Int), calls: make(map[string]int)}
}

// Fail makes the facilitator misbehave from now on; with None it works again.
func (f *Facilitator) Fail(how Failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failure = how
}

// Settled returns the settled amounts by payment. The key is the payer and the nonce, in lower
// case and separated by a space.
func (f *Facilitator) Settled() map[string]*big.Int {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make(map[string]*big.Int, len(f.settled))
	for name, amount := range f.settled {
		all[name] = new(big.Int).Set(amount)
	}
	return all
}

// Calls returns the number of requests for a path.
func (f *Facilitator) Calls(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[path]
}

// request is the body of a request to /verify or /settle.
type request struct {
	Version int `json:"x402Version"`
	Payload struct {
		Payload struct {
			Authorization *authorization `json:"authorization"`
			Permit2       *authorization `json:"permit2Authorization"`
		} `json:"payload"`
	} `json:"paymentPayload"`
	Requirements struct {
		Scheme  string `json:"scheme"`
		Network string `json:"network"`
		Amount  string `json:"amount"`
		Most    string `json:"maxAmountRequired"`
		PayTo   string `json:"payTo"`
	} `json:"paymentRequirements"`
}

type authorization struct {
	From      string `json:"from"`
	Nonce     string `json:"nonce"`
	Value     string `json:"value"`
	Permitted struct {
		Amount string `json:"amount"`
	} `json:"permitted"`
}

func (r request) authorization() *authorization {
	if r.Payload.Payload.Permit2 != nil {
		return r.Payload.Payload.Permit2
	}
	return r.Payload.Payload.Authorization
}

// ServeHTTP answers /supported, /verify and /settle.
func (f *Facilitator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[r.URL.Path]++
	switch {
	case f.failure == Gone:
		panic(http.ErrAbortHandler)
	case f.failure == Garbage:
		_, _ = w.Write([]byte("<html>secret of the facilitator</html>"))
		return
	case f.failure == Redirect:
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		return
	case f.failure == SlowVerify:
		_, _ = w.Write([]byte(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`))
		return
	}
	if r.URL.Path == "/supported" {
		answer(w, map[string]any{"kinds": []any{
			map[string]any{"x402Version": 2, "scheme": "exact", "network": "eip155:84532"},
			map[string]any{"x402Version": 1, "scheme": "exact", "network": "base-sepolia"},
			map[string]any{"x402Version": 2, "scheme": "upto", "network": "eip155:84532", "extra": map[string]any{"facilitatorAddress": FacilitatorAddress}},
		}, "extensions": []string{}, "signers": map[string]any{}})
		return
	}
	var in request
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.authorization() == nil {
		http.Error(w, `{"error":"malformed"}`, http.StatusBadRequest)
		return
	}
	a := in.authorization()
	name := strings.ToLower(a.From + " " + a.Nonce)
	permitted, _ := new(big.Int).SetString(a.Value+a.Permitted.Amount, 10)
	asked, _ := new(big.Int).SetString(in.Requirements.Amount+in.Requirements.Most, 10)
	enough := permitted != nil && asked != nil && permitted.Cmp(asked) >= 0
	before, again := f.settled[name]
	switch r.URL.Path {
	case "/verify":
		switch {
		case f.failure == RefuseVerify || !enough:
			answer(w, map[string]any{"isValid": false, "invalidReason": "insufficient_funds", "payer": a.From})
		case again:
			answer(w, map[string]any{"isValid": false, "invalidReason": "nonce_already_used", "payer": a.From})
		default:
			answer(w, map[string]any{"isValid": true, "payer": a.From})
		}
	case "/settle":
		refuse := func(reason string) {
			answer(w, map[string]any{"success": false, "errorReason": reason, "transaction": "", "network": in.Requirements.Network, "payer": a.From})
		}
		reason, once := refused[f.failure]
		switch {
		case f.failure == Busy:
			http.Error(w, "<html>slow down</html>", http.StatusTooManyRequests)
			return
		case f.failure == RefuseSettle && !again || !enough:
			refuse("insufficient_funds")
			return
		case f.failure == BadSignature && !again:
			refuse("invalid_exact_evm_payload_signature")
			return
		case f.failure == Pending && !again:
			answer(w, map[string]any{"success": false, "errorReason": "settlement_pending", "transaction": "0x01", "network": in.Requirements.Network, "payer": a.From})
			return
		case again && once:
			refuse(reason)
			return
		case !again && f.failure == SpentElsewhere:
			refuse("nonce_already_used")
			return
		case !again:
			before = asked
			// A payment of scheme exact moves the signed amount, whatever the requirement says.
			if in.Requirements.Scheme == "exact" {
				before = permitted
			}
			f.settled[name] = before
		}
		if f.failure == LoseSettlement || !again && (f.failure == LoseOnce || once) {
			panic(http.ErrAbortHandler)
		}
		answer(w, map[string]any{
			"success": true, "transaction": "0x" + strings.Repeat("ab", 32), "network": in.Requirements.Network, "payer": a.From, "amount": before.String(),
		})
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
