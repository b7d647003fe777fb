package meter

import (
	"context"
	"crypto/rand"
	"slices"

	"github.com/google/uuid"

	"mneme/search"
)

// charge charges for the hits of the sale and records their entries as bought. If a payment
// comes with the search, it writes neither: it returns the charges in owed, to be booked once
// the payment is settled or the answer is delivered. skipped are the stores that Admit left out.
func (s *sale) charge(ctx context.Context, skipped []search.Skipped) (bill search.Bill, owed []owing, err error) {
	bill.Skipped = joinSkipped(skipped, skippedOf(s.quotas))
	for _, q := range s.quotas {
		if q.leftOut {
			continue
		}
		c := s.carts[q.access.Store]
		switch {
		case q.metered():
			due, err := s.due(ctx, c)
			if err != nil {
				return search.Bill{}, nil, err
			}
			if s.purchase.Payment != nil {
				owed = append(owed, due)
			} else if err := s.meter.book(ctx, s.tx, &due); err != nil {
				return search.Bill{}, nil, err
			}
			bill.Charges = append(bill.Charges, due.Charge.forBuyer())
		case q.named || len(c.hits) > 0:
			if err := s.count(ctx, c); err != nil {
				return search.Bill{}, nil, err
			}
			if err := s.tx.AddBought(ctx, s.bought(c, uuid.Nil)); err != nil {
				return search.Bill{}, nil, err
			}
		}
	}
	if len(bill.Charges) > 0 {
		balance, err := s.tx.Balance(ctx, Holder(s.caller.Agent, s.caller.Taint))
		if err != nil {
			return search.Bill{}, nil, err
		}
		bill.Balance = &balance
	}
	return bill, owed, nil
}

// joinSkipped returns before, followed by the stores of then that are not in before.
func joinSkipped(before, then []search.Skipped) []search.Skipped {
	joined := slices.Clone(before)
	for _, skipped := range then {
		if !slices.ContainsFunc(joined, func(s search.Skipped) bool { return s.Store == skipped.Store }) {
			joined = append(joined, skipped)
		}
	}
	return joined
}

// owing is a charge that waits for its payment. Until the payment is settled or the answer is
// delivered, the charge exists only in its claim: it has no ledger line and no row, and its
// entries are not bought. Its counts are stored, so that caps hold.
type owing struct {
	Charge     Charge   `json:"charge"`
	HitsDigest Hash     `json:"hits_digest"` // of the receipt
	Bought     []Bought `json:"bought"`
}

// due counts a search of a metered store and returns the charge for it, which is not booked
// yet.
func (s *sale) due(ctx context.Context, c *cart) (owing, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return owing{}, err
	}
	q := c.quota
	charge := Charge{
		ID: id, Store: q.access.Store, Offer: q.offer.ID, Label: s.caller.Taint,
		Buyer: s.caller.Agent, Seller: q.offer.Seller, Amount: c.amount, Search: q.search,
		Hits: len(c.hits), Entries: c.fresh, At: instantOf(s.at), State: ChargeDone,
	}
	if charge.Entries == nil {
		charge.Entries = []uuid.UUID{}
	}
	if s.claim != nil {
		charge.Claim = s.claim.ID
	}
	if s.purchase.Payment != nil {
		charge.State = ChargePending
	}
	digest, err := hitDigest(c.hits)
	if err != nil {
		return owing{}, err
	}
	return owing{charge, digest, s.bought(c, id)}, s.count(ctx, c)
}

// book writes a charge with its ledger line and receipt, and records its items as bought. The
// transaction holds the lock of the buyer.
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

// forBuyer returns a charge as the buyer sees it.
func (c *Charge) forBuyer() search.Charge {
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

// receipt returns the receipt of a charge. digest is the digest of the charge's hits.
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

// count adds a search and its new entries to the counts of a store.
func (s *sale) count(ctx context.Context, c *cart) error {
	keys := buyerKeys(c.quota.access.Store, Holder(s.caller.Agent, s.caller.Taint), s.at)
	if c.quota.metered() {
		keys = append(keys, offerKeys(c.quota.offer.ID, s.caller.Taint, s.at)...)
	}
	return s.tx.AddCounts(ctx, keys, Count{Searches: 1, Entries: int64(len(c.fresh))})
}

// bought returns a record for each item of a cart. It says that the charge bought the item;
// uuid.Nil: the search was not metered.
func (s *sale) bought(c *cart, charge uuid.UUID) []Bought {
	records := make([]Bought, len(c.items))
	for i, w := range c.items {
		records[i] = Bought{Store: c.quota.access.Store, Buyer: Holder(s.caller.Agent, s.caller.Taint), Entry: w.entry, Digest: w.digest, Charge: charge}
	}
	return records
}

// uncount reverts the counts of a charge and deletes its purchases, after its payment was
// refused. The transaction holds the locks of the buyer and the offer.
func (c Charge) uncount(ctx context.Context, tx reverser) error {
	if err := tx.DeleteBought(ctx, c.ID); err != nil {
		return err
	}
	keys := append(buyerKeys(c.Store, Holder(c.Buyer, c.Label), c.At), offerKeys(c.Offer, c.Label, c.At)...)
	return tx.AddCounts(ctx, keys, Count{Searches: -1, Entries: -int64(len(c.Entries))})
}
