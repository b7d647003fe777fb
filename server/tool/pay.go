package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
	"mneme/meter/payment"
)

// Market runs searches that may cost something; see meter.Market.
type Market interface {
	Search(context.Context, memory.Caller, meter.SearchRequest) (meter.SearchResult, error)
}

// maxPaidHits bounds the hits of a search that may be charged for: as many as an
// answer always has room for.
const maxPaidHits = 10

// billed is the part of an answer that says what it cost, in micros. Receipts and
// the entries of a charge stand in GET /v1/usage.
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
	Offer  string            `json:"offer"`
	Reason memory.SkipReason `json:"reason"`
}

func billOf(b memory.Bill) billed {
	out := billed{Balance: b.Balance}
	for _, c := range b.Charges {
		out.Charges = append(out.Charges, charged{c.ID, c.Store, c.Offer, c.Amount})
	}
	for _, s := range b.Skipped {
		out.Skipped = append(out.Skipped, skipped(s))
	}
	return out
}

// ask runs a search. A store that costs something is searched if the call names it,
// and is paid for from the account if the call gives max_charge and the caller's
// token has the scope spend. If it is the only store of the call, it is paid for by
// the payment that came with the call, or its price is the error.
//
// SECURITY: a model may be told to buy by what it reads. Barred is the token's, and
// nothing in a call's input changes it.
func (c *call) ask(ctx context.Context, r memory.SearchRequest) (memory.Answer, error) {
	if c.market == nil {
		return c.service.Search(ctx, c.caller, r)
	}
	r.Purchase.Named, r.Purchase.Limit, r.Purchase.Barred = r.Stores, r.Limit, !c.caller.Spend
	found, err := c.market.Search(ctx, c.caller, meter.SearchRequest{SearchRequest: r, Call: c.identity()})
	if err != nil || len(r.Stores) != 1 {
		return found.Answer, err
	}
	for _, s := range found.Bill.Skipped {
		if s.Store == r.Stores[0] {
			return c.buy(ctx, r, s)
		}
	}
	return found.Answer, nil
}

// buy searches a store that a search has skipped, by the payment that came with
// the call. Without one the error is a priceError.
func (c *call) buy(ctx context.Context, r memory.SearchRequest, s memory.Skipped) (memory.Answer, error) {
	offer, err := uuid.Parse(s.Offer)
	if err != nil {
		return memory.Answer{}, err
	}
	r.Stores = nil // it is the offer's
	r.Purchase = memory.Purchase{Offer: offer, MaxCharge: r.Purchase.MaxCharge, Limit: r.Limit, Barred: true}
	found, err := c.market.Search(ctx, c.caller, meter.SearchRequest{SearchRequest: r, Call: c.identity(), Payment: c.payment})
	if err == nil {
		c.settlement, err = settlementOf(found)
		return found.Answer, err
	}
	var refused *meter.RefusedError
	var price *memory.PaymentError
	if errors.As(err, &price) && !errors.As(err, &refused) {
		price.Reason = whyUnpaid(s.Reason)
	}
	return found.Answer, err
}

// whyUnpaid says what a call lacks that pays from the account.
func whyUnpaid(reason memory.SkipReason) string {
	switch reason {
	case memory.SkipNoConsent:
		return "this session may not spend from the account: its token lacks the scope spend"
	case memory.SkipBalance:
		return "the account's balance is less than the price"
	default:
		return "give max_charge, in micros, of at least the price"
	}
}

// identity names the call, and what it asks for, so that a payment pays for it
// once.
func (c *call) identity() memory.Idempotency {
	return memory.Idempotency{Operation: "tool " + c.name, Digest: c.inputDigest()}
}

// inputDigest returns a digest of the input that does not depend on how it is
// spelled.
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
	return c.service.Digest("tool", c.name, string(text))
}

// resource is the call as a payment names it.
func (c *call) resource() meter.Resource {
	url := "mcp://tool/" + c.name
	return meter.Resource{URL: url, Description: "A search of a store by the tool " + c.name, Method: "CALL", Path: url, Body: c.inputDigest()}
}

// priced returns the result of a call that has to be paid for: what the payment
// methods ask for, with the price, the balance and the offer.
func (c *call) priced(price *memory.PaymentError, err error) (Result, error) {
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
	}
	answer["price"], answer["balance"], answer["offer"] = price.Price, price.Balance, price.Offer
	text, encodeErr := encode(answer)
	return Result{Text: text, Structured: true, IsError: true, cause: err}, encodeErr
}

// settlementOf returns what x402 answers to a payment; nil if there was none.
func settlementOf(found meter.SearchResult) (json.RawMessage, error) {
	if found.Settled == nil {
		return nil, nil
	}
	var receipts []string
	for _, charge := range found.Bill.Charges {
		receipts = append(receipts, charge.Receipt)
	}
	return json.Marshal(payment.Response(found.Settled, receipts))
}
