package meter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// quota is how much a search may show of a store, and what it costs, as read in one
// transaction.
type quota struct {
	access  acl.Access
	named   bool   // by the request
	offer   *Offer // nil: the grant is not metered
	terms   Terms  // of the metered grant
	limits  []limit
	shown   map[Window]Count // to this buyer
	all     []limit          // of the offer, over all buyers
	allOf   map[Window]Count // shown to all buyers
	search  int64            // price of the search, in micros
	skipped search.SkipReason
	leftOut bool // the search leaves the store out; skipped is the reason that it states, if any
}

// metered reports whether the grant is metered.
func (q *quota) metered() bool { return q.access.Offer != "" }

// remaining returns how many more new entries may be shown.
func (q *quota) remaining() int64 {
	return min(remaining(q.limits, q.shown), remaining(q.all, q.allOf))
}

// spent returns the error for a spent cap; nil if none is.
func (q *quota) spent(at time.Time) *search.CapError {
	own, all := spent(q.access.Store, q.limits, q.shown, at), spent(q.access.Store, q.all, q.allOf, at)
	if own == nil || all != nil && all.RetryAfter > own.RetryAfter {
		return all
	}
	return own
}

// leave leaves the store out of the search.
func (q *quota) leave(reason search.SkipReason) { q.leftOut, q.skipped = true, reason }

// loadQuotas reads the quotas of stores. The stores that the request names come first, in
// the order of the request.
func loadQuotas(ctx context.Context, tx pricer, c memory.Caller, named []string, stores []acl.Access, at time.Time) ([]*quota, error) {
	quotas := make([]*quota, 0, len(stores))
	var keys []CountKey
	for _, access := range orderStores(named, stores) {
		q := &quota{access: access, named: slices.Contains(named, access.Store), limits: grantLimits(access.Caps)}
		for _, name := range holders(c.Agent, c.Taint) {
			keys = append(keys, buyerKeys(access.Store, name, at)...)
		}
		if q.metered() {
			if err := q.readOffer(ctx, tx); err != nil {
				return nil, err
			}
			for label := acl.Public; label <= max(c.Taint, acl.Public); label++ {
				keys = append(keys, offerKeys(q.offer.ID, label, at)...)
			}
		}
		quotas = append(quotas, q)
	}
	counts, err := tx.Counts(ctx, keys)
	if err != nil {
		return nil, err
	}
	n := len(holders(c.Agent, c.Taint)) * len(windows)
	for _, q := range quotas {
		q.shown, counts = byWindow(counts[:n]), counts[n:]
		if q.metered() {
			q.allOf, counts = byWindow(counts[:n]), counts[n:]
			q.search = q.terms.prices().OfSearch(q.shown[WindowDay].Searches)
		}
	}
	return quotas, nil
}

// orderStores returns stores in the order in which the search spends its funds on them: first
// the named ones, as the request names them, then the others.
func orderStores(named []string, stores []acl.Access) []acl.Access {
	rank := make(map[string]int, len(named))
	for i, store := range named {
		if _, twice := rank[store]; !twice {
			rank[store] = i - len(named)
		}
	}
	stores = slices.Clone(stores)
	slices.SortStableFunc(stores, func(a, b acl.Access) int { return rank[a.Store] - rank[b.Store] })
	return stores
}

// readOffer reads the offer of a metered grant, and the terms that the grant recorded.
func (q *quota) readOffer(ctx context.Context, tx OfferReader) error {
	id, err := uuid.Parse(q.access.Offer)
	if err != nil {
		return fmt.Errorf("offer of a grant: %w", err)
	}
	if q.offer, err = tx.Offer(ctx, id); err != nil {
		return err
	}
	if q.offer == nil {
		return fmt.Errorf("the offer of a grant is missing")
	}
	if err := json.Unmarshal([]byte(q.access.Terms), &q.terms); err != nil {
		return fmt.Errorf("terms of a grant: %w", err)
	}
	q.limits, q.all = q.terms.limits(), q.offer.Caps.limits()
	return nil
}

// funds are the amounts that a search may still spend, in micros.
type funds struct {
	charge  int64 // left of max_charge
	money   int64 // left of the payment or, without one, of the account
	balance int64 // of the account, before the search
	short   search.SkipReason
	barred  bool // the caller may not spend from its account, and there is no payment
	unasked bool // no max_charge was given
}

