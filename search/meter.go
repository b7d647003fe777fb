package search

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Meter bounds what searches show of stores on which the caller has level search, and sells it
// where an offer meters the grant. A search asks it once before the legs, and once for the
// answer; one that looks in no such store never asks it. Package meter implements it; a
// Searcher without one bounds and sells nothing.
//
// Stores that a search did not give to Admit, or that Admit left out, are not searched.
type Meter interface {
	// Admit decides which of the stores on which the caller has level search a search looks
	// in. A search of p.Offer has no stores: it looks in the offer's, by the Grant that Admit
	// returns. The error is a CapError if a named store's cap is spent and it may not be
	// left out. For an offer it is ErrNotFound if there is none for this caller, a
	// ConflictError if the caller has another level on its store, and a PaymentError if
	// nothing pays for one search.
	Admit(ctx context.Context, tx memory.ReadTx, c memory.Caller, p Purchase, stores []acl.Access, at time.Time) (Admission, error)
	// Sell decides what an answer shows, charges for it, marks it as bought, and keeps it
	// with p.Claim, in the transaction that read the values. It has Admit's errors, and
	// ErrFenced; if the terms of the offer have changed since Admit it is a ConflictError.
	Sell(ctx context.Context, tx memory.Tx, c memory.Caller, p Purchase, o Offering, at time.Time) (Sale, error)
}

// Offering is what a search has found for its answer.
type Offering struct {
	// Stores are those that Admit admitted, as they are in the transaction. One without
	// candidates is charged for its search, too, if the request named it.
	Stores     []acl.Access
	Candidates []Candidate // in the order of the answer
	// Limit is how many hits the answer has at most, and MaxTokens how many tokens; 0: any.
	Limit, MaxTokens int
	// What follows is kept with the claim, for repetitions of the call.
	Skipped    []Skipped // by Admit
	Degraded   []string
	Incomplete bool
}

// Candidate may be a hit of an answer.
type Candidate struct {
	Entry   *memory.Entry // with its value if it is ForSale
	ForSale bool          // it is of one of Offering.Stores
	Hit     *Hit          // as the answer shows it
	Tokens  int           // of Hit, if there are MaxTokens; below 0: more than those
	// CutTokens, if Tokens is below 0, are those of the hit as the first of an answer, which
	// is cut to fit.
	CutTokens int
}

// Sale is what an answer shows and costs.
type Sale struct {
	Shown []int // indices of the candidates that are hits, ascending
	Over  int   // candidates within Limit, not for sale, for which there was no room in MaxTokens
	Bill  Bill
}

// Choose returns what an answer shows of an offering, without a bill: the candidates within
// Limit and MaxTokens, in their order, of those for sale the ones that take admits. take is
// called for each that the answer has room for. The first of a store that it refuses, or
// that does not fit, ends the hits of that store.
//
// SECURITY: it ends nothing else. What is not shown takes neither room nor money from hits of
// other stores: they would reveal it.
func (o *Offering) Choose(take func(*Candidate) bool) (made Sale) {
	used, full := 0, false
	ended := make(map[string]bool)
	for i := range o.Candidates {
		if len(made.Shown)+made.Over == o.Limit {
			break
		}
		c := &o.Candidates[i]
		tokens, fits := o.fit(c, used, len(made.Shown) == 0)
		switch store := c.Entry.Store; {
		case !c.ForSale:
			if full = full || !fits; full {
				made.Over++
				continue
			}
		case full || ended[store]:
			continue
		case !fits || !take(c):
			ended[store] = true
			continue
		}
		used += tokens
		made.Shown = append(made.Shown, i)
	}
	return made
}

// fit returns the tokens that a candidate takes of an answer's, and whether those that are used
// leave room for them. The first one is cut to fit.
func (o *Offering) fit(c *Candidate, used int, first bool) (tokens int, fits bool) {
	switch {
	case o.MaxTokens == 0:
		return 0, true
	case c.Tokens >= 0 && used+c.Tokens <= o.MaxTokens:
		return c.Tokens, true
	}
	return c.CutTokens, first
}

