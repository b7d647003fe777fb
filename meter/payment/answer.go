package payment

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"mneme/meter"
)

// ErrorRequired is the error in an answer with status 402 if the request had no payment.
const ErrorRequired = "PAYMENT-SIGNATURE header is required"

// Ask writes the headers of an answer with status 402 that asks for a payment of price, in
// micros, and returns the members that its body must have, too. err is the error of the call,
// which says why a payment was refused. If no method is configured, or the price is 0 because
// it is not known, the answer asks for nothing.
func (m *Methods) Ask(h http.Header, of meter.Resource, price int64, err error) (members map[string]any) {
	h.Set("Cache-Control", "no-store")
	members = make(map[string]any)
	var refusal *meter.PaymentRefusal
	if errors.As(err, &refusal) && refusal.Settled != nil {
		m.Settled(h, refusal.Settled, nil)
	}
	if price <= 0 {
		return members
	}
	for _, c := range m.challenges(of, price) {
		h.Add(headerChallenge, c.header())
	}
	ask := m.Required(of, price, err)
	if ask == nil {
		return members
	}
	if text, err := encode(ask); err == nil {
		h.Set(headerRequired, text)
	}
	v1 := []requirementV1{}
	for _, r := range ask.Accepts {
		v1 = append(v1, r.v1(of))
	}
	members["x402Version"], members["error"], members["accepts"] = 1, ask.Error, v1
	return members
}

// Required returns the object that asks for a payment by x402 version 2; nil if no method is
// configured or the price is not known.
func (m *Methods) Required(of meter.Resource, price int64, err error) *required {
	accepts := m.requirements(of, price, "")
	if len(accepts) == 0 || price <= 0 {
		return nil
	}
	ask := &required{
		Version: 2, Error: ErrorRequired, Resource: resource{of.URL, of.Description, mimeType}, Accepts: accepts,
		Extensions: map[string]any{
			"payment-identifier": map[string]any{
				"info": map[string]any{"required": false},
				"schema": map[string]any{
					"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
					"properties": map[string]any{
						"required": map[string]any{"type": "boolean"},
						"id":       map[string]any{"type": "string", "minLength": 16, "maxLength": 128, "pattern": "^[a-zA-Z0-9_-]+$"},
					},
					"required": []string{"required"},
				},
			},
		},
	}
	var refusal *meter.PaymentRefusal
	if errors.As(err, &refusal) {
		ask.Error = refusal.Reason
	}
	return ask
}

// challenges are those of MPP.
func (m *Methods) challenges(of meter.Resource, price int64) []challenge {
	if m == nil || m.mpp == nil {
		return nil
	}
	var all []challenge
	if m.mpp.stripe != nil {
		all = append(all, m.mpp.mint(methodStripe, m.mpp.stripe.request(price), of))
	}
	if m.credits != nil && (m.mpp.stripe != nil || m.x402 != nil) {
		r := m.credits.requirement(of, price, "")
		delete(r.Extra, "tokenType")
		all = append(all, m.mpp.mint(methodRobutler, charge{Amount: r.Amount, Currency: creditsAsset, Details: r.Extra}, of))
	}
	return all
}

// Settled writes the headers that report to the client the settlement of its payment, which may
// still be pending. receipts are the receipts of the charges that it paid for.
func (m *Methods) Settled(h http.Header, s *meter.Settled, receipts []string) {
	if s == nil {
		return
	}
	if s.Wire == WireMPP {
		if s.State == meter.SettleDone {
			h.Set(headerReceipt, receiptMPP(s, time.Now()))
		}
		return
	}
	name := headerResponse
	if s.Wire == WireX402V1 {
		name = headerResponseV1
	}
	if text, err := encode(Response(s, receipts)); err == nil {
		h.Set(name, text)
	}
}

// Response returns the x402 object that reports a settlement.
func Response(s *meter.Settled, receipts []string) map[string]any {
	out := map[string]any{"success": s.State == meter.SettleDone, "transaction": "", "network": ""}
	if len(s.Response) > 0 {
		_ = json.Unmarshal(s.Response, &out) // this package wrote it
	}
	if s.State == meter.SettlePending {
		out["success"], out["errorReason"] = false, "settlement_pending"
	}
	if len(receipts) > 0 {
		out["extensions"] = map[string]any{"offer-receipt": map[string]any{"info": map[string]any{"receipts": receipts}}}
	}
	return out
}

func receiptMPP(s *meter.Settled, now time.Time) string {
	var in struct {
		Reference   string `json:"reference"`
		Transaction string `json:"transaction"`
	}
	_ = json.Unmarshal(s.Response, &in) // it is ours
	method := methodStripe
	if in.Reference == "" {
		method, in.Reference = methodRobutler, in.Transaction
	}
	text, _ := json.Marshal(map[string]string{
		"status": "success", "method": method, "timestamp": now.UTC().Format(time.RFC3339), "reference": in.Reference,
	})
	return base64.RawURLEncoding.EncodeToString(text)
}
