package meter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

// settleTimeout bounds a settlement. Its caller may be gone: what was charged is
// settled all the same.
const settleTimeout = 40 * time.Second

// settle settles the payment of a pending claim that is held. Afterwards the claim is
// done, or still pending if nobody knows yet. A refusal reverses the charge, and is a
// RefusedError.
func (m *Market) settle(ctx context.Context, claim *Claim) error {
	if m.options.Gateway == nil {
		return nil // it stays pending until there is one again
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	kept, err := m.beginSettling(ctx, claim)
	if err != nil || claim.State != ClaimPending {
		return err
	}
	amount, err := m.amountOf(ctx, claim)
	if err != nil {
		return err
	}
	answer, err := m.options.Gateway.Settle(ctx, *kept.Accepted, claim.ID, amount, kept.Tried)
	if err != nil {
		m.options.Observer.SettleFailed()
	}
	switch answer.State {
	case SettleDone:
		return m.settled(ctx, claim, *kept.Accepted, answer)
	case SettleRefused:
		return m.refuse(ctx, claim, *kept.Accepted, answer)
	case SettleUnsent:
		if kept.Tried { // an earlier attempt was sent
			return nil
		}
		return m.untried(ctx, claim, kept)
	default:
		return nil
	}
}

// untried records that the first attempt to settle a claim reached nobody.
func (m *Market) untried(ctx context.Context, held *Claim, before settlement) error {
	return m.storage.Update(ctx, func(tx Tx) error {
		if err := tx.Lock(ctx, lockClaim(held.ID.String())); err != nil {
			return err
		}
		claim, err := tx.ClaimByID(ctx, held.ID)
		if err != nil || claim == nil || claim.State != ClaimPending || claim.Fence != held.Fence {
			return err // another request knows better
		}
		if claim.Settlement, err = json.Marshal(before); err != nil {
			return err
		}
		return tx.PutClaim(ctx, *claim)
	})
}

// beginSettling records that an attempt to settle a claim begins, and returns its
// settlement as it was before. If another request has ended the claim, held is what it
// is now.
//
// SECURITY: a payer can use its payment elsewhere, or void it. That it was used means
// that we settled it only if an attempt of ours was recorded before.
func (m *Market) beginSettling(ctx context.Context, held *Claim) (before settlement, err error) {
	err = m.storage.Update(ctx, func(tx Tx) error {
		if err := tx.Lock(ctx, lockClaim(held.ID.String())); err != nil {
			return err
		}
		claim, err := tx.ClaimByID(ctx, held.ID)
		switch {
		case err != nil:
			return err
		case claim == nil || claim.State == ClaimPending && claim.Fence != held.Fence:
			return memory.ErrFenced
		case claim.State != ClaimPending:
			*held = *claim
			return nil
		}
		before = settlement{}
		if err := json.Unmarshal(claim.Settlement, &before); err != nil || before.Accepted == nil {
			return fmt.Errorf("the settlement of claim %s cannot be read", claim.ID)
		}
		if before.Tried {
			return nil
		}
		claim.Settlement, err = json.Marshal(settlement{Accepted: before.Accepted, Tried: true})
		if err != nil {
			return err
		}
		return tx.PutClaim(ctx, *claim)
	})
	return before, err
}

// amountOf returns what a claim's charges cost together.
func (m *Market) amountOf(ctx context.Context, claim *Claim) (amount int64, err error) {
	err = m.storage.View(ctx, func(tx ReadTx) error {
		charges, err := tx.ChargesOfClaim(ctx, claim.ID)
		for _, charge := range charges {
			amount += charge.Amount
		}
		return err
	})
	return amount, err
}

// ended locks a claim and its charges, and returns both as they are. pending says
// that the claim still has to be ended.
func ended(ctx context.Context, tx Tx, id uuid.UUID) (claim *Claim, charges []Charge, pending bool, err error) {
	if err := tx.Lock(ctx, lockClaim(id.String())); err != nil {
		return nil, nil, false, err
	}
	if claim, err = tx.ClaimByID(ctx, id); err != nil || claim == nil || claim.State != ClaimPending {
		return claim, nil, false, err
	}
	if charges, err = tx.ChargesOfClaim(ctx, id); err != nil {
		return nil, nil, false, err
	}
	var names []string
	for _, charge := range charges {
		names = append(names, lockCharge(charge.ID))
	}
	if len(names) > 0 {
		err = tx.Lock(ctx, names...)
	}
	return claim, charges, true, err
}

// settled credits the sellers, and the buyer with what a fixed amount has beyond the
// charges.
func (m *Market) settled(ctx context.Context, held *Claim, a Accepted, answer Settled) error {
	return m.storage.Update(ctx, func(tx Tx) error {
		claim, charges, pending, err := ended(ctx, tx, held.ID)
		if err != nil {
			return err
		}
		if claim == nil {
			return fmt.Errorf("claim %s was settled and is gone", held.ID)
		}
		if pending {
			if err := m.credit(ctx, tx, charges, a); err != nil {
				return err
			}
			claim.State = ClaimDone
			if claim.Settlement, err = json.Marshal(settlement{Settled: &answer}); err != nil {
				return err
			}
			if err := tx.PutClaim(ctx, *claim); err != nil {
				return err
			}
		}
		*held = *claim
		return nil
	})
}

func (m *Market) credit(ctx context.Context, tx Tx, charges []Charge, a Accepted) error {
	if err := tx.Lock(ctx, lockAccount(AccountSettling)); err != nil {
		return err
	}
	surplus := a.Covers
	for _, charge := range charges {
		surplus -= charge.Amount
	}
	if !a.Fixed {
		surplus = 0
	}
	for i, charge := range charges {
		line := Line{At: m.service.Instant(), Kind: LineSettle, Charge: charge.ID}
		if charge.Amount > 0 {
			line.Postings = append(line.Postings, Posting{AccountSettling, -charge.Amount}, Posting{charge.Seller, charge.Amount})
		}
		if i == 0 && surplus > 0 {
			line.Postings = append(line.Postings, Posting{AccountExternal, -surplus}, Posting{charge.Buyer, surplus})
		}
		if _, err := appendLine(ctx, tx, line); err != nil {
			return err
		}
		charge.State = ChargeDone
		if err := tx.PutCharge(ctx, charge); err != nil {
			return err
		}
	}
	return nil
}

// refuse reverses the charges of a payment that was refused, and removes its claim:
// the call can be made again with another payment.
func (m *Market) refuse(ctx context.Context, held *Claim, a Accepted, answer Settled) error {
	price := &memory.PaymentError{Price: a.Covers, Reason: "the payment was refused"}
	reversed := false
	err := m.storage.Update(ctx, func(tx Tx) error {
		claim, charges, pending, err := ended(ctx, tx, held.ID)
		if err != nil {
			return err
		}
		switch {
		case claim == nil:
			reversed = true // by another request
		case claim.Fence != held.Fence || !pending: // another request knows better
			*held = *claim
		default:
			reversed = true
			if err := m.reverse(ctx, tx, charges); err != nil {
				return err
			}
			if err := tx.DeleteClaim(ctx, claim.ID); err != nil {
				return err
			}
		}
		for _, charge := range charges {
			price.Offer = charge.Offer.String()
		}
		price.Balance, err = tx.Balance(ctx, held.Key.Agent)
		return err
	})
	if err != nil || !reversed {
		return err
	}
	return &RefusedError{Price: price, Refusal: &PaymentRefusal{Reason: reasonSettle, Settled: &answer}}
}

// reasonSettle is the reason of a refused settlement. The settlement has its own.
const reasonSettle = "settlement_failed"

func (m *Market) reverse(ctx context.Context, tx Tx, charges []Charge) error {
	var buyers, offers []string
	for _, charge := range charges {
		buyers, offers = append(buyers, lockBuyer(charge.Store, charge.Buyer)), append(offers, lockOffer(charge.Offer))
	}
	for _, names := range [][]string{buyers, offers, {lockAccount(AccountSettling)}} {
		if err := tx.Lock(ctx, slices.Compact(slices.Sorted(slices.Values(names)))...); err != nil {
			return err
		}
	}
	for _, charge := range charges {
		if err := charge.uncount(ctx, tx); err != nil {
			return err
		}
		line := Line{At: m.service.Instant(), Kind: LineReverse, Charge: charge.ID}
		if charge.Amount > 0 {
			line.Postings = []Posting{{AccountSettling, -charge.Amount}, {AccountExternal, charge.Amount}}
		}
		if _, err := appendLine(ctx, tx, line); err != nil {
			return err
		}
		charge.State = ChargeReversed
		if err := tx.PutCharge(ctx, charge); err != nil {
			return err
		}
	}
	return nil
}