// Purchase is what a search may buy. The zero value buys nothing.
type Purchase struct {
	// Named are the stores that the request names, in its order.
	Named []string
	// Offer, unless uuid.Nil, is the offer through which the search was asked for.
	// Then Named is its store alone, and Grant what Admit returned.
	Offer uuid.UUID
	Grant *acl.Grant
	// MaxCharge bounds the sum of the charges, in micros; nil: a search of an
	// offer has no bound of its own, any other one buys nothing.
	MaxCharge *int64
	// Limit is how many hits the request asks for: it bounds the price that a
	// PaymentError names.
	Limit int
	// Barred says that the caller may not spend from its account: a token without
	// scope spend, on a surface that asks for it.
	Barred bool
	// Payment, unless nil, came with the request: the account is not charged.
	Payment *Payment
	// Claim, unless nil, is held by this search: only its newest holder may charge.
	Claim *ClaimRef
	// Repeated says that the answer was given before. It costs nothing: Admit returns the
	// Grant of Offer alone, and nil if the caller can no longer buy by it.
	Repeated bool
}

// Payment pays for a search.
type Payment struct {
	Covers int64           // micros
	Method json.RawMessage // what Meter keeps with the claim to settle it
}

// ClaimRef is a claim with the fencing number of one holder.
type ClaimRef struct {
	ID    uuid.UUID
	Fence int64
	Hold  time.Duration // how long the holder has it from a sale on
}

// Admission says which search-only stores a search looks in.
type Admission struct {
	// Grant is the one under which an offer is searched: the caller's metered grant, or one
	// in place of which it pays; nil without an offer.
	Grant   *acl.Grant
	LeftOut []string  // stores that are not searched
	Skipped []Skipped // the metered ones among them
}

// Skipped is a store that a search left out.
type Skipped struct {
	Store  string
	Offer  string // "": the store is not metered
	Reason SkipReason
}

// SkipReason says why a store was left out.
type SkipReason string

// The reasons.
const (
	SkipNotNamed  SkipReason = "not_named"  // stores does not name it
	SkipNoCharge  SkipReason = "max_charge" // max_charge is missing, or its rest is less than the price of a search
	SkipCap       SkipReason = "cap"        // a cap is spent
	SkipBalance   SkipReason = "balance"    // the balance is less than the price of a search
	SkipNoConsent SkipReason = "spend"      // the caller's token may not spend
	SkipWords     SkipReason = "prefix"     // a prefix of match stands for too many words there
	SkipBudget    SkipReason = "budget"     // a condition would read too much of its values
)

// Bill is what a search cost.
type Bill struct {
	Charges []Charge
	Skipped []Skipped
	Balance *int64 // of the caller's account, in micros, if there are charges
}

// Charge is what a search cost in one store.
type Charge struct {
	ID      uuid.UUID
	Store   string
	Offer   string
	Amount  int64       // micros, the whole
	Search  int64       // the part of Amount that the search itself cost
	Entries []uuid.UUID // newly charged
	Receipt string      // JWS
}

// ErrFenced: another request took over the claim.
var ErrFenced = fmt.Errorf("another request took over the claim of this payment or Idempotency-Key")

// CapError says that a cap on searches of a store is spent.
type CapError struct {
	Store      string // "": of all stores
	Cap        string // the name of the cap
	RetryAfter time.Duration
}

func (e *CapError) Error() string {
	if e.Store == "" {
		return "the cap " + e.Cap + " is spent"
	}
	return "the cap " + e.Cap + " of this store is spent"
}

// UnsettledError is an ErrUnavailable: nobody knows yet whether the payment of a search is
// settled, so that nothing is shown. A repetition with the same payment answers once it
// is.
type UnsettledError struct{ RetryAfter time.Duration }

func (e *UnsettledError) Error() string {
	return "the payment has no outcome yet: repeat the call with the same payment"
}

// Is reports whether target is ErrUnavailable.
func (e *UnsettledError) Is(target error) bool { return target == memory.ErrUnavailable }

// PaymentError says that a search needs to be paid for.
type PaymentError struct {
	Offer   string
	Price   int64 // the most that the call could cost, in micros
	Balance int64 // of the caller's account, in micros
	Reason  string
}

func (e *PaymentError) Error() string { return "the search has to be paid for: " + e.Reason }
