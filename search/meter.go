package search

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Meter bounds what searches show of stores on which the caller has level
// search, and sells it where an offer meters the grant. Package meter implements
// it; a Searcher without one bounds and sells nothing.
//
// Stores that a search was not given to Admit, or that Admit left out, are not
// searched. Nothing of them is shown unless Sale.Take allowed it and Sale.Close
// succeeded, in the transaction that read the values.
type Meter interface {
	// Offered returns the grant under which a search of p.Offer runs: the caller's
	// metered grant, or one in place of which it pays. It returns ErrNotFound if
	// there is no such offer for this caller, a ConflictError if it has another
	// level on the store, and a PaymentError if it has no grant and nothing is paid.
	Offered(ctx context.Context, tx memory.ReadTx, c memory.Caller, p Purchase, at time.Time) (acl.Grant, error)
	// Admit decides, before the legs, which stores a search may look in: those on
	// which the caller has level search. It returns those left out, with their
	// metered ones as Skipped. The error is a CapError if a named store's cap is
	// spent and it may not be left out, and a PaymentError if a paid search has
	// no room for the price of one search.
	Admit(ctx context.Context, tx memory.ReadTx, c memory.Caller, p Purchase, stores []acl.Access, at time.Time) (Admission, error)
	// Open begins the sale of a search in the transaction that decides it. stores
	// are those of Admission, as they are in this transaction; a store without
	// candidates is charged for its search too, if it was named. candidates are
	// the visible entries, with their values, that may become hits, best first.
	// It has Admit's errors, and ErrFenced. It locks the claim before all else, but
	// leaves it as it is: Purchase.Keep writes it.
	Open(ctx context.Context, tx memory.Tx, c memory.Caller, p Purchase, stores []acl.Access, candidates []memory.Entry, at time.Time) (Sale, error)
	// Sold tells the meter that the transaction in which Sale.Close returned a bill
	// has committed, for what it observes.
	Sold(c memory.Caller, bill Bill)
}

// Sale is what one search buys.
type Sale interface {
	// Take reports whether a candidate may be shown, and reserves its price. It is
	// called once for each hit that the answer has room for, in the order of the
	// answer. After it refused a store's entry, it refuses every further one of the
	// store.
	Take(id uuid.UUID) bool
	// Close charges for the hits of the answer, best first, and marks them as bought.
	// Those of the stores of Open were taken. Hits of other stores are only kept with
	// the claim.
	Close(ctx context.Context, hits []ShownHit) (Bill, error)
}

// ShownHit is a hit of an answer with the ID of its entry, which a hit of a store
// at level search does not have.
type ShownHit struct {
	ID uuid.UUID
	*Hit
}

// Purchase is what a search may buy. The zero value buys nothing.
type Purchase struct {
	// Named are the stores that the request names, in its order.
	Named []string
	// Offer, unless uuid.Nil, is the offer through which the search was asked for.
	// Then Named is its store alone.
	Offer uuid.UUID
	// MaxCharge bounds the sum of the charges, in micros; nil: a search of an
	// offer has no bound of its own, any other one buys nothing.
	MaxCharge *int64
	// Limit is how many hits the request asks for: it bounds the price that a
	// PaymentError names.
	Limit int
	// Barred says that the caller may not spend from its account: a token without
	// scope spend, on a surface that asks for it.
	Barred bool
	// Payment, unless nil, is the amount in micros that a payment covers, which
	// came with the request: the account is not charged.
	Payment *int64
	// Claim, unless nil, is held by this search: only its newest holder may charge.
	Claim *ClaimRef
	// Keep, unless nil, is called in the transaction that decides the search, after
	// Sale.Close, with the whole answer: its hits in their order, with or without
	// values, and its bill. It keeps what a repetition of the call answers.
	Keep func(ctx context.Context, tx memory.Tx, a *Answer) error `json:"-"`
}

// ClaimRef is a claim with the fencing number of one holder.
type ClaimRef struct {
	ID    uuid.UUID
	Fence int64
}

// Admission says which search-only stores a search looks in.
type Admission struct {
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
