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

// lot is a store in which a search looks, with what it may show of it and ask for
// it, as of one transaction.
type lot struct {
	access  acl.Access
	named   bool   // by the request
	offer   *Offer // nil: the grant is not metered
	terms   Terms  // of the metered grant
	limits  []limit
	shown   map[Window]Count // to this buyer
	all     []limit          // of the offer
	allOf   map[Window]Count // to all its buyers
	search  int64            // price of the search, in micros
	skipped search.SkipReason
	leftOut bool // without a word, or as skipped says
}

// metered reports whether the grant is metered.
func (l *lot) metered() bool { return l.access.Offer != "" }

// room returns how many new entries the lot may show.
func (l *lot) room() int64 { return min(room(l.limits, l.shown), room(l.all, l.allOf)) }

// spent returns the error for a spent cap; nil if none is.
func (l *lot) spent(at time.Time) *search.CapError {
	own, all := spent(l.access.Store, l.limits, l.shown, at), spent(l.access.Store, l.all, l.allOf, at)
	if own == nil || all != nil && all.RetryAfter > own.RetryAfter {
		return all
	}
	return own
}

// leave leaves the lot out.
func (l *lot) leave(reason search.SkipReason) { l.leftOut, l.skipped = true, reason }

// loadLots reads what decides on stores: those that the request names first, in
// its order.
func loadLots(ctx context.Context, tx pricer, c memory.Caller, named []string, stores []acl.Access, at time.Time) ([]*lot, error) {
	lots := make([]*lot, 0, len(stores))
	var keys []CountKey
	for _, access := range orderLots(named, stores) {
		l := &lot{access: access, named: slices.Contains(named, access.Store), limits: grantLimits(access.Caps)}
		for _, name := range holders(c.Agent, c.Taint) {
			keys = append(keys, buyerKeys(access.Store, name, at)...)
		}
		if l.metered() {
			if err := l.readOffer(ctx, tx); err != nil {
				return nil, err
			}
			for label := acl.Public; label <= max(c.Taint, acl.Public); label++ {
				keys = append(keys, offerKeys(l.offer.ID, label, at)...)
			}
		}
		lots = append(lots, l)
	}
	counts, err := tx.Counts(ctx, keys)
	if err != nil {
		return nil, err
	}
	n := len(holders(c.Agent, c.Taint)) * len(windows)
	for _, l := range lots {
		l.shown, counts = byWindow(counts[:n]), counts[n:]
		if l.metered() {
			l.allOf, counts = byWindow(counts[:n]), counts[n:]
			l.search = l.terms.prices().OfSearch(l.shown[WindowDay].Searches)
		}
	}
	return lots, nil
}

