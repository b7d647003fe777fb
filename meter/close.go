package meter

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"mneme/search"
)

// errNotTaken: the search shows what the sale did not let through.
var errNotTaken = errors.New("a hit was not taken from the sale")

// Close implements search.Sale.
func (s *sale) Close(ctx context.Context, hits []search.ShownHit) (search.Bill, error) {
	shown, err := s.byLot(hits)
	if err != nil {
		return search.Bill{}, err
	}
	bill := search.Bill{Skipped: skippedOf(s.lots)}
	var owed []owing
	for _, l := range s.lots {
		if l.leftOut {
			continue
		}
		b, err := s.refill(l, shown[l])
		if err != nil {
			return search.Bill{}, err
		}
		switch {
		case l.metered():
			due, err := s.due(ctx, b, shown[l])
			if err != nil {
				return search.Bill{}, err
			}
			if s.paid {
				owed = append(owed, due)
			} else if err := s.meter.book(ctx, s.tx, &due); err != nil {
				return search.Bill{}, err
			}
			bill.Charges = append(bill.Charges, due.Charge.told())
		case l.named || b.hits > 0:
			if err := s.count(ctx, b); err != nil {
				return search.Bill{}, err
			}
			if err := s.tx.AddBought(ctx, s.bought(b, uuid.Nil)); err != nil {
				return search.Bill{}, err
			}
		}
	}
	if len(owed) > 0 {
		if err := s.owe(ctx, owed); err != nil {
			return search.Bill{}, err
		}
	}
	if len(bill.Charges) > 0 {
		balance, err := s.tx.Balance(ctx, Holder(s.caller.Agent, s.caller.Taint))
		if err != nil {
			return search.Bill{}, err
		}
		bill.Balance = &balance
	}
	return bill, nil
}

// byLot returns the hits of each lot.
func (s *sale) byLot(hits []search.ShownHit) (map[*lot][]search.ShownHit, error) {
	of := make(map[*lot][]search.ShownHit)
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
func (s *sale) refill(l *lot, shown []search.ShownHit) (*basket, error) {
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

// owing is a charge that waits for its payment. Until that is settled, or delivered all
// the same, it is part of its claim alone: no line of the ledger, no charge and nothing
// bought. Its counts are kept, so that caps hold.
type owing struct {
	Charge     Charge   `json:"charge"`
	HitsDigest Hash     `json:"hits_digest"` // of the receipt
	Bought     []Bought `json:"bought"`
}

// due counts a search of a metered lot and returns what it costs.
func (s *sale) due(ctx context.Context, b *basket, shown []search.ShownHit) (owing, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return owing{}, err
	}
	l := b.lot
	charge := Charge{
		ID: id, Store: l.access.Store, Offer: l.offer.ID, Label: s.caller.Taint,
		Buyer: s.caller.Agent, Seller: l.offer.Seller, Amount: b.amount, Search: l.search,
		Hits: b.hits, Entries: b.fresh, At: instantOf(s.at), State: ChargeDone,
	}
	if charge.Entries == nil {
		charge.Entries = []uuid.UUID{}
	}
	if s.claim != nil {
		charge.Claim = s.claim.ID
	}
	if s.paid {
		charge.State = ChargePending
	}
	digest, err := hitDigest(shown)
	if err != nil {
		return owing{}, err
	}
	return owing{charge, digest, s.bought(b, id)}, s.count(ctx, b)
}

// owe keeps charges that wait for their payment in the claim of the search, which
// Purchase.Keep completes.
func (s *sale) owe(ctx context.Context, owed []owing) error {
	if s.claim == nil {
		return errors.New("a payment came without a claim")
	}
	claim, err := s.tx.Claim(ctx, s.claim.ID)
	if err != nil {
		return err
	}
	if claim == nil {
		return search.ErrFenced
	}
	if claim.Outcome, err = json.Marshal(outcome{Owed: owed}); err != nil {
		return err
	}
	return s.tx.PutClaim(ctx, *claim)
}

// book writes a charge: what it shows is bought, its line is in the ledger, and it has
// a receipt. The transaction holds the lock of the buyer.
func (m *Meter) book(ctx context.Context, tx bookkeeper, due *owing) error {
	charge := &due.Charge
	if len(due.Bought) > 0 {
		if err := tx.AddBought(ctx, due.Bought); err != nil {
			return err
		}
	}
	key, err := signer(ctx, tx, charge.At, m.options.KeyAge)
	if err != nil {
		return err
	}
	line, err := appendLine(ctx, tx, charge.line())
	if err != nil {
		return err
	}
	receipt, err := m.receipt(*charge, line, due.HitsDigest)
	if err != nil {
		return err
	}
	if charge.Receipt, err = receipt.sign(key); err != nil {
		return err
	}
	return tx.PutCharge(ctx, *charge)
}

// told returns what the buyer is told of a charge.
func (c *Charge) told() search.Charge {
	return search.Charge{
		ID: c.ID, Store: c.Store, Offer: c.Offer.String(), Amount: c.Amount, Search: c.Search, Entries: c.Entries, Receipt: c.Receipt,
	}
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
		line.Postings = []Posting{{Holder(c.Buyer, c.Label), -c.Amount}, {Holder(c.Seller, c.Label), c.Amount}}
	}
	return line
}

// receipt returns the receipt of a charge for hits with a digest.
func (m *Meter) receipt(c Charge, line Line, digest Hash) (Receipt, error) {
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

// count counts a search of a lot.
func (s *sale) count(ctx context.Context, b *basket) error {
	keys := buyerKeys(b.lot.access.Store, Holder(s.caller.Agent, s.caller.Taint), s.at)
	if b.lot.metered() {
		keys = append(keys, offerKeys(b.lot.offer.ID, s.caller.Taint, s.at)...)
	}
	return s.tx.AddCounts(ctx, keys, Count{Searches: 1, Entries: int64(len(b.fresh))})
}

// bought returns what a basket shows as bought by a charge.
func (s *sale) bought(b *basket, charge uuid.UUID) []Bought {
	records := make([]Bought, len(b.wares))
	for i, w := range b.wares {
		records[i] = Bought{Store: b.lot.access.Store, Buyer: Holder(s.caller.Agent, s.caller.Taint), Entry: w.entry, Digest: w.digest, Charge: charge}
	}
	return records
}

// uncount takes back what a charge counted and marked as bought: its payment was
// refused. The transaction holds the locks of the buyer and the offer.
func (c Charge) uncount(ctx context.Context, tx reverser) error {
	if err := tx.DeleteBought(ctx, c.ID); err != nil {
		return err
	}
	keys := append(buyerKeys(c.Store, Holder(c.Buyer, c.Label), c.At), offerKeys(c.Offer, c.Label, c.At)...)
	return tx.AddCounts(ctx, keys, Count{Searches: -1, Entries: -int64(len(c.Entries))})
}
