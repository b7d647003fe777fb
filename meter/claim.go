package meter

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

// ClaimState is how far a paid search has come.
type ClaimState string

// The states, in their order.
const (
	ClaimOpen    ClaimState = "open"    // nothing was charged yet
	ClaimPending ClaimState = "pending" // charged; the payment is not settled yet
	ClaimDone    ClaimState = "done"    // charged, and settled where a payment came
)

// Claim makes one paid search of an Idempotency-Key or a payment happen once.
// Each has at most one claim.
type Claim struct {
	ID      uuid.UUID             `json:"id"`
	Key     memory.IdempotencyKey `json:"key"`     // Key.Key is "" without an Idempotency-Key; the rest is always set
	Payment string                `json:"payment"` // digest of scheme, network, payer and nonce; "": none
	Digest  string                `json:"digest"`  // of the body
	State   ClaimState            `json:"state"`
	// Fence is a fencing token: it grows each time that a request takes the claim over, and
	// only the newest holder may charge.
	Fence int64 `json:"fence"`
	// HeldUntil is when the hold of the newest holder ends.
	HeldUntil time.Time `json:"held_until"`
	// ExpiresAt is when the claim is removed: the Idempotency-Key's lifetime, and
	// not before the payment can no longer be settled.
	ExpiresAt time.Time `json:"expires_at"`
	// Outcome is the answer as IDs and numbers, never text; nil while the claim is open.
	Outcome json.RawMessage `json:"outcome,omitempty"`
	// Settlement is what the payment method needs to settle the payment, and its answer once
	// it is settled; nil: there is no payment.
	Settlement json.RawMessage `json:"settlement,omitempty"`
}
