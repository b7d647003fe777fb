package meter

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// sale is the purchase of one search, in the transaction that decides it.
//
// SECURITY: the decision on an entry depends only on the entries admitted before it, the
// buyer's own history, and the counts of the offer. An entry that is not shown leaves no
// trace.
type sale struct {
	meter    *Meter
	tx       Tx
	caller   memory.Caller
	purchase search.Purchase
	claim    *Claim // of purchase, locked; nil: none
	at       time.Time
	quotas   []*quota
	funds    funds
	items    map[uuid.UUID]item
	carts    map[string]*cart // by store
}

// item is a candidate of a sale.
type item struct {
	entry  uuid.UUID
	quota  *quota
	digest []byte
}

// cart holds the items of one store that the sale admitted, in the order of the answer.
type cart struct {
	quota       *quota
	known       map[uuid.UUID]bool // entries that were shown before
	knownValues map[string]bool    // digests of values that were shown before
	takenValues map[string]bool    // digests of the values of items
	items       []item             // admitted
	hits        []*search.Hit      // of items, as the answer shows them
	fresh       []uuid.UUID        // entries of items that the buyer has not seen before
	amount      int64              // micros, including the search
}

// Sell implements search.Meter. It locks the claim before all else.
func (m *Meter) Sell(ctx context.Context, tx memory.Tx, c memory.Caller, p search.Purchase, o search.Offering, at time.Time) (search.Sale, error) {
	s := &sale{
		meter: m, tx: m.storage.Writing(tx), caller: c, purchase: p, at: at,
		items: make(map[uuid.UUID]item, len(o.Candidates)), carts: make(map[string]*cart),
	}
	if err := s.admit(ctx, o); err != nil {
		return search.Sale{}, err
	}
	made := o.Choose(s.take)
	bill, owed, err := s.charge(ctx, o.Skipped)
	if err != nil {
		return search.Sale{}, err
	}
	made.Bill = bill
	return made, s.storeOutcome(ctx, o, made, owed)
}

// admit takes the locks of the sale, and decides from which stores it may show entries.
func (s *sale) admit(ctx context.Context, o search.Offering) error {
	p := s.purchase
	if err := s.holdClaim(ctx); err != nil {
		return err
	}
	if err := lockStores(ctx, s.tx, s.caller, p.Named, o.Stores); err != nil {
		return err
	}
	if p.Offer != uuid.Nil {
		if err := s.checkOffer(ctx); err != nil {
			return err
		}
	}
	var err error
	if s.quotas, err = loadQuotas(ctx, s.tx, s.caller, p.Named, o.Stores, s.at); err != nil {
		return err
	}
	if s.funds, err = fundsOf(ctx, s.tx, s.caller, p, s.quotas); err != nil {
		return err
	}
	if err := admit(s.quotas, &s.funds, s.caller, p.Offer, p.Limit, s.at); err != nil {
		return err
	}
	return s.offer(ctx, o.Candidates)
}

// checkOffer returns an error unless the caller may still search the offer, under the terms by
// which Admit admitted it.
func (s *sale) checkOffer(ctx context.Context) error {
	grant, err := payableOffer(ctx, s.tx, s.caller, s.purchase, s.at)
	if err != nil {
		return err
	}
	if admitted := s.purchase.Grant; admitted == nil || grant.Store != admitted.Store || grant.Terms != admitted.Terms {
		return conflict("the offer has changed since the search began")
	}
	return nil
}

// holdClaim locks the claim of a search and reads it. The error is ErrFenced unless the search
// still holds it.
func (s *sale) holdClaim(ctx context.Context) (err error) {
	ref := s.purchase.Claim
	if ref == nil {
		return nil
	}
	if err := s.tx.Lock(ctx, lockClaim(ref.ID.String())); err != nil {
		return err
	}
	if s.claim, err = s.tx.Claim(ctx, ref.ID); err != nil {
		return err
	}
	if s.claim == nil || s.claim.State != ClaimOpen || s.claim.Fence != ref.Fence {
		return search.ErrFenced
	}
	return nil
}

