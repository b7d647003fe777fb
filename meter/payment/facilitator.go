package payment

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"mneme/meter"
)

// facilitator verifies and settles x402 payments by calls to a facilitator.
type facilitator struct{ *remote }

// facilitated is the body of a request to a facilitator.
type facilitated struct {
	Version      int             `json:"x402Version"`
	Payload      json.RawMessage `json:"paymentPayload"`
	Requirements json.RawMessage `json:"paymentRequirements"`
}

// verify returns a meter.PaymentRefusal if the payment would not be settled.
func (f facilitator) verify(ctx context.Context, ask facilitated, payer string) error {
	var out struct {
		Valid  *bool  `json:"isValid"`
		Reason string `json:"invalidReason"`
		Payer  string `json:"payer"`
	}
	status, _, err := f.call(ctx, http.MethodPost, "/verify", nil, ask, &out)
	switch {
	case err != nil:
		return err
	case out.Valid == nil || unclear(status):
		return fmt.Errorf("%s: status %d without a verdict", f.name, status)
	case !*out.Valid:
		return &meter.PaymentRefusal{Reason: reasonOf(out.Reason, "invalid_payment")}
	case out.Payer != "" && !strings.EqualFold(out.Payer, payer):
		// The payer is part of the payment's identity, but the client has not signed as this
		// payer.
		return &meter.PaymentRefusal{Reason: "invalid_payer"}
	}
	return nil
}

// settle settles a payment. again reports whether an earlier call may have settled it.
//
// For a payment that is already settled, a facilitator returns the same transaction or a reason
// such as nonce_already_used. settle takes such a reason for success only if again is set. Many
// facilitators check a repetition like a new payment, so that it may be refused because the
// first call succeeded, for example for lack of funds. Such a refusal leaves the outcome
// pending.
func (f facilitator) settle(ctx context.Context, ask facilitated, again bool) (meter.SettleState, json.RawMessage, error) {
	var out json.RawMessage
	status, sent, err := f.call(ctx, http.MethodPost, "/settle", nil, ask, &out)
	switch {
	case unheard(status):
		return meter.SettleUnsent, nil, fmt.Errorf("%s: status %d", f.name, status)
	case err != nil && !sent:
		return meter.SettleUnsent, nil, err
	case err != nil:
		return meter.SettlePending, nil, err
	}
	var answer struct {
		Success     *bool  `json:"success"`
		Reason      string `json:"errorReason"`
		Transaction string `json:"transaction"`
		Network     string `json:"network"`
		Payer       string `json:"payer,omitempty"`
		Amount      string `json:"amount,omitempty"`
	}
	if json.Unmarshal(out, &answer) != nil || answer.Success == nil || unclear(status) {
		return meter.SettlePending, nil, fmt.Errorf("%s: status %d without an outcome", f.name, status)
	}
	state := meter.SettleRefused
	switch {
	case *answer.Success || again && usedBefore(answer.Reason):
		state = meter.SettleDone
	case pendingReason(answer.Reason):
		state = meter.SettlePending
	case again && !signedWrong.MatchString(answer.Reason):
		return meter.SettlePending, nil, fmt.Errorf("%s: a repetition is refused, and the first call may have settled", f.name)
	}
	// Only these members go to the client: the text of an error could contain anything.
	kept := map[string]any{"success": state != meter.SettleRefused, "transaction": answer.Transaction, "network": answer.Network}
	for name, value := range map[string]string{"payer": answer.Payer, "amount": answer.Amount} {
		if value != "" {
			kept[name] = value
		}
	}
	if state == meter.SettleRefused {
		kept["errorReason"] = reasonOf(answer.Reason, "settlement_failed")
	}
	if state == meter.SettlePending {
		kept["success"], kept["errorReason"] = false, "settlement_pending"
	}
	response, err := json.Marshal(kept)
	return state, response, err
}

// usedBefore reports whether the reason of a refusal is that the authorization was used before:
// by an earlier call of ours whose answer was lost, if there was one. Otherwise the payer has
// used it elsewhere or cancelled it.
func usedBefore(reason string) bool {
	switch reason {
	case "duplicate_settlement", "already_settled", "invalid_exact_evm_nonce_already_used",
		"invalid_exact_evm_payload_authorization_nonce_used", "nonce_already_used", "permit2_invalid_nonce":
		return true
	}
	return false
}

// signedWrong matches reasons that concern what the payer signed. All calls for a payment send
// the same signed content, so if one call is refused for such a reason, no earlier one has
// settled the payment. Other refusals prove nothing: funds, allowances or the transaction may
// be lacking because an earlier call settled the payment, and a payment that has expired by now
// may have been settled before.
var signedWrong = regexp.MustCompile(`(signature|_authorization_value|_(recipient|value|amount|token)_mismatch)$|^invalid_payload$`)

func pendingReason(reason string) bool {
	return reason == "settlement_pending" || reason == "pending" || reason == "transaction_pending"
}

// supported returns the schemes that the facilitator settles on a network. The value of a
// scheme is what its requirements must have in extra for this facilitator.
func (f facilitator) supported(ctx context.Context, network string) (map[string]map[string]any, error) {
	var out struct {
		Kinds []struct {
			Version int            `json:"x402Version"`
			Scheme  string         `json:"scheme"`
			Network string         `json:"network"`
			Extra   map[string]any `json:"extra"`
		} `json:"kinds"`
	}
	status, _, err := f.call(ctx, http.MethodGet, "/supported", nil, nil, &out)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d", f.name, status)
	}
	found := make(map[string]map[string]any)
	for _, kind := range out.Kinds {
		if kind.Version == 2 && (kind.Network == network || kind.Network == "eip155:*") {
			found[kind.Scheme] = kind.Extra
		}
	}
	return found, nil
}

// reason matches the reasons that clients may see: single words, never free text.
var reason = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// reasonOf returns the reason of a remote service if it matches reason, and otherwise returns
// the given one.
func reasonOf(text, otherwise string) string {
	if reason.MatchString(text) {
		return text
	}
	return otherwise
}
