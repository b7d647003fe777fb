package meter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/search"
)

// search runs an order. An order with an Idempotency-Key or a payment happens once: it holds
// a claim, and a repetition returns the answer that the claim stores.
//
//	claim → verify the payment → search, which stores owed charges → settle → charge → answer
//
// An account is charged during the search. A payment is charged once it is settled or, if it
// was verified, once the answer is delivered. Until then nothing is shown, and a refused
// payment leaves no trace.
func (m *Market) search(ctx context.Context, c memory.Caller, r order) (SearchResult, error) {
	if r.Call.Key == "" && r.Payment == nil {
		answer, err := m.ask(ctx, c, r.Request)
		return SearchResult{Answer: answer}, err
	}
	if r.Call.Key == "" && r.Payment.Identifier != "" {
		r.Call.Key = identifierKey + m.service.Secret().Digest("payment-identifier", r.Payment.Identifier)
	}
	var seen watch
	for wait := pollFirst; ; wait = min(2*wait, pollMost) {
		claim, held, err := m.hold(ctx, c, r, seen.lapsed())
		if err != nil {
			return SearchResult{}, err
		}
		var result SearchResult
		switch {
		case claim.State == ClaimDone:
			return m.repeat(ctx, c, r, claim)
		case !held:
			seen.see(claim, m.options.Hold)
			if err := sleep(ctx, wait); err != nil {
				return SearchResult{}, err
			}
			continue
		case claim.State == ClaimPending:
			if err = m.settleOrDeliver(ctx, &claim); err == nil {
				return m.repeat(ctx, c, r, claim)
			}
		default:
			result, err = m.searchHeld(ctx, c, r, &claim)
		}
		if !errors.Is(err, search.ErrFenced) {
			return result, err
		}
	}
}

// identifierKey is the prefix of a claim's key if there is no Idempotency-Key: the rest of the
// key is a digest of the client's name for the payment.
const identifierKey = "payment-identifier "

// How often a request checks whether the holder of its claim has ended the claim.
const (
	pollFirst = 20 * time.Millisecond
	pollMost  = 500 * time.Millisecond
)

// watch measures how long a request has seen the same holder of an open claim.
type watch struct {
	holder search.ClaimRef
	until  time.Time // when the request may take over the claim
}

// patienceFirst is how long a repetition leaves an open claim to its first holder. Each
// further holder has twice the time of the previous one, up to Options.Hold, so that however
// many repetitions there are, one of them has enough time for its search.
const patienceFirst = 250 * time.Millisecond

func (w *watch) see(claim Claim, most time.Duration) {
	if claim.holder() == w.holder {
		return
	}
	patience := patienceFirst
	for range min(claim.Fence, 64) - 1 {
		patience = min(2*patience, most)
	}
	*w = watch{claim.holder(), time.Now().Add(patience)}
}

