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
// SECURITY: what it decides on an entry depends on the entries that it let through
// before, on the buyer's own history, and on the offer's counts alone. An entry that
// is not shown leaves no trace.
type sale struct {
	meter   *Meter
	tx      Tx
	caller  memory.Caller
	claim   *search.ClaimRef // nil: none
	paid    bool             // by a payment: the account is not charged
	at      time.Time
	lots    []*lot
	purse   purse
	wares   map[uuid.UUID]ware
	baskets map[string]*basket // by store
}

// ware is a candidate of a sale.
type ware struct {
	entry  uuid.UUID
	lot    *lot
	digest []byte
}

// basket is what a sale lets through of a lot, in the order of the answer.
type basket struct {
	lot         *lot
	known       map[uuid.UUID]bool // entries that were shown before
	knownValues map[string]bool    // digests of values that were shown before
	taken       map[uuid.UUID]bool
	takenValues map[string]bool
	wares       []ware // that were taken
	hits        int
	fresh       []uuid.UUID // those of wares that were not shown before
	amount      int64       // micros, the search included
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
	if err := lockLots(ctx, tx, c, p.Named, stores); err != nil {
		return nil, err
	}
	s := &sale{
		meter: m, tx: tx, caller: c, claim: p.Claim, paid: p.Payment != nil, at: at,
		wares: make(map[uuid.UUID]ware, len(candidates)), baskets: make(map[string]*basket),
	}
	var err error
	if s.lots, err = loadLots(ctx, tx, c, p.Named, stores, at); err != nil {
		return nil, err
	}
	if s.purse, err = openPurse(ctx, tx, c, p, s.lots); err != nil {
		return nil, err
	}
	if err := admit(s.lots, &s.purse, c, p.Offer, p.Limit, at); err != nil {
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

// lockLots takes the locks of a sale: no other transaction changes the buyer's
// history in the stores, the counts that caps of offers bound, or lowers the
// buyer's balance.
func lockLots(ctx context.Context, tx Locker, c memory.Caller, named []string, stores []acl.Access) error {
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

// offer makes wares of the candidates of the lots that were admitted, and reads
// which of them were shown before.
func (s *sale) offer(ctx context.Context, candidates []memory.Entry) error {
	key, err := digestKey(ctx, s.tx)
	if err != nil {
		return err
	}
	for _, l := range s.lots {
		if l.leftOut {
			continue
		}
		s.baskets[l.access.Store] = &basket{lot: l, amount: l.search}
		var ids []uuid.UUID
		var digests [][]byte
		for _, e := range candidates {
			if e.Store == l.access.Store {
				w := ware{e.ID, l, digestOf(key, e.Value)}
				s.wares[e.ID] = w
				ids, digests = append(ids, w.entry), append(digests, w.digest)
			}
		}
		if len(ids) == 0 {
			continue
		}
		b := s.baskets[l.access.Store]
		for _, name := range holders(s.caller.Agent, s.caller.Taint) {
			known, values, err := s.tx.Shown(ctx, l.access.Store, name, ids, digests)
			if err != nil {
				return err
			}
			b.knew(known, values)
		}
	}
	return nil
}

// knew notes entries and digests of values that were shown before.
func (b *basket) knew(entries map[uuid.UUID]bool, values map[string]bool) {
	if b.known == nil {
		b.known, b.knownValues = entries, values
		return
	}
	maps.Copy(b.known, entries)
	maps.Copy(b.knownValues, values)
}

// Take implements search.Sale.
func (s *sale) Take(id uuid.UUID) bool {
	w, ok := s.wares[id]
	if !ok {
		return false
	}
	b := s.baskets[w.lot.access.Store]
	price, ok := b.add(w, &s.purse)
	if ok {
		s.purse.spend(price)
	}
	return ok
}

// add puts a ware into the basket, if it has room for it and the purse its price,
// which it returns. After a refusal it takes nothing more.
func (b *basket) add(w ware, from *purse) (price int64, ok bool) {
	most := MaxHits
	if b.lot.metered() {
		most = b.lot.terms.MaxHits
	}
	if b.closed || b.hits >= most {
		b.closed = true
		return 0, false
	}
	if !b.known[w.entry] && !b.knownValues[string(w.digest)] && !b.takenValues[string(w.digest)] {
		if price, ok = b.price(); !ok || from.lacks(price) != "" {
			b.closed = true
			return 0, false
		}
		b.amount += price
		b.fresh = append(b.fresh, w.entry)
	}
	if b.taken == nil {
		b.taken, b.takenValues = make(map[uuid.UUID]bool), make(map[string]bool)
	}
	b.taken[w.entry], b.takenValues[string(w.digest)] = true, true
	b.wares = append(b.wares, w)
	b.hits++
	return price, true
}

// price returns the price of one more new entry; false if none may be shown.
func (b *basket) price() (int64, bool) {
	fresh := int64(len(b.fresh))
	if fresh >= b.lot.room() {
		return 0, false
	}
	if !b.lot.metered() {
		return 0, true
	}
	price, ok := b.lot.terms.prices().OfEntry(b.lot.shown[WindowTotal].Entries + fresh)
	return price, ok && price <= MaxAmount-b.amount
}

// unbounded is a purse that pays what was reserved before.
var unbounded = purse{charge: math.MaxInt64, money: math.MaxInt64}
