package meter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/search"
)

// settleTimeout bounds a settlement, which goes on if its caller has disconnected, since the
// search was charged.
const settleTimeout = 40 * time.Second

// settle settles the payment of a pending claim that this request holds. Afterwards the claim
// is done, or still pending if the outcome is not known yet. If the payment is refused, settle
// removes charges that were not delivered, reverses those that were, and returns a
// RefusedError.
func (m *Market) settle(ctx context.Context, claim *Claim) error {
	if m.options.Gateway == nil {
		return nil // the claim stays pending until a Gateway is configured again
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
		if kept.Tried { // an earlier attempt may have been sent
			return nil
		}
		return m.keepSettlement(ctx, claim, kept) // the first attempt was not sent
	default:
		if answer.Begun == "" || answer.Begun == kept.Accepted.Begun {
			return nil
		}
		kept.Accepted.Begun = answer.Begun
		return m.keepSettlement(ctx, claim, settlement{Accepted: kept.Accepted, Tried: true})
	}
}

// keepSettlement records the known state of the settlement of a pending claim that this request
// holds.
func (m *Market) keepSettlement(ctx context.Context, held *Claim, known settlement) error {
	return m.updateClaim(ctx, held, func(tx Tx) error {
		if err := tx.Lock(ctx, lockClaim(held.ID.String())); err != nil {
			return err
		}
		claim, err := tx.Claim(ctx, held.ID)
		if err != nil || claim == nil || claim.State != ClaimPending || claim.Fence != held.Fence {
			return err // another request has taken over the claim
		}
		if claim.Settlement, err = json.Marshal(known); err != nil {
			return err
		}
		return tx.PutClaim(ctx, *claim)
	})
}