// lapsed returns the holder from which the request may take over an open claim; zero if there
// is none.
func (w *watch) lapsed() search.ClaimRef {
	if w.holder.ID == uuid.Nil || time.Now().Before(w.until) {
		return search.ClaimRef{}
	}
	return w.holder
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// searchHeld runs the search of an open claim that this request holds. If it fails before the
// charge, it removes the claim, so that nothing is stored.
func (m *Market) searchHeld(ctx context.Context, c memory.Caller, r order, claim *Claim) (SearchResult, error) {
	accepted, err := m.verify(ctx, c, r)
	if err != nil {
		return SearchResult{}, m.release(ctx, claim, err)
	}
	asked := r.Request
	asked.Purchase.Claim = &search.ClaimRef{ID: claim.ID, Fence: claim.Fence, Hold: m.options.Hold}
	if accepted != nil {
		method, err := json.Marshal(settlement{Accepted: accepted})
		if err != nil {
			return SearchResult{}, m.release(ctx, claim, err)
		}
		asked.Purchase.Payment = &search.Payment{Covers: accepted.Covers, Method: method}
	}
	answer, err := m.ask(ctx, c, asked)
	if errors.Is(err, search.ErrFenced) {
		return SearchResult{}, err
	}
	if err != nil {
		// If the database's response was lost, the charge may still have committed. Then
		// release keeps the claim.
		return SearchResult{}, m.release(ctx, claim, err)
	}
	result := SearchResult{Answer: answer}
	if len(answer.Bill.Charges) == 0 {
		return result, m.release(ctx, claim, nil)
	}
	if accepted == nil {
		return result, nil
	}
	if *claim, err = m.charged(ctx, c, claim.holder()); err != nil {
		return SearchResult{}, err
	}
	if err := m.settleOrDeliver(ctx, claim); err != nil {
		return SearchResult{}, err
	}
	if result.Settled, err = claim.settled(); err != nil {
		return SearchResult{}, err
	}
	result.Bill, err = m.billOf(ctx, c, *claim)
	return result, err
}

// ask runs a search and notifies the Meter of it.
func (m *Market) ask(ctx context.Context, c memory.Caller, r search.Request) (search.Answer, error) {
	answer, err := m.searcher.Search(ctx, c, r)
	if m.options.Meter != nil {
		m.options.Meter.Observe(c, answer.Bill, err)
	}
	return answer, err
}

// charged returns the claim of a search that was charged for, or search.ErrFenced if another
// request has taken it over since.
func (m *Market) charged(ctx context.Context, c memory.Caller, held search.ClaimRef) (Claim, error) {
	var claim *Claim
	err := m.view(ctx, c, func(tx ReadTx) (err error) {
		claim, err = tx.Claim(ctx, held.ID)
		return err
	})
	if err == nil && (claim == nil || claim.holder() != held) {
		err = search.ErrFenced
	}
	if err != nil {
		return Claim{}, err
	}
	return *claim, nil
}

// retryUnsettled is the delay after which to repeat a call whose payment has no outcome yet.
const retryUnsettled = 5 * time.Second

// settleOrDeliver settles the payment of a pending claim that this request holds. If the
// outcome is not known, it delivers the answer if the payment was verified, and otherwise
// returns an UnsettledError: a repetition or Run tries again.
func (m *Market) settleOrDeliver(ctx context.Context, claim *Claim) error {
	if err := m.settle(ctx, claim); err != nil || claim.State == ClaimDone {
		return err
	}
	var kept settlement
	if err := json.Unmarshal(claim.Settlement, &kept); err != nil {
		return fmt.Errorf("the settlement of claim %s cannot be read", claim.ID)
	}
	out, err := claim.outcome()
	if err != nil {
		return err
	}
	switch {
	case len(out.Owed) == 0: // it was delivered
		return nil
	case kept.Accepted != nil && kept.Accepted.Verified:
		return m.deliver(ctx, claim)
	}
	if err := m.endHold(ctx, claim); err != nil {
		return err
	}
	return &search.UnsettledError{RetryAfter: retryUnsettled}
}

// endHold ends the hold on a pending claim, so that the next request can settle it.
func (m *Market) endHold(ctx context.Context, held *Claim) error {
	return m.updateClaim(ctx, held, func(tx Tx) error {
		if err := tx.Lock(ctx, lockClaim(held.ID.String())); err != nil {
			return err
		}
		claim, err := tx.Claim(ctx, held.ID)
		if err != nil || claim == nil || claim.State != ClaimPending || claim.Fence != held.Fence {
			return err
		}
		claim.HeldUntil = m.service.Instant()
		return tx.PutClaim(ctx, *claim)
	})
}

// billOf returns the bill of a claim that has an outcome.
func (m *Market) billOf(ctx context.Context, c memory.Caller, claim Claim) (bill search.Bill, err error) {
	out, err := claim.outcome()
	if err != nil {
		return search.Bill{}, err
	}
	err = m.view(ctx, c, func(tx ReadTx) error {
		bill, err = out.bill(ctx, tx, c, claim)
		return err
	})
	return bill, err
}

// verify accepts and verifies the payment of a search. It returns nil if there is none.
func (m *Market) verify(ctx context.Context, c memory.Caller, r order) (*Accepted, error) {
	if r.Payment == nil {
		return nil, nil
	}
	if m.options.Gateway == nil || m.options.Meter == nil {
		return nil, &memory.RuleError{Field: "payment", Rule: "is not accepted: no payment method is configured"}
	}
	if err := m.refused.check(refusalNames(c, &r), m.service.Instant()); err != nil {
		return nil, err
	}
	done, err := m.service.Readers().Take(ctx, c)
	if err != nil {
		return nil, err
	}
	quote, err := m.options.Meter.Quote(ctx, c, r.Purchase.Offer, r.Limit, m.service.Instant())
	done()
	if err != nil {
		return nil, err
	}
	accepted, err := m.options.Gateway.Accept(r.Payment, quote.Price)
	if err == nil {
		err = m.options.Gateway.Verify(ctx, accepted)
	}
	var refusal *PaymentRefusal
	switch {
	case err == nil:
		return &accepted, nil
	case errors.As(err, &refusal):
		return nil, &RefusedError{Price: quote, Refusal: refusal}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		return nil, fmt.Errorf("%w: the payment cannot be verified: %w", memory.ErrUnavailable, err)
	}
}

// repeat returns the answer that a claim stores, with the entries as the caller may see them
// now.
func (m *Market) repeat(ctx context.Context, c memory.Caller, r order, claim Claim) (SearchResult, error) {
	out, err := claim.outcome()
	if err != nil {
		return SearchResult{}, err
	}
	var result SearchResult
	bill, err := m.billOf(ctx, c, claim)
	if err != nil {
		return SearchResult{}, err
	}
	asked := r.Request
	if asked.Purchase.Offer != uuid.Nil {
		asked.Stores = out.Stores
		if claim.Payment != "" {
			asked.Purchase.Payment = new(search.Payment) // a payment takes the place of a grant
		}
	}
	if result.Answer, err = m.searcher.Recall(ctx, c, asked, out.recalled()); err != nil {
		return SearchResult{}, err
	}
	result.Bill, result.Degraded, result.Incomplete = bill, out.Degraded, out.Incomplete
	result.Settled, err = claim.settled()
	return result, err
}