// lockStores takes the locks of a sale. While it holds them, no other transaction changes
// the buyer's history in the stores or the counts of the offers, or lowers the buyer's
// balance.
func lockStores(ctx context.Context, tx Locker, c memory.Caller, named []string, stores []acl.Access) error {
	if len(stores) == 0 {
		return nil
	}
	var buyers, offers []string
	for _, access := range stores {
		buyers = append(buyers, lockBuyer(access.Store, c.Agent))
		if id, err := uuid.Parse(access.Offer); err == nil && slices.Contains(named, access.Store) {
			offers = append(offers, lockOffer(id))
		}
	}
	if err := tx.Lock(ctx, buyers...); err != nil || len(offers) == 0 {
		return err
	}
	if err := tx.Lock(ctx, offers...); err != nil {
		return err
	}
	return tx.Lock(ctx, lockAccount(Holder(c.Agent, c.Taint)))
}

// offer makes an item of each candidate in an admitted store, and reads which of them the
// buyer has seen before.
func (s *sale) offer(ctx context.Context, candidates []search.Candidate) error {
	key, err := digestKey(ctx, s.tx)
	if err != nil {
		return err
	}
	for _, q := range s.quotas {
		if q.leftOut {
			continue
		}
		s.carts[q.access.Store] = &cart{quota: q, amount: q.search, takenValues: make(map[string]bool)}
		var ids []uuid.UUID
		var digests [][]byte
		for _, c := range candidates {
			if e := c.Entry; c.ForSale && e.Store == q.access.Store {
				i := item{e.ID, q, digestOf(key, e.Value)}
				s.items[e.ID] = i
				ids, digests = append(ids, i.entry), append(digests, i.digest)
			}
		}
		if len(ids) == 0 {
			continue
		}
		cart := s.carts[q.access.Store]
		for _, name := range holders(s.caller.Agent, s.caller.Taint) {
			known, values, err := s.tx.Shown(ctx, q.access.Store, name, ids, digests)
			if err != nil {
				return err
			}
			cart.addKnown(known, values)
		}
	}
	return nil
}

// addKnown records entries and digests of values that were shown before.
func (c *cart) addKnown(entries map[uuid.UUID]bool, values map[string]bool) {
	if c.known == nil {
		c.known, c.knownValues = entries, values
		return
	}
	maps.Copy(c.known, entries)
	maps.Copy(c.knownValues, values)
}

// take puts a candidate into the cart of its store and reserves its price, if the store may show
// another entry and the funds cover the price. An entry or a value that the buyer has seen
// before is free.
func (s *sale) take(candidate *search.Candidate) bool {
	i, ok := s.items[candidate.Entry.ID]
	if !ok {
		return false
	}
	c, most := s.carts[i.quota.access.Store], MaxHits
	if i.quota.metered() {
		most = i.quota.terms.MaxHits
	}
	if len(c.hits) >= most {
		return false
	}
	if !c.known[i.entry] && !c.knownValues[string(i.digest)] && !c.takenValues[string(i.digest)] {
		price, ok := c.price()
		if !ok || s.funds.lacks(price) != "" {
			return false
		}
		s.funds.spend(price)
		c.amount += price
		c.fresh = append(c.fresh, i.entry)
	}
	c.takenValues[string(i.digest)] = true
	c.items, c.hits = append(c.items, i), append(c.hits, candidate.Hit)
	return true
}

// price returns the price of one more new entry; false if none may be shown.
func (c *cart) price() (int64, bool) {
	fresh := int64(len(c.fresh))
	if fresh >= c.quota.remaining() {
		return 0, false
	}
	if !c.quota.metered() {
		return 0, true
	}
	price, ok := c.quota.terms.prices().OfEntry(c.quota.shown[WindowTotal].Entries + fresh)
	return price, ok && price <= MaxAmount-c.amount
}
