package meter

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// sale implements search.Sale.
//
// SECURITY: a decision on an entry depends only on the entries that were admitted before
// it, on the buyer's own history, and on the counts of the offer. An entry that is not shown
// leaves no trace.
type sale struct {
	meter  *Meter
	tx     Tx
	caller memory.Caller
	claim  *search.ClaimRef // nil: none
	paid   bool             // by a payment: the account is not charged
	at     time.Time
	quotas []*quota
	funds  funds
	items  map[uuid.UUID]item
	carts  map[string]*cart // by store
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
	taken       map[uuid.UUID]bool
	takenValues map[string]bool
	items       []item // admitted
	hits        int
	fresh       []uuid.UUID // entries of items that the buyer has not seen before
	amount      int64       // micros, including the search
	closed      bool        // an entry was refused
}

// Open implements search.Meter.
func (m *Meter) Open(ctx context.Context, tx memory.Tx, c memory.Caller, p search.Purchase, stores []acl.Access, candidates []memory.Entry, at time.Time) (search.Sale, error) {
	s, err := m.open(ctx, m.storage.Writing(tx), c, p, stores, candidates, at)
	m.refused(err)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (m *Meter) open(ctx context.Context, tx Tx, c memory.Caller, p search.Purchase, stores []acl.Access, candidates []memory.Entry, at time.Time) (*sale, error) {
	if err := holdClaim(ctx, tx, p.Claim); err != nil {
		return nil, err
	}
	if err := lockStores(ctx, tx, c, p.Named, stores); err != nil {
		return nil, err
	}
	s := &sale{
		meter: m, tx: tx, caller: c, claim: p.Claim, paid: p.Payment != nil, at: at,
		items: make(map[uuid.UUID]item, len(candidates)), carts: make(map[string]*cart),
	}
	var err error
	if s.quotas, err = loadQuotas(ctx, tx, c, p.Named, stores, at); err != nil {
		return nil, err
	}
	if s.funds, err = fundsOf(ctx, tx, c, p, s.quotas); err != nil {
		return nil, err
	}
	if err := admit(s.quotas, &s.funds, c, p.Offer, p.Limit, at); err != nil {
		return nil, err
	}
	return s, s.offer(ctx, candidates)
}

// holdClaim locks the claim of a search and returns ErrFenced unless the search
// still holds it.
func holdClaim(ctx context.Context, tx ClaimWriter, ref *search.ClaimRef) error {
	if ref == nil {
		return nil
	}
	if err := tx.Lock(ctx, lockClaim(ref.ID.String())); err != nil {
		return err
	}
	claim, err := tx.Claim(ctx, ref.ID)
	if err != nil {
		return err
	}
	if claim == nil || claim.State != ClaimOpen || claim.Fence != ref.Fence {
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
func (s *sale) offer(ctx context.Context, candidates []memory.Entry) error {
	key, err := digestKey(ctx, s.tx)
	if err != nil {
		return err
	}
	for _, q := range s.quotas {
		if q.leftOut {
			continue
		}
		s.carts[q.access.Store] = &cart{quota: q, amount: q.search}
		var ids []uuid.UUID
		var digests [][]byte
		for _, e := range candidates {
			if e.Store == q.access.Store {
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
			cart.knew(known, values)
		}
	}
	return nil
}

// knew records entries and digests of values that were shown before.
func (c *cart) knew(entries map[uuid.UUID]bool, values map[string]bool) {
	if c.known == nil {
		c.known, c.knownValues = entries, values
		return
	}
	maps.Copy(c.known, entries)
	maps.Copy(c.knownValues, values)
}

// Take implements search.Sale.
func (s *sale) Take(id uuid.UUID) bool {
	i, ok := s.items[id]
	if !ok {
		return false
	}
	c := s.carts[i.quota.access.Store]
	price, ok := c.add(i, &s.funds)
	if ok {
		s.funds.spend(price)
	}
	return ok
}

// add puts an item into the cart if the store may show another entry and the funds cover
// its price, which it returns. After one refusal it refuses every further item.
func (c *cart) add(i item, from *funds) (price int64, ok bool) {
	most := MaxHits
	if c.quota.metered() {
		most = c.quota.terms.MaxHits
	}
	if c.closed || c.hits >= most {
		c.closed = true
		return 0, false
	}
	if !c.known[i.entry] && !c.knownValues[string(i.digest)] && !c.takenValues[string(i.digest)] {
		if price, ok = c.price(); !ok || from.lacks(price) != "" {
			c.closed = true
			return 0, false
		}
		c.amount += price
		c.fresh = append(c.fresh, i.entry)
	}
	if c.taken == nil {
		c.taken, c.takenValues = make(map[uuid.UUID]bool), make(map[string]bool)
	}
	c.taken[i.entry], c.takenValues[string(i.digest)] = true, true
	c.items = append(c.items, i)
	c.hits++
	return price, true
}

// price returns the price of one more new entry; false if none may be shown.
func (c *cart) price() (int64, bool) {
	fresh := int64(len(c.fresh))
	if fresh >= c.quota.room() {
		return 0, false
	}
	if !c.quota.metered() {
		return 0, true
	}
	price, ok := c.quota.terms.prices().OfEntry(c.quota.shown[WindowTotal].Entries + fresh)
	return price, ok && price <= MaxAmount-c.amount
}

// unbounded pays for what was reserved before.
var unbounded = funds{charge: math.MaxInt64, money: math.MaxInt64}
