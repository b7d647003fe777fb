package meter

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/search"
)

// Payment is the payment of a request, as parsed by package payment. It is not verified.
type Payment struct {
	Wire    string          `json:"wire"` // the wire protocol
	Scheme  string          `json:"scheme"`
	Network string          `json:"network"`
	Payer   string          `json:"payer"` // with Nonce: unique in the network
	Nonce   string          `json:"nonce"`
	Payload json.RawMessage `json:"payload"` // the wire's object, opaque to this package
	Expires time.Time       `json:"expires"` // when it can no longer be settled; zero: soon
	// Identifier is the client's name for the payment; "": none. Another payment with the
	// same name is refused.
	Identifier string `json:"identifier,omitempty"`
	// Client is the address that sent the payment, by which refusals are counted; "":
	// unknown.
	Client   string   `json:"-"`
	Resource Resource `json:"resource"`
}

// Resource is the call that a payment pays for.
type Resource struct {
	URL         string `json:"url"` // as the client sees it, without its query
	Description string `json:"description"`
	Method      string `json:"method"`
	Path        string `json:"path"`
	Query       string `json:"query"`
	Body        string `json:"body"` // digest
}

// Gateway checks and settles payments. Package payment implements it. Its errors never
// contain text of a payment or a remote service.
type Gateway interface {
	// Accept checks whether the payment meets a requirement of a call with this price, in
	// micros. It returns the payment with the amount that it covers, or a PaymentRefusal.
	Accept(p *Payment, price int64) (Accepted, error)
	// Verify asks whether an accepted payment would be settled; it moves no money. If not, it
	// returns a PaymentRefusal. Any other error means that this is unknown.
	Verify(ctx context.Context, a Accepted) error
	// Settle settles an accepted payment for an amount in micros, at most what it covers. It
	// does so once: a repetition with the same ID returns the first settlement. again reports
	// whether an earlier attempt may have succeeded. If so, a refusal may only mean that the
	// earlier attempt used the payment, and Settle reports the outcome as pending.
	Settle(ctx context.Context, a Accepted, id uuid.UUID, amount int64, again bool) (Settled, error)
}

// Accepted is a payment that meets one of the requirements of a call.
type Accepted struct {
	Payment Payment `json:"payment"`
	// Requirement is the requirement that the payment meets, as the wire protocol has it.
	Requirement json.RawMessage `json:"requirement"`
	Covers      int64           `json:"covers"` // micros
	// Fixed reports whether all of Covers is settled, whatever was charged.
	Fixed bool `json:"fixed"`
	// Verified reports whether Verify binds the payment to this call, so that no other use
	// of it can be settled first. If so, the answer is delivered while the settlement is
	// pending. Otherwise nothing is shown before the payment is settled.
	Verified bool `json:"verified,omitempty"`
	// Begun is the method's ID of a settlement that was pending when it was last tried;
	// "": not known.
	Begun string `json:"begun,omitempty"`
}

// Settled is the answer of a payment method to a settlement.
type Settled struct {
	Wire     string          `json:"wire"`
	State    SettleState     `json:"state"`
	Response json.RawMessage `json:"response,omitempty"` // the wire's, opaque to this package
	Begun    string          `json:"-"`                  // see Accepted
}

// SettleState is the state of a settlement.
type SettleState string

// The states.
const (
	SettlePending SettleState = "pending" // not known yet: ask again
	SettleUnsent  SettleState = "unsent"  // the attempt was not sent: ask again
	SettleDone    SettleState = "done"
	SettleRefused SettleState = "refused" // finally; no money was moved
)

// PaymentRefusal reports that a payment does not pay for a call. Reason is a constant of the
// wire protocol.
type PaymentRefusal struct {
	Reason string
	// Settled is the refused settlement; nil: the payment was refused before settlement.
	Settled *Settled
}

func (e *PaymentRefusal) Error() string { return "the payment is refused: " + e.Reason }

// RefusedError is a search.PaymentError for a call whose payment was refused.
type RefusedError struct {
	Price   *search.PaymentError
	Refusal *PaymentRefusal
}

func (e *RefusedError) Error() string { return e.Refusal.Error() }

// Unwrap returns the price and the refusal.
func (e *RefusedError) Unwrap() []error { return []error{e.Price, e.Refusal} }
