package meter

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"mneme/search"
)

// reconcileBatch is how many pending claims are read at a time.
const reconcileBatch = 100

// Reconcile settles pending payments whose hold has lapsed because a process died or a
// facilitator did not answer. It returns how many it ended and how many are still pending.
func (m *Market) Reconcile(ctx context.Context) (done, pending int, err error) {
	var claims []Claim
	err = m.storage.View(ctx, func(tx ReadTx) (err error) {
		claims, err = tx.LapsedClaims(ctx, m.service.Instant(), reconcileBatch)
		return err
	})
	for i := range claims {
		ended, failed := m.reconcile(ctx, claims[i].ID)
		switch {
		case failed != nil:
			err = errors.Join(err, failed)
			m.options.Observer.SettleFailed()
			pending++
		case ended:
			done++
		default:
			pending++
		}
		if ctx.Err() != nil {
			return done, pending, ctx.Err()
		}
	}
	return done, pending, err
}

// reconcile settles a pending claim, unless another process does.
func (m *Market) reconcile(ctx context.Context, id uuid.UUID) (done bool, err error) {
	var claim *Claim
	held := false
	err = m.storage.Update(ctx, func(tx Tx) (err error) {
		if err = tx.Lock(ctx, lockClaim(id.String())); err != nil {
			return err
		}
		held = false
		if claim, err = tx.Claim(ctx, id); err != nil || claim == nil || claim.State != ClaimPending {
			return err
		}
		if held = claim.take(claim.Key, claim.Payment, m.service.Instant(), m.options.Hold); !held {
			return nil
		}
		return tx.PutClaim(ctx, *claim)
	})
	if err != nil || !held {
		return err == nil, err
	}
	var refused *RefusedError
	if err := m.inBackground().settle(ctx, claim); errors.As(err, &refused) || errors.Is(err, search.ErrFenced) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	return claim.State == ClaimDone, nil
}

// reconcileEvery is how often Run calls Reconcile.
const reconcileEvery = 5 * time.Second

// Run reconciles payments until ctx is done, and removes claims that have expired.
// It passes errors to failed, without the claim or payment that they concern.
func (m *Market) Run(ctx context.Context, failed func(error)) {
	var swept time.Time
	for {
		done, _, err := m.Reconcile(ctx)
		if now := m.service.Instant(); now.Sub(swept) >= sweepEvery {
			swept = now
			err = errors.Join(err, m.storage.Update(ctx, func(tx Tx) error { return tx.DeleteExpiredClaims(ctx, now) }))
		}
		overdue, unread := m.overdue(ctx)
		if unread == nil {
			m.options.Observer.Reconciled(done, overdue)
		}
		if err = errors.Join(err, unread); err != nil && ctx.Err() == nil {
			failed(err)
		}
		if sleep(ctx, reconcileEvery) != nil {
			return
		}
	}
}

// overdue returns how many of the first hundred pending payments were charged longer ago than
// a hold lasts, including those that a pass has just tried and still holds.
func (m *Market) overdue(ctx context.Context) (overdue int, err error) {
	now := m.service.Instant()
	err = m.storage.View(ctx, func(tx ReadTx) error {
		overdue = 0
		claims, err := tx.LapsedClaims(ctx, now.Add(m.options.Hold), reconcileBatch)
		if err != nil {
			return err
		}
		for _, claim := range claims {
			_, charges, err := chargesOf(ctx, tx, &claim)
			if err != nil {
				return err
			}
			if len(charges) > 0 && now.Sub(charges[0].At) > m.options.Hold {
				overdue++
			}
		}
		return nil
	})
	return overdue, err
}
