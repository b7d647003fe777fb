package meter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/search"
)

// outcome is the part of an answer that a claim stores.
type outcome struct {
	Hits       []storedHit      `json:"hits"`
	Stores     []string         `json:"stores"`  // of the charges
	Charges    []uuid.UUID      `json:"charges"` // in the answer's order
	Skipped    []search.Skipped `json:"skipped,omitempty"`
	Degraded   []string         `json:"degraded,omitempty"`
	Incomplete bool             `json:"incomplete,omitempty"`
	// Owed are the charges until their payment is settled or the answer is delivered.
	Owed []owing `json:"owed,omitempty"`
}

type storedHit struct {
	ID        uuid.UUID `json:"id"`
	Score     float64   `json:"score"`
	Relevance float64   `json:"relevance"`
}

// settlement is the part of a claim that concerns its payment.
type settlement struct {
	Accepted *Accepted `json:"accepted,omitempty"` // nil once it is settled: it may contain a secret
	Settled  *Settled  `json:"settled,omitempty"`  // nil: not known yet
	// Tried reports whether an attempt to settle has begun, whose outcome is not known.
	Tried bool `json:"tried,omitempty"`
}

// storeOutcome writes the outcome of a charged search into the claim that it holds. A search
// without any charge needs no claim and settles no payment.
func (s *sale) storeOutcome(ctx context.Context, o search.Offering, made search.Sale, owed []owing) (err error) {
	claim, paid := s.claim, s.purchase.Payment
	switch {
	case claim == nil && len(owed) > 0:
		return errors.New("the search has a payment but no claim")
	case claim == nil || len(made.Bill.Charges) == 0:
		return nil
	}
	out := outcome{
		Hits: []storedHit{}, Charges: []uuid.UUID{}, Skipped: made.Bill.Skipped,
		Degraded: o.Degraded, Incomplete: o.Incomplete, Owed: owed,
	}
	for _, i := range made.Shown {
		c := o.Candidates[i]
		out.Hits = append(out.Hits, storedHit{c.Entry.ID, c.Hit.Score, c.Hit.Relevance})
	}
	for _, charge := range made.Bill.Charges {
		out.Stores, out.Charges = append(out.Stores, charge.Store), append(out.Charges, charge.ID)
	}
	claim.State = ClaimDone
	if claim.Outcome, err = json.Marshal(out); err != nil {
		return err
	}
	if paid != nil {
		claim.State, claim.Settlement = ClaimPending, paid.Method
	}
	claim.HeldUntil = s.at.Add(s.purchase.Claim.Hold)
	return s.tx.PutClaim(ctx, *claim)
}

func (c *Claim) outcome() (out outcome, err error) {
	if err := json.Unmarshal(c.Outcome, &out); err != nil {
		return outcome{}, fmt.Errorf("outcome of claim %s: %w", c.ID, err)
	}
	return out, nil
}

// settled returns the outcome of a claim's payment; nil if there is none.
func (c *Claim) settled() (*Settled, error) {
	if len(c.Settlement) == 0 {
		return nil, nil
	}
	var kept settlement
	if err := json.Unmarshal(c.Settlement, &kept); err != nil {
		return nil, fmt.Errorf("settlement of claim %s: %w", c.ID, err)
	}
	if kept.Settled == nil && kept.Accepted != nil {
		return &Settled{Wire: kept.Accepted.Payment.Wire, State: SettlePending}, nil
	}
	return kept.Settled, nil
}

// recalled returns the hits in the form in which Searcher.Recall reads them again.
func (o outcome) recalled() []search.Recalled {
	hits := make([]search.Recalled, len(o.Hits))
	for i, h := range o.Hits {
		hits[i] = search.Recalled(h)
	}
	return hits
}

// bill returns the bill of an outcome, with the caller's balance now.
func (o outcome) bill(ctx context.Context, tx ReadTx, c memory.Caller, claim Claim) (search.Bill, error) {
	bill := search.Bill{Skipped: o.Skipped}
	charges, err := tx.ChargesOfClaim(ctx, claim.ID)
	if err != nil {
		return search.Bill{}, err
	}
	for _, id := range o.Charges {
		i := slices.IndexFunc(charges, func(c Charge) bool { return c.ID == id })
		if i < 0 {
			continue
		}
		bill.Charges = append(bill.Charges, charges[i].forBuyer())
	}
	if len(bill.Charges) == 0 {
		return bill, nil
	}
	balance, err := tx.Balance(ctx, Holder(c.Agent, c.Taint))
	bill.Balance = &balance
	return bill, err
}
