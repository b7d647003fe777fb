package meter

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/search"
)

// SearchAPI is the search of every surface. It alone decides whether a search buys, what
// it may show and what it costs. Surfaces only translate requests into a SearchRequest,
// and results and errors into their own form.
type SearchAPI interface {
	// Search returns the errors of MarketAPI, and a RefusedError for a payment that
	// was refused.
	Search(ctx context.Context, c memory.Caller, r SearchRequest) (SearchResult, error)
}

// SearchRequest is a search request as a surface received it.
type SearchRequest struct {
	search.Request // its Purchase is set by Search
	// Offer, unless uuid.Nil, is an offer: only its store is searched.
	Offer uuid.UUID
	// MaxCharge bounds the sum of the charges, in micros; nil: not given.
	MaxCharge *int64
	// Payment is the request's payment; nil: none. It pays for the store of Offer or, if
	// the request is Prompted, for the only store in Stores.
	Payment *Payment
	// Call returns the operation, path and digest of the body, which identify a repetition of
	// the call. Its Key is "" without an Idempotency-Key. Search calls it if the search may
	// buy; nil: the call cannot be repeated.
	Call func() (memory.Idempotency, error)
	// Prompted reports whether a model sends the request, possibly because a text that it read
	// told it to. Therefore the account pays only if MaxCharge is given and the token has the
	// scope spend. If Stores has a single store, and it must be paid for, Payment pays or,
	// without one, the account; if neither can, the search fails with an error that states the
	// price. A search of several stores leaves out those that are not paid for.
	Prompted bool
	// Fit, unless nil, limits a search that may be charged for to the size that the surface
	// can show, or refuses it. offered reports whether it is a search of an offer.
	Fit func(r *search.Request, offered bool) error
}

// SearchResult is the answer of a search that may have bought.
type SearchResult struct {
	search.Answer
	Settled *Settled // nil: there was no payment
}

// order is a SearchRequest with the decision on what it may buy, in Purchase, and who pays.
type order struct {
	search.Request
	Call    memory.Idempotency
	Payment *Payment // nil: the account pays
}

// Search implements SearchAPI. The first of these cases that a request matches decides which
// metered stores it searches, and who pays:
//
//	Offer       the store of the offer; the payment or, without one, the account
//	Prompted    the stores that may be charged for (see Prompted); the payment or the account
//	MaxCharge   the stores that the request names; the account
//	otherwise   none
func (m *Market) Search(ctx context.Context, c memory.Caller, r SearchRequest) (SearchResult, error) {
	if err := r.check(); err != nil {
		return SearchResult{}, err
	}
	switch {
	case r.Offer != uuid.Nil:
		// SECURITY: the scope is the token's, and nothing in a request changes it.
		barred := r.Prompted && (!c.Spend || r.MaxCharge == nil)
		found, err := m.place(ctx, c, r, search.Purchase{Offer: r.Offer, MaxCharge: r.MaxCharge, Barred: barred}, r.Payment)
		return found, r.explain(c, err, "")
	case r.Prompted:
		return m.searchPrompted(ctx, c, r)
	default:
		return m.place(ctx, c, r, search.Purchase{MaxCharge: r.MaxCharge}, nil)
	}
}

// check checks the fields of a request that concern buying.
func (r *SearchRequest) check() error {
	switch {
	case r.Offer != uuid.Nil && len(r.Stores) > 0:
		return rule("offer", "must not be given together with a store")
	case r.Payment != nil && r.Offer == uuid.Nil && !r.Prompted:
		return rule("payment", "pays only for a search of an offer")
	}
	return CheckMaxCharge(r.MaxCharge)
}

// CheckMaxCharge checks a request's bound on charges, in micros; nil: none.
func CheckMaxCharge(most *int64) error { return checkRange("max_charge", most, MaxAmount) }

// searchPrompted runs a prompted search that names no offer. If the request names a single
// store, and the search leaves it out because the account does not pay, searchPrompted searches
// the store again under its offer, for the payment. Without a payment it then returns the price
// as a search.PaymentError, or the error that Admit checks first, such as a spent cap.
func (m *Market) searchPrompted(ctx context.Context, c memory.Caller, r SearchRequest) (SearchResult, error) {
	// SECURITY: the scope is the token's, and nothing in a request changes it.
	p := search.Purchase{MaxCharge: r.MaxCharge, Barred: !c.Spend}
	alone := len(r.Stores) == 1
	if alone && r.Payment != nil { // the account does not pay, whatever its balance
		p.MaxCharge = nil
	}
	found, err := m.place(ctx, c, r, p, nil)
	if err != nil || !alone {
		return found, err
	}
	i := slices.IndexFunc(found.Bill.Skipped, func(s search.Skipped) bool { return s.Store == r.Stores[0] })
	if i < 0 {
		return found, nil
	}
	skipped := found.Bill.Skipped[i]
	if r.Offer, err = uuid.Parse(skipped.Offer); err != nil {
		return SearchResult{}, err
	}
	r.Stores = nil // the offer names the store
	found, err = m.place(ctx, c, r, search.Purchase{Offer: r.Offer, MaxCharge: r.MaxCharge, Barred: true}, r.Payment)
	return found, r.explain(c, err, skipped.Reason)
}

// place runs a request with a purchase. The payment pays or, if paid is nil, the account.
func (m *Market) place(ctx context.Context, c memory.Caller, r SearchRequest, p search.Purchase, paid *Payment) (SearchResult, error) {
	o := order{Request: r.Request, Payment: paid}
	o.Purchase = p
	if r.Fit != nil && (p.Offer != uuid.Nil || r.MaxCharge != nil) {
		if err := r.Fit(&o.Request, p.Offer != uuid.Nil); err != nil {
			return SearchResult{}, err
		}
	}
	if p.Offer == uuid.Nil && p.MaxCharge == nil {
		answer, err := m.ask(ctx, c, o.Request)
		return SearchResult{Answer: answer}, err
	}
	if r.Call != nil {
		var err error
		if o.Call, err = r.Call(); err != nil {
			return SearchResult{}, err
		}
	}
	found, err := m.search(ctx, c, o)
	if err != nil && paid != nil {
		m.refused.count(refusalNames(c, &o), err, m.service.Instant())
	}
	return found, err
}

// explain adds to the PaymentError of a prompted search why the account did not pay. skipped is
// the reason for which the search left out the named store; "": the request named an offer. It
// leaves other errors unchanged.
func (r *SearchRequest) explain(c memory.Caller, err error, skipped search.SkipReason) error {
	var refused *RefusedError
	var price *search.PaymentError
	switch {
	case !r.Prompted || !errors.As(err, &price) || errors.As(err, &refused):
	case r.Payment != nil && r.MaxCharge == nil: // the payment covers too little
	case skipped != "":
		price.Reason = lacking(skipped)
	case !c.Spend:
		price.Reason = lacking(search.SkipNoConsent)
	case r.MaxCharge == nil:
		price.Reason = lacking(search.SkipNoCharge)
	}
	return err
}

// lacking returns the sentence that tells a model why its account could not pay, and what a
// request needs so that it can. reason is that for which the store was left out.
func lacking(reason search.SkipReason) string {
	switch reason {
	case search.SkipNoConsent:
		return "this session may not spend from the account: its token lacks the scope spend"
	case search.SkipBalance:
		return "the account's balance is less than the price"
	default:
		return "give max_charge, in micros, of at least the price"
	}
}