// fundsOf returns what a search may spend in stores with these quotas.
func fundsOf(ctx context.Context, tx Balancer, c memory.Caller, p search.Purchase, quotas []*quota) (funds, error) {
	if !slices.ContainsFunc(quotas, (*quota).metered) {
		return funds{}, nil
	}
	balance, err := tx.Balance(ctx, Holder(c.Agent, c.Taint))
	if err != nil {
		return funds{}, err
	}
	f := funds{
		charge: MaxBalance, money: balance, balance: balance, short: search.SkipBalance,
		barred: p.Barred && p.Payment == nil, unasked: p.MaxCharge == nil,
	}
	if p.MaxCharge != nil {
		f.charge = *p.MaxCharge
	}
	if p.Payment != nil {
		f.money = p.Payment.Covers
	}
	return f, nil
}

// lacks returns why a price cannot be paid; "" if it can.
func (f *funds) lacks(price int64) search.SkipReason {
	switch {
	case price == 0:
		return ""
	case price > f.charge:
		return search.SkipNoCharge
	case price > f.money:
		return f.short
	}
	return ""
}

func (f *funds) spend(price int64) {
	f.charge -= price
	f.money -= price
}

// admit decides which stores are searched, and reserves the price of each search. offer is
// the offer that the request names, or uuid.Nil, and limit is how many hits the request asks
// for. If admit returns an error, the whole search fails.
func admit(quotas []*quota, f *funds, c memory.Caller, offer uuid.UUID, limit int, at time.Time) error {
	for _, q := range quotas {
		spent := q.spent(at)
		switch {
		case !q.metered() && offer != uuid.Nil:
			return conflict("the caller already has a level on this store")
		case !q.metered() && spent == nil:
		case !q.metered() && q.named:
			return spent
		case !q.metered():
			q.leave("")
		case !q.offer.Label.CanFlowTo(c.Taint) && q.named: // only sessions with at least its label see the offer
			return acl.ErrDenied
		case !q.offer.Label.CanFlowTo(c.Taint):
			q.leave("")
		case offer != uuid.Nil:
			if err := q.admitOffered(f, offer, limit, spent); err != nil {
				return err
			}
		default:
			q.admitNamed(f, spent)
		}
	}
	return nil
}

// admitNamed decides on a metered store that the search may leave out.
func (q *quota) admitNamed(f *funds, spent *search.CapError) {
	switch lacks := f.lacks(q.search); {
	case !q.named:
		q.leave(search.SkipNotNamed)
	case f.barred:
		q.leave(search.SkipNoConsent)
	case f.unasked:
		q.leave(search.SkipNoCharge)
	case spent != nil:
		q.leave(search.SkipCap)
	case lacks != "":
		q.leave(lacks)
	default:
		f.spend(q.search)
	}
}

// admitOffered decides on the store of a search of an offer.
func (q *quota) admitOffered(f *funds, offer uuid.UUID, limit int, spent *search.CapError) error {
	if q.offer.ID != offer {
		return conflict("the caller searches this store under another offer")
	}
	if spent != nil {
		return spent
	}
	lacks := f.lacks(q.search)
	if f.barred {
		lacks = search.SkipNoConsent
	}
	if lacks != "" {
		return q.unpaid(f.balance, limit, lacks)
	}
	f.spend(q.search)
	return nil
}

// unpaid returns the error that states the price of a search of the store for up to limit hits,
// and the reason why the search was not paid.
func (q *quota) unpaid(balance int64, limit int, reason search.SkipReason) *search.PaymentError {
	// SECURITY: the price does not depend on the caps over all buyers.
	own := remaining(q.limits, q.shown)
	return &search.PaymentError{
		Offer:   q.offer.ID.String(),
		Price:   q.terms.prices().Highest(limit, q.shown[WindowDay].Searches, q.shown[WindowTotal].Entries, own),
		Balance: balance,
		Reason:  reasons[reason],
	}
}

// reasons are the texts of PaymentErrors.
var reasons = map[search.SkipReason]string{
	search.SkipNoCharge:  "max_charge is less than the price of the search",
	search.SkipBalance:   "the balance or payment is less than the price of the search",
	search.SkipNoConsent: "the token may not spend from the account",
	skipUnpaid:           "it needs an accepted grant or a payment",
}

// skipUnpaid is the reason of a search of an offer with neither grant nor payment.
const skipUnpaid search.SkipReason = "unpaid"
