package meter

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"mneme/memory"
)

// errNotTaken: the search shows what the sale did not let through.
var errNotTaken = errors.New("a hit was not taken from the sale")

// Close implements memory.Sale.
func (s *sale) Close(ctx context.Context, hits []memory.ShownHit) (memory.Bill, error) {
	shown, err := s.byLot(hits)
	if err != nil {
		return memory.Bill{}, err
	}
	bill := memory.Bill{Skipped: skippedOf(s.lots)}
	for _, l := range s.lots {
		if l.leftOut {
			continue
		}
		b, err := s.refill(l, shown[l])
		if err != nil {
			return memory.Bill{}, err
		}
		switch {
		case l.metered():
			charge, err := s.charge(ctx, b, shown[l])
			if err != nil {
				return memory.Bill{}, err
			}
			bill.Charges = append(bill.Charges, charge)
		case l.named || b.hits > 0:
			if err := s.count(ctx, b, uuid.Nil); err != nil {
				return memory.Bill{}, err
			}
		}
	}
	if len(bill.Charges) > 0 {
		balance, err := s.tx.Balance(ctx, s.caller.Agent)
		if err != nil {
			return memory.Bill{}, err
		}
		bill.Balance = &balance
	}
	return bill, nil
}

// byLot returns the hits of each lot.
func (s *sale) byLot(hits []memory.ShownHit) (map[*lot][]memory.ShownHit, error) {
	of := make(map[*lot][]memory.ShownHit)
	stores := make(map[string]bool)
	for _, l := range s.lots {
		stores[l.access.Store] = true
	}
	for _, h := range hits {
		w, ok := s.wares[h.ID]
		switch {
		case ok && s.baskets[w.lot.access.Store].taken[h.ID]:
			of[w.lot] = append(of[w.lot], h)
		case ok || stores[h.Store]:
			return nil, errNotTaken
		}
	}
	return of, nil
}

// refill returns the basket of a lot with what is shown alone. It never costs more
// than what was taken: a price only rises with what was shown before.
func (s *sale) refill(l *lot, shown []memory.ShownHit) (*basket, error) {
	taken := s.baskets[l.access.Store]
	b := &basket{lot: l, known: taken.known, knownValues: taken.knownValues, amount: l.search}
	for _, h := range shown {
		free := unbounded
		if _, ok := b.add(s.wares[h.ID], &free); !ok {
			return nil, errNotTaken
		}
	}
	if b.amount > taken.amount {
		return nil, fmt.Errorf("a search would cost more than was reserved for it")
	}
	return b, nil
}

// charge charges for a metered lot and returns what the buyer is told.
func (s *sale) charge(ctx context.Context, b *basket, shown []memory.ShownHit) (memory.Charge, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return memory.Charge{}, err
	}
	l := b.lot
	charge := Charge{
		ID: id, Store: l.access.Store, Offer: l.offer.ID, Label: l.offer.Label,
		Buyer: s.caller.Agent, Seller: l.offer.Seller, Amount: b.amount, Search: l.search,
		Hits: b.hits, Entries: b.fresh, At: instantOf(s.at), State: ChargeDone,
	}
	if charge.Entries == nil {
		charge.Entries = []uuid.UUID{}
	}
	if s.p.Claim != nil {
		charge.Claim = s.p.Claim.ID
	}
	if s.p.Payment != nil {
		charge.State = ChargePending
	}
	if err := s.count(ctx, b, id); err != nil {
		return memory.Charge{}, err
	}
	key, err := signer(ctx, s.tx, s.at, s.meter.options.KeyAge)
	if err != nil {
		return memory.Charge{}, err
	}
	line, err := appendLine(ctx, s.tx, charge.line())
	if err != nil {
		return memory.Charge{}, err
	}
	receipt, err := s.meter.receipt(charge, line, shown)
	if err != nil {
		return memory.Charge{}, err
	}
	if charge.Receipt, err = receipt.sign(key); err != nil {
		return memory.Charge{}, err
	}
	if err := s.tx.PutCharge(ctx, charge); err != nil {
		return memory.Charge{}, err
	}
	return memory.Charge{
		ID: id, Store: charge.Store, Offer: charge.Offer.String(), Amount: charge.Amount,
		Search: charge.Search, Entries: charge.Entries, Receipt: charge.Receipt,
	}, nil
}

// line returns the ledger line of a charge. One that a payment pays for waits in
// AccountSettling.
func (c Charge) line() Line {
	line := Line{At: c.At, Kind: LineCharge, Charge: c.ID}
	switch {
	case c.Amount == 0:
	case c.State == ChargePending:
		line.Postings = []Posting{{AccountExternal, -c.Amount}, {AccountSettling, c.Amount}}
	default:
		line.Postings = []Posting{{c.Buyer, -c.Amount}, {c.Seller, c.Amount}}
	}
	return line
}

// receipt returns the receipt of a charge.
func (m *Meter) receipt(c Charge, line Line, shown []memory.ShownHit) (Receipt, error) {
	digest, err := hitDigest(shown)
	if err != nil {
		return Receipt{}, err
	}
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return Receipt{}, err
	}
	return Receipt{
		Charge: c.ID, Offer: c.Offer, Store: c.Store, Buyer: c.Buyer, Seller: c.Seller, Time: c.At,
		Amount: c.Amount, Currency: m.options.Currency, Hits: c.Hits, HitsDigest: digest,
		Nonce: encode(nonce), Line: line.Number, LineHash: line.Hash,
	}, nil
}

// count counts a search of a lot and marks what it shows as bought.
func (s *sale) count(ctx context.Context, b *basket, charge uuid.UUID) error {
	records := make([]Bought, len(b.wares))
	for i, w := range b.wares {
		records[i] = Bought{Store: b.lot.access.Store, Buyer: s.caller.Agent, Entry: w.entry, Digest: w.digest, Charge: charge}
	}
	if len(records) > 0 {
		if err := s.tx.PutBought(ctx, records); err != nil {
			return err
		}
	}
	keys := buyerKeys(b.lot.access.Store, s.caller.Agent, s.at)
	if b.lot.metered() {
		keys = append(keys, offerKeys(b.lot.offer.ID, s.at)...)
	}
	return s.tx.AddCounts(ctx, keys, Count{Searches: 1, Entries: int64(len(b.fresh))})
}

// uncount takes back what a charge counted and marked as bought: its payment was
// refused. The transaction holds the locks of the buyer and the offer.
func (c Charge) uncount(ctx context.Context, tx Tx) error {
	if err := tx.DeleteBought(ctx, c.ID); err != nil {
		return err
	}
	keys := append(buyerKeys(c.Store, c.Buyer, c.At), offerKeys(c.Offer, c.At)...)
	return tx.AddCounts(ctx, keys, Count{Searches: -1, Entries: -int64(len(c.Entries))})
}