// beginSettling records that an attempt to settle a claim begins, and returns the settlement as
// it was before. If another request has ended the claim, beginSettling sets held to its current
// state.
//
// SECURITY: a payer can use its payment elsewhere, or void it. So if the service that settles
// payments says that a payment was used before, this proves that it was settled for this claim
// only if an earlier attempt was recorded.
func (m *Market) beginSettling(ctx context.Context, held *Claim) (before settlement, err error) {
	err = m.updateClaim(ctx, held, func(tx Tx) error {
		if err := tx.Lock(ctx, lockClaim(held.ID.String())); err != nil {
			return err
		}
		claim, err := tx.Claim(ctx, held.ID)
		switch {
		case err != nil:
			return err
		case claim == nil || claim.State == ClaimPending && claim.Fence != held.Fence:
			return search.ErrFenced
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

// amountOf returns the sum of a claim's charges.
func (m *Market) amountOf(ctx context.Context, claim *Claim) (amount int64, err error) {
	err = m.storage.View(ctx, func(tx ReadTx) error {
		_, charges, err := chargesOf(ctx, tx, claim)
		for _, charge := range charges {
			amount += charge.Amount
		}
		return err
	})
	return amount, err
}

// chargesOf returns the charges of a claim: the owed ones of its outcome or, if there are
// none, the booked ones.
func chargesOf(ctx context.Context, tx ChargeReader, claim *Claim) (out outcome, charges []Charge, err error) {
	if out, err = claim.outcome(); err != nil {
		return outcome{}, nil, err
	}
	for _, due := range out.Owed {
		charges = append(charges, due.Charge)
	}
	if len(out.Owed) == 0 {
		charges, err = tx.ChargesOfClaim(ctx, claim.ID)
	}
	return out, charges, err
}

// ending is a locked claim whose payment is being ended, with its charges.
type ending struct {
	claim   *Claim
	pending bool // the payment must still be ended
	out     outcome
	charges []Charge
}

// end locks a claim and its charges, and returns their current state.
func end(ctx context.Context, tx interface {
	Locker
	ClaimReader
	ChargeReader
}, id uuid.UUID,
) (e ending, err error) {
	if err := tx.Lock(ctx, lockClaim(id.String())); err != nil {
		return ending{}, err
	}
	if e.claim, err = tx.Claim(ctx, id); err != nil || e.claim == nil || e.claim.State != ClaimPending {
		return e, err
	}
	e.pending = true
	if e.out, e.charges, err = chargesOf(ctx, tx, e.claim); err != nil {
		return ending{}, err
	}
	var charges, buyers, offers []string
	for _, charge := range e.charges {
		charges = append(charges, lockCharge(charge.ID))
		buyers, offers = append(buyers, lockBuyer(charge.Store, charge.Buyer)), append(offers, lockOffer(charge.Offer))
	}
	for _, names := range [][]string{charges, buyers, offers, {lockAccount(AccountSettling)}} {
		if len(names) == 0 {
			continue
		}
		if err := tx.Lock(ctx, slices.Compact(slices.Sorted(slices.Values(names)))...); err != nil {
			return ending{}, err
		}
	}
	return e, nil
}

// bookOwed books the owed charges of a claim, and removes them from its outcome.
func (m *Market) bookOwed(ctx context.Context, tx bookkeeper, e *ending) (err error) {
	if len(e.out.Owed) == 0 {
		return nil
	}
	e.charges = nil
	for i := range e.out.Owed {
		due := &e.out.Owed[i]
		if err := m.options.Meter.book(ctx, tx, due); err != nil {
			return err
		}
		e.charges = append(e.charges, due.Charge)
	}
	e.out.Owed = nil
	e.claim.Outcome, err = json.Marshal(e.out)
	return err
}

// deliver books the owed charges of a claim while its payment is still pending, so that the
// answer can be shown. A later holder of the claim ends the payment.
func (m *Market) deliver(ctx context.Context, held *Claim) error {
	return m.updateClaim(ctx, held, func(tx Tx) error {
		e, err := end(ctx, tx, held.ID)
		switch {
		case err != nil:
			return err
		case e.claim == nil:
			return search.ErrFenced
		case e.pending:
			if err := m.bookOwed(ctx, tx, &e); err != nil {
				return err
			}
			if err := tx.PutClaim(ctx, *e.claim); err != nil {
				return err
			}
		}
		*held = *e.claim
		return nil
	})
}

// settled books the owed charges, credits the sellers, and credits the buyer with the excess
// of a fixed payment over the charges.
func (m *Market) settled(ctx context.Context, held *Claim, a Accepted, answer Settled) error {
	return m.updateClaim(ctx, held, func(tx Tx) error {
		e, err := end(ctx, tx, held.ID)
		if err != nil {
			return err
		}
		if e.claim == nil {
			return fmt.Errorf("claim %s was settled but no longer exists", held.ID)
		}
		if e.pending {
			if err := m.bookOwed(ctx, tx, &e); err != nil {
				return err
			}
			if err := m.credit(ctx, tx, e.charges, a); err != nil {
				return err
			}
			e.claim.State = ClaimDone
			if e.claim.Settlement, err = json.Marshal(settlement{Settled: &answer}); err != nil {
				return err
			}
			if err := tx.PutClaim(ctx, *e.claim); err != nil {
				return err
			}
		}
		*held = *e.claim
		return nil
	})
}

func (m *Market) credit(ctx context.Context, tx ChargeWriter, charges []Charge, a Accepted) error {
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
			line.Postings = append(line.Postings, Posting{AccountSettling, -charge.Amount}, Posting{Holder(charge.Seller, charge.Label), charge.Amount})
		}
		if i == 0 && surplus > 0 {
			line.Postings = append(line.Postings, Posting{AccountExternal, -surplus}, Posting{Holder(charge.Buyer, charge.Label), surplus})
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

// refuse reverses the charges of a refused payment and removes its claim, so that the call can
// be made again with another payment.
func (m *Market) refuse(ctx context.Context, held *Claim, a Accepted, answer Settled) error {
	price := &search.PaymentError{Price: a.Covers, Reason: "the payment was refused"}
	reversed := false
	err := m.updateClaim(ctx, held, func(tx Tx) error {
		e, err := end(ctx, tx, held.ID)
		if err != nil {
			return err
		}
		switch {
		case e.claim == nil:
			reversed = true // by another request
		case e.claim.Fence != held.Fence || !e.pending: // another request has taken it over or ended it
			*held = *e.claim
		default:
			reversed = true
			if err := m.takeBack(ctx, tx, e); err != nil {
				return err
			}
			if err := tx.DeleteClaim(ctx, e.claim.ID); err != nil {
				return err
			}
		}
		for _, charge := range e.charges {
			price.Offer = charge.Offer.String()
		}
		price.Balance, err = tx.Balance(ctx, Holder(held.Key.Agent, held.Key.Taint))
		return err
	})
	if err != nil || !reversed {
		return err
	}
	return &RefusedError{Price: price, Refusal: &PaymentRefusal{Reason: reasonSettle, Settled: &answer}}
}

// reasonSettle is the Reason of the PaymentRefusal for a payment that was refused when it was
// settled. The payment method's own reason is in Settled.
const reasonSettle = "settlement_failed"

// takeBack reverts the counts and purchases of a claim's charges. Charges that were booked it
// also reverses in the ledger; those that were only owed are not stored.
func (m *Market) takeBack(ctx context.Context, tx reverser, e ending) error {
	for _, charge := range e.charges {
		if err := charge.uncount(ctx, tx); err != nil {
			return err
		}
		if len(e.out.Owed) > 0 {
			continue
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
