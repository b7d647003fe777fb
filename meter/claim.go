package meter

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

// ClaimState is the state of a paid search.
type ClaimState string

// The states, in their order.
const (
	ClaimOpen    ClaimState = "open"    // nothing was charged yet
	ClaimPending ClaimState = "pending" // charged; the payment is not settled yet
	ClaimDone    ClaimState = "done"    // charged, and the payment, if any, is settled
)

// Claim ensures that the paid search of an Idempotency-Key or a payment happens only once.
// Each key and each payment has at most one claim.
type Claim struct {
	ID      uuid.UUID             `json:"id"`
	Key     memory.IdempotencyKey `json:"key"`     // Key.Key is "" without an Idempotency-Key; the rest is always set
	Payment string                `json:"payment"` // digest of scheme, network, payer and nonce; "": none
	Digest  string                `json:"digest"`  // of the body
	State   ClaimState            `json:"state"`
	// Fence is a fencing token: it increases whenever a request takes over the claim, and
	// only the newest holder may charge.
	Fence int64 `json:"fence"`
	// HeldUntil is when the hold of the newest holder ends.
	HeldUntil time.Time `json:"held_until"`
	// ExpiresAt is when the claim is removed: after the lifetime of the Idempotency-Key, but
	// not while the payment can still be settled.
	ExpiresAt time.Time `json:"expires_at"`
	// Outcome is the answer as IDs and numbers, never text; nil while the claim is open.
	Outcome json.RawMessage `json:"outcome,omitempty"`
	// Settlement has the data that the payment method needs to settle the payment and, once
	// it is settled, the method's answer; nil: there is no payment.
	Settlement json.RawMessage `json:"settlement,omitempty"`
}
