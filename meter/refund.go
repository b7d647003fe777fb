package meter

import (
	"context"

	"github.com/google/uuid"

	"mneme/memory"
)

// Refund pays back a whole charge, once, from the seller's account to the buyer's. The entries
// stay bought, and the search still counts for caps. The caller must be the seller, in a
// session at the charge's label.
func (m *Market) Refund(ctx context.Context, c memory.Caller, charge uuid.UUID, i *memory.Idempotency) (Charge, error) {
	var refunded Charge
	err := m.update(ctx, c, func(tx Tx) error {
		found, err := visibleCharge(ctx, tx, c, charge)
		if err != nil {
			return err
		}
		if err := requireOwn(ctx, tx, c, found.Store, m.service.Instant()); err != nil {
			return err
		}
		record, err := m.service.Outcomes().Recorded(ctx, tx, c, i)
		if err != nil {
			return err
		}
		if err := tx.Lock(ctx, lockCharge(charge)); err != nil {
			return err
		}
		if refunded, err = visibleCharge(ctx, tx, c, charge); err != nil || record != nil {
			return err
		}
		if err := m.refund(ctx, tx, c, &refunded); err != nil {
			return err
		}
		return m.service.Outcomes().Record(ctx, tx, c, i, memory.IdempotencyRecord{IDs: []uuid.UUID{charge}})
	})
	if err != nil {
		return Charge{}, err
	}
	return refunded, nil
}

func (m *Market) refund(ctx context.Context, tx ChargeWriter, c memory.Caller, charge *Charge) error {
	if charge.Label != c.Taint {
		return conflict("the charge has a lower label than the session, and is refunded at its own label only")
	}
	if err := refundable(charge.State); err != nil {
		return err
	}
	line := Line{At: m.service.Instant(), Kind: LineRefund, Charge: charge.ID}
	if charge.Amount > 0 {
		if err := tx.Lock(ctx, lockAccount(Holder(charge.Seller, charge.Label))); err != nil {
			return err
		}
		line.Postings = []Posting{
			{Account: Holder(charge.Seller, charge.Label), Amount: -charge.Amount},
			{Account: Holder(charge.Buyer, charge.Label), Amount: charge.Amount},
		}
	}
	if _, err := appendLine(ctx, tx, line); err != nil {
		return err
	}
	charge.State = ChargeRefunded
	return tx.PutCharge(ctx, *charge)
}

func refundable(state ChargeState) error {
	switch state {
	case ChargeDone:
		return nil
	case ChargeRefunded:
		return conflict("the charge was refunded already")
	case ChargeReversed:
		return conflict("the charge was reversed: its payment was refused")
	default:
		return conflict("the charge is not settled yet")
	}
}

// visibleCharge returns a charge to its seller and buyer in sessions that may see
// it; memory.ErrNotFound to others.
func visibleCharge(ctx context.Context, tx ChargeReader, c memory.Caller, id uuid.UUID) (Charge, error) {
	charge, err := tx.Charge(ctx, id)
	if err != nil {
		return Charge{}, err
	}
	if charge == nil || !charge.Label.CanFlowTo(c.Taint) || c.Agent != charge.Seller && c.Agent != charge.Buyer {
		return Charge{}, memory.ErrNotFound
	}
	return *charge, nil
}
