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

// Meter bounds the hits that searches show from stores on which the caller has level search,
// and sells them where an offer meters the grant. A search calls Admit once before the legs,
// and Sell once for the answer; a search without such stores calls neither. Package meter
// implements Meter; a Searcher without one bounds and sells nothing.
//
// A search leaves out stores that it did not pass to Admit, and those that Admit left out.
type Meter interface {
	// Admit decides which of stores, on which the caller has level search, a search may
	// search. For a search of p.Offer, stores is empty: it searches the offer's store, under
	// the Grant that Admit returns. Admit returns a CapError if the cap of a named store is
	// spent and the store may not be left out. For an offer it returns ErrNotFound if the
	// offer does not exist for this caller, a ConflictError if the caller has another level
	// on its store, and a PaymentError if nothing pays for one search.
	Admit(ctx context.Context, tx memory.ReadTx, c memory.Caller, p Purchase, stores []acl.Access, at time.Time) (Admission, error)
	// Sell chooses the hits that an answer shows, charges for them, records them as bought,
	// and stores the answer with p.Claim, in the transaction that read the values. It returns
	// the errors of Admit, ErrFenced, and a ConflictError if the terms of the offer have
	// changed since Admit.
	Sell(ctx context.Context, tx memory.Tx, c memory.Caller, p Purchase, o Offering, at time.Time) (Sale, error)
}

// Offering has the candidates for an answer, from which a Meter chooses the hits.
type Offering struct {
	// Stores are the admitted stores, with the caller's access in the transaction. The search
	// of a store without candidates costs its price, too, if the request named the store.
	Stores     []acl.Access
	Candidates []Candidate // in the order of the answer
	// Limit bounds the hits of the answer, and MaxTokens its tokens; MaxTokens 0: no bound.
	Limit, MaxTokens int
	Skipped          []Skipped // by Admit: Bill has them, too
	// Degraded and Incomplete are stored with the claim, for repetitions of the call.
	Degraded   []string
	Incomplete bool
}

// Candidate is a possible hit of an answer.
type Candidate struct {
	Entry   *memory.Entry // with its value if ForSale
	ForSale bool          // from one of Offering.Stores
	Hit     *Hit          // as the answer shows it
	Tokens  int           // of Hit, if the offering has MaxTokens; below 0: more than MaxTokens
	// CutTokens, if Tokens is below 0, are the tokens of Hit after it was cut to fit, as the
	// first hit of an answer is.
	CutTokens int
}

// Sale is what an answer shows and costs.
type Sale struct {
	Shown []int // indices of the candidates that are hits, ascending
	Over  int   // number of candidates within Limit, not for sale, that did not fit into MaxTokens
	Bill  Bill
}

// Choose returns the candidates that an answer shows, in their order and within Limit and
// MaxTokens, without a bill. It calls take for each candidate for sale that fits, and shows
// the candidate if take returns true. After the first candidate for sale that does not fit or
// that take refuses, it shows no more candidates of that store.
//
// SECURITY: such a candidate affects no other store. If it used tokens or money that hits of
// other stores need, they would reveal it.
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

// fit returns the tokens of a candidate, and reports whether they fit into an answer that has
// used tokens so far. The first hit is cut to fit.
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
	// Offer, unless uuid.Nil, is the offer that the request searches. Then Named has only
	// its store, and Grant is the Grant that Admit returned.
	Offer uuid.UUID
	Grant *acl.Grant
	// MaxCharge bounds the sum of the charges, in micros; nil: a search of an offer has no
	// bound of its own, and any other search buys nothing.
	MaxCharge *int64
	// Limit is how many hits the request asks for: it bounds the price in a PaymentError.
	Limit int
	// Barred reports whether the caller may not spend from its account, because its token
	// lacks the scope spend on a surface that requires it.
	Barred bool
	// Payment, unless nil, is the request's payment: the account is not charged.
	Payment *Payment
	// Claim, unless nil, is the claim that this search holds: only its newest holder may
	// charge.
	Claim *ClaimRef
	// Repeated reports whether the search was answered before. It then costs nothing: Admit
	// returns only the Grant of Offer, nil if the caller can no longer buy from the offer.
	Repeated bool
}

// Payment pays for a search.
type Payment struct {
	Covers int64           // micros
	Method json.RawMessage // stored with the claim, to settle the payment
}

// ClaimRef identifies the claim that a call has on its payment or Idempotency-Key and, by a
// fencing number, one holder of this claim.
type ClaimRef struct {
	ID    uuid.UUID
	Fence int64
	Hold  time.Duration // how long the holder holds the claim after a sale
}

// Admission is the decision of a Meter on which search-only stores a search may search.
type Admission struct {
	// Grant is the grant under which an offer is searched: the caller's metered grant or, if
	// a payment takes its place, the grant that accepting the offer would give; nil without
	// an offer.
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

// SkipReason is the reason for which a search left out a store.
type SkipReason string

// The reasons.
const (
	SkipNotNamed  SkipReason = "not_named"  // the request does not name the store
	SkipNoCharge  SkipReason = "max_charge" // max_charge is missing, or what is left of it is less than the price of a search
	SkipCap       SkipReason = "cap"        // a cap is spent
	SkipBalance   SkipReason = "balance"    // the balance is less than the price of a search
	SkipNoConsent SkipReason = "spend"      // the caller's token may not spend
	SkipWords     SkipReason = "prefix"     // a prefix in match has too many words in the store
	SkipBudget    SkipReason = "budget"     // a condition would read too much of the store's values
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
	Amount  int64       // micros, in total
	Search  int64       // the part of Amount that the search itself cost
	Entries []uuid.UUID // newly charged
	Receipt string      // JWS
}

// ErrFenced means that another request has taken over the claim.
var ErrFenced = fmt.Errorf("another request took over the claim of this payment or Idempotency-Key")

// CapError reports that a cap on searches of a store is spent.
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

// UnsettledError is an ErrUnavailable: it is not known yet whether the payment for a search is
// settled, so nothing is shown. Once the payment is settled, repeating the call with it returns
// the answer.
type UnsettledError struct{ RetryAfter time.Duration }

func (e *UnsettledError) Error() string {
	return "the payment has no outcome yet: repeat the call with the same payment"
}

// Is reports whether target is ErrUnavailable.
func (e *UnsettledError) Is(target error) bool { return target == memory.ErrUnavailable }

// PaymentError reports that a search must be paid for.
type PaymentError struct {
	Offer   string
	Price   int64 // the most that the call could cost, in micros
	Balance int64 // of the caller's account, in micros
	Reason  string
}

func (e *PaymentError) Error() string { return "the search has to be paid for: " + e.Reason }