// orderLots returns stores in the order in which they may spend.
func orderLots(named []string, stores []acl.Access) []acl.Access {
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

// readOffer reads the offer of a metered grant, and the terms that it keeps.
func (l *lot) readOffer(ctx context.Context, tx OfferReader) error {
	id, err := uuid.Parse(l.access.Offer)
	if err != nil {
		return fmt.Errorf("offer of a grant: %w", err)
	}
	if l.offer, err = tx.Offer(ctx, id); err != nil {
		return err
	}
	if l.offer == nil {
		return fmt.Errorf("the offer of a grant is missing")
	}
	if err := json.Unmarshal([]byte(l.access.Terms), &l.terms); err != nil {
		return fmt.Errorf("terms of a grant: %w", err)
	}
	l.limits, l.all = l.terms.limits(), l.offer.Caps.limits()
	return nil
}

// purse is what a search may still spend, in micros.
type purse struct {
	charge  int64 // of max_charge
	money   int64 // of the payment, or else of the account
	balance int64 // of the account
	short   search.SkipReason
	barred  bool // the caller may not spend from its account, and no payment came
	unasked bool // no max_charge was named
}

// openPurse returns what a search may spend on lots.
func openPurse(ctx context.Context, tx Balancer, c memory.Caller, p search.Purchase, lots []*lot) (purse, error) {
	if !slices.ContainsFunc(lots, (*lot).metered) {
		return purse{}, nil
	}
	balance, err := tx.Balance(ctx, Holder(c.Agent, c.Taint))
	if err != nil {
		return purse{}, err
	}
	w := purse{
		charge: MaxBalance, money: balance, balance: balance, short: search.SkipBalance,
		barred: p.Barred && p.Payment == nil, unasked: p.MaxCharge == nil,
	}
	if p.MaxCharge != nil {
		w.charge = *p.MaxCharge
	}
	if p.Payment != nil {
		w.money = *p.Payment
	}
	return w, nil
}

// lacks says what has no room for a price; "" if both have.
func (w *purse) lacks(price int64) search.SkipReason {
	switch {
	case price == 0:
		return ""
	case price > w.charge:
		return search.SkipNoCharge
	case price > w.money:
		return w.short
	}
	return ""
}

func (w *purse) spend(price int64) {
	w.charge -= price
	w.money -= price
}

// admit decides which lots are searched, and takes the prices of their searches
// from the purse. offer is that through which the search was asked for, or uuid.Nil, and
// limit how many hits it asks for. The error is one for the whole search.
func admit(lots []*lot, w *purse, c memory.Caller, offer uuid.UUID, limit int, at time.Time) error {
	for _, l := range lots {
		spent := l.spent(at)
		switch {
		case !l.metered() && offer != uuid.Nil:
			return conflict("the caller has a level on this store already")
		case !l.metered() && spent == nil:
		case !l.metered() && l.named:
			return spent
		case !l.metered():
			l.leave("")
		case !l.offer.Label.CanFlowTo(c.Taint) && l.named: // the offer exists for higher taints alone
			return acl.ErrDenied
		case !l.offer.Label.CanFlowTo(c.Taint):
			l.leave("")
		case offer != uuid.Nil:
			if err := l.admitOffered(w, offer, limit, spent); err != nil {
				return err
			}
		default:
			l.admitNamed(w, spent)
		}
	}
	return nil
}

// admitNamed decides on a metered store of a search that may leave it out.
func (l *lot) admitNamed(w *purse, spent *search.CapError) {
	switch lacks := w.lacks(l.search); {
	case !l.named:
		l.leave(search.SkipNotNamed)
	case w.barred:
		l.leave(search.SkipNoConsent)
	case w.unasked:
		l.leave(search.SkipNoCharge)
	case spent != nil:
		l.leave(search.SkipCap)
	case lacks != "":
		l.leave(lacks)
	default:
		w.spend(l.search)
	}
}

// admitOffered decides on the store of a search of an offer.
func (l *lot) admitOffered(w *purse, offer uuid.UUID, limit int, spent *search.CapError) error {
	if l.offer.ID != offer {
		return conflict("the caller searches this store under another offer")
	}
	if spent != nil {
		return spent
	}
	lacks := w.lacks(l.search)
	if w.barred {
		lacks = search.SkipNoConsent
	}
	if lacks != "" {
		return l.unpaid(w.balance, limit, lacks)
	}
	w.spend(l.search)
	return nil
}

// unpaid returns the error that names the price of a search of the lot for up to limit
// hits.
func (l *lot) unpaid(balance int64, limit int, reason search.SkipReason) *search.PaymentError {
	// SECURITY: the caps of all buyers together are no part of the price.
	own := room(l.limits, l.shown)
	return &search.PaymentError{
		Offer:   l.offer.ID.String(),
		Price:   l.terms.prices().Highest(limit, l.shown[WindowDay].Searches, l.shown[WindowTotal].Entries, own),
		Balance: balance,
		Reason:  reasons[reason],
	}
}

// reasons are the reasons of PaymentErrors in words.
var reasons = map[search.SkipReason]string{
	search.SkipNoCharge:  "max_charge is less than the price of the search",
	search.SkipBalance:   "the balance or payment is less than the price of the search",
	search.SkipNoConsent: "the token may not spend from the account",
	skipUnpaid:           "it needs an accepted grant or a payment",
}

// skipUnpaid is the reason of a search of an offer with neither grant nor payment.
const skipUnpaid search.SkipReason = "unpaid"
