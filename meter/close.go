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

// errNotTaken reports that a search shows a hit that the sale did not admit.
var errNotTaken = errors.New("a hit was not taken from the sale")

// Close implements search.Sale.
func (s *sale) Close(ctx context.Context, hits []search.ShownHit) (search.Bill, error) {
	shown, err := s.byStore(hits)
	if err != nil {
		return search.Bill{}, err
	}
	bill := search.Bill{Skipped: skippedOf(s.quotas)}
	var owed []owing
	for _, q := range s.quotas {
		if q.leftOut {
			continue
		}
		c, err := s.refill(q, shown[q])
		if err != nil {
			return search.Bill{}, err
		}
		switch {
		case q.metered():
			due, err := s.due(ctx, c, shown[q])
			if err != nil {
				return search.Bill{}, err
			}
			if s.paid {
				owed = append(owed, due)
			} else if err := s.meter.book(ctx, s.tx, &due); err != nil {
				return search.Bill{}, err
			}
			bill.Charges = append(bill.Charges, due.Charge.told())
		case q.named || c.hits > 0:
			if err := s.count(ctx, c); err != nil {
				return search.Bill{}, err
			}
			if err := s.tx.AddBought(ctx, s.bought(c, uuid.Nil)); err != nil {
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

// byStore returns the hits of each store, by its quota.
func (s *sale) byStore(hits []search.ShownHit) (map[*quota][]search.ShownHit, error) {
	of := make(map[*quota][]search.ShownHit)
	stores := make(map[string]bool)
	for _, q := range s.quotas {
		stores[q.access.Store] = true
	}
	for _, h := range hits {
		i, ok := s.items[h.ID]
		switch {
		case ok && s.carts[i.quota.access.Store].taken[h.ID]:
			of[i.quota] = append(of[i.quota], h)
		case ok || stores[h.Store]:
			return nil, errNotTaken
		}
	}
	return of, nil
}

// refill returns the cart of a store with only the hits that are shown. It never costs more
// than the cart from which they come, because prices rise with what was shown before.
func (s *sale) refill(q *quota, shown []search.ShownHit) (*cart, error) {
	taken := s.carts[q.access.Store]
	c := &cart{quota: q, known: taken.known, knownValues: taken.knownValues, amount: q.search}
	for _, h := range shown {
		free := unbounded
		if _, ok := c.add(s.items[h.ID], &free); !ok {
			return nil, errNotTaken
		}
	}
	if c.amount > taken.amount {
		return nil, fmt.Errorf("a search would cost more than was reserved for it")
	}
	return c, nil
}

// owing is a charge that waits for its payment. Until the payment is settled, or the answer
// is delivered before that, the charge exists only in its claim: there is no ledger line, no
// row of the charge, and nothing is bought. Its counts are stored, so that caps hold.
type owing struct {
	Charge     Charge   `json:"charge"`
	HitsDigest Hash     `json:"hits_digest"` // of the receipt
	Bought     []Bought `json:"bought"`
}

// due counts a search of a metered store and returns what it costs.
func (s *sale) due(ctx context.Context, c *cart, shown []search.ShownHit) (owing, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return owing{}, err
	}
	q := c.quota
	charge := Charge{
		ID: id, Store: q.access.Store, Offer: q.offer.ID, Label: s.caller.Taint,
		Buyer: s.caller.Agent, Seller: q.offer.Seller, Amount: c.amount, Search: q.search,
		Hits: c.hits, Entries: c.fresh, At: instantOf(s.at), State: ChargeDone,
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
	return owing{charge, digest, s.bought(c, id)}, s.count(ctx, c)
}

// owe stores charges that wait for their payment in the claim of the search. Purchase.Keep
// completes the claim.
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

// book writes a charge with its ledger line and receipt, and marks what it shows as bought.
// The transaction holds the lock of the buyer.
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

// told returns a charge as the buyer sees it.
func (c *Charge) told() search.Charge {
	return search.Charge{
		ID: c.ID, Store: c.Store, Offer: c.Offer.String(), Amount: c.Amount, Search: c.Search, Entries: c.Entries, Receipt: c.Receipt,
	}
}

// line returns the ledger line of a charge. The amount of a pending payment goes to
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

// count counts a search of a store.
func (s *sale) count(ctx context.Context, c *cart) error {
	keys := buyerKeys(c.quota.access.Store, Holder(s.caller.Agent, s.caller.Taint), s.at)
	if c.quota.metered() {
		keys = append(keys, offerKeys(c.quota.offer.ID, s.caller.Taint, s.at)...)
	}
	return s.tx.AddCounts(ctx, keys, Count{Searches: 1, Entries: int64(len(c.fresh))})
}

// bought returns the items of a cart as bought by a charge.
func (s *sale) bought(c *cart, charge uuid.UUID) []Bought {
	records := make([]Bought, len(c.items))
	for i, w := range c.items {
		records[i] = Bought{Store: c.quota.access.Store, Buyer: Holder(s.caller.Agent, s.caller.Taint), Entry: w.entry, Digest: w.digest, Charge: charge}
	}
	return records
}

// uncount reverts the counts of a charge, and what it marked as bought, after its payment
// was refused. The transaction holds the locks of the buyer and the offer.
func (c Charge) uncount(ctx context.Context, tx reverser) error {
	if err := tx.DeleteBought(ctx, c.ID); err != nil {
		return err
	}
	keys := append(buyerKeys(c.Store, Holder(c.Buyer, c.Label), c.At), offerKeys(c.Offer, c.Label, c.At)...)
	return tx.AddCounts(ctx, keys, Count{Searches: -1, Entries: -int64(len(c.Entries))})
}
