package paymenttest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
)

// Payer is the address of the paying wallet.
const Payer = "0x1111111111111111111111111111111111111111"

// required is the content of the header Payment-Required of an answer with status 402.
type required struct {
	Accepts []map[string]any `json:"accepts"`
}

// Pay returns a payment, as the value of the header PAYMENT-SIGNATURE. It meets the requirement
// with the given scheme in the headers of an answer with status 402. Payments with different n
// have different nonces.
func Pay(h http.Header, scheme string, n int) (string, error) {
	text, err := base64.StdEncoding.DecodeString(h.Get("Payment-Required"))
	if err != nil {
		return "", err
	}
	var asked required
	if err := json.Unmarshal(text, &asked); err != nil {
		return "", err
	}
	for _, r := range asked.Accepts {
		if r["scheme"] == scheme {
			return Sign(r, n)
		}
	}
	return "", fmt.Errorf("the answer does not ask for scheme %s", scheme)
}

// Sign returns a payment, as the value of the header PAYMENT-SIGNATURE, that meets a
// requirement of x402 version 2. Payments with different n have different nonces.
func Sign(r map[string]any, n int) (string, error) {
	payload := map[string]any{"signature": "0x00"}
	if r["scheme"] == "upto" {
		payload["permit2Authorization"] = map[string]any{
			"from": Payer, "nonce": fmt.Sprint(n + 1), "permitted": map[string]any{"token": r["asset"], "amount": r["amount"]},
		}
	} else {
		payload["authorization"] = map[string]any{
			"from": Payer, "to": r["payTo"], "value": r["amount"], "nonce": fmt.Sprintf("0x%064x", n+1),
		}
	}
	text, err := json.Marshal(map[string]any{"x402Version": 2, "accepted": r, "payload": payload})
	return base64.StdEncoding.EncodeToString(text), err
}
