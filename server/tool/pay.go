package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/search"
)

const (
	// maxPaidHits bounds the hits of a search that may be charged, and
	// maxPaidStores the stores that it names.
	maxPaidHits   = 10
	maxPaidStores = 10
	// maxSkipped bounds the skipped stores that an answer lists.
	maxSkipped = 10
	// paidHit is the maximum size of a hit from a store at level search, in bytes:
	// each byte of a passage of 700 may take six when escaped, and each byte of a
	// key of 512 two; the rest is the store's ID and the members' names.
	paidHit = 5600
	// paidRest is the size of the rest of the answer, with the charges of all
	// stores, and paidCursor the size of a cursor: see maxPaged.
	paidRest   = 4000
	paidCursor = 3400
)

// bound limits a search that may be charged, so that the answer has room for
// each hit and, if paged is set, for a cursor.
func (c *call) bound(r *search.Request, paged bool) error {
	switch {
	case !r.Passages:
		return refuse("Error: `passages` must not be false in a search that has to be paid for")
	case len(r.Stores) > maxPaidStores:
		return refuse("Error: `max_charge` pays for at most %d stores", maxPaidStores)
	}
	room := c.maxAnswer - paidRest
	if paged {
		room -= paidCursor
	}
	r.Limit = min(r.Limit, maxPaidHits, room/paidHit)
	return nil
}

// billed is the part of an answer with its price, in micros. GET /v1/usage
// returns the receipts and the entries of a charge.
type billed struct {
	Charges []charged `json:"charges,omitempty"`
	Balance *int64    `json:"balance,omitempty"` // of the caller's account
	Skipped []skipped `json:"skipped,omitempty"`
}

type charged struct {
	ID     uuid.UUID `json:"id"`
	Store  string    `json:"store_id"`
	Offer  string    `json:"offer"`
	Amount int64     `json:"amount"`
}

type skipped struct {
	Store  string            `json:"store_id"`
	Offer  string            `json:"offer,omitempty"`
	Reason search.SkipReason `json:"reason"`
}

func billOf(b search.Bill) billed {
	out := billed{Balance: b.Balance}
	for _, c := range b.Charges {
		out.Charges = append(out.Charges, charged{c.ID, c.Store, c.Offer, c.Amount})
	}
	for _, s := range b.Skipped[:min(len(b.Skipped), maxSkipped)] {
		out.Skipped = append(out.Skipped, skipped(s))
	}
	return out
}

// ask runs a search for a model. paged reports that its answer has a cursor, unless it is
// a search of an offer.
func (c *call) ask(ctx context.Context, r meter.SearchRequest, paged bool) (search.Answer, error) {
	r.Prompted, r.Payment = true, c.payment
	r.Call = func() (memory.Idempotency, error) { return c.identity(), nil }
	r.Fit = func(r *search.Request, offered bool) error { return c.bound(r, paged && !offered) }
	found, err := c.market.Search(ctx, c.caller, r)
	if err == nil {
		c.settled, c.receipts = found.Settled, receiptsOf(found.Bill)
	}
	var broken *memory.RuleError
	if errors.As(err, &broken) && broken.Field == "max_charge" {
		err = because(err, "Error: `max_charge` %s, in micros", broken.Rule)
	}
	return found.Answer, err
}

// errKeyedWrite refuses an Idempotency-Key for a writing call. Tools record no
// writes under keys, and ignoring the key would repeat the write.
var errKeyedWrite = refuse("Error: a call that writes takes no Idempotency-Key")

// identity identifies the call and its input, so that it is charged once per
// Idempotency-Key or payment.
func (c *call) identity() memory.Idempotency {
	i := memory.Idempotency{Operation: "tool " + c.name, Digest: c.inputDigest()}
	if c.idempotencyKey != nil {
		i.Key = c.service.Secret().Digest("key", *c.idempotencyKey)
	}
	return i
}

// inputDigest returns a digest of the input that is independent of its JSON
// formatting.
func (c *call) inputDigest() string {
	text := []byte(c.input)
	var input any
	decoder := json.NewDecoder(bytes.NewReader(c.input))
	decoder.UseNumber()
	if decoder.Decode(&input) == nil {
		if sorted, err := json.Marshal(input); err == nil {
			text = sorted
		}
	}
	return c.service.Secret().Digest("tool", c.name, string(text))
}

// resource describes the call for a payment.
func (c *call) resource() meter.Resource {
	url := "mcp://tool/" + c.name
	return meter.Resource{URL: url, Description: "A search of a store by the tool " + c.name, Method: "CALL", Path: url, Body: c.inputDigest()}
}

// priced returns the result of an unpaid call: the requirements of the payment
// methods, with the price, the balance and the offer.
func (c *call) priced(price *search.PaymentError, err error) (Result, error) {
	result := Result{Structured: true, IsError: true, Payment: make(http.Header), cause: err}
	c.payments.Ask(result.Payment, c.resource(), price.Price, err)
	answer := make(map[string]any)
	if ask := c.payments.Required(c.resource(), price.Price, err); ask != nil {
		text, err := json.Marshal(ask)
		if err != nil {
			return Result{}, err
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return Result{}, err
		}
	}
	var refusal *meter.PaymentRefusal
	if !errors.As(err, &refusal) {
		answer["error"] = price.Error()
	} else if refusal.Settled != nil {
		if result.Settlement, err = json.Marshal(payment.Response(refusal.Settled, nil)); err != nil {
			return Result{}, err
		}
	}
	answer["price"], answer["balance"], answer["offer"] = price.Price, price.Balance, price.Offer
	result.Text, err = encode(answer)
	return result, err
}

// settle adds the settlement of the call's payment to a result.
func (c *call) settle(result *Result) (err error) {
	if c.settled == nil {
		return nil
	}
	result.Payment = make(http.Header)
	c.payments.Settled(result.Payment, c.settled, c.receipts)
	result.Settlement, err = json.Marshal(payment.Response(c.settled, c.receipts))
	return err
}

func receiptsOf(b search.Bill) (receipts []string) {
	for _, charge := range b.Charges {
		receipts = append(receipts, charge.Receipt)
	}
	return receipts
}
