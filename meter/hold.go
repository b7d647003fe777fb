package meter

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/search"
)

// defaultHold is how long a request holds a claim. As long as a claim is open, nothing has been
// charged, so a repetition may take it over sooner: after patienceFirst. A claim that is being
// settled is taken over only after the hold has lapsed, so that two requests never settle at
// once.
const defaultHold = time.Minute

// identity returns the digest that identifies a payment.
func (p *Payment) identity() string {
	if p == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Scheme, p.Network, p.Payer, p.Nonce}, "\x00")))
	return hex.EncodeToString(sum[:])
}

func keyOf(c memory.Caller, i memory.Idempotency) memory.IdempotencyKey {
	return memory.IdempotencyKey{Agent: c.Agent, Taint: c.Taint, Operation: i.Operation, Path: i.Path, Key: i.Key}
}

// lockKey is the name of the lock for creating the claim of a key.
func lockKey(k memory.IdempotencyKey) string {
	return lockClaim(strings.Join([]string{"key", k.Agent, k.Taint.String(), k.Operation, k.Path, k.Key}, "\x00"))
}

// hold creates the claim of a search, or takes over an existing claim of the same key or
// payment. It takes over an open claim only if lapsed is its holder; the zero lapsed means
// never. held reports whether the request now holds the claim, and has to run the search or to
// settle the payment. Otherwise another request holds the claim, or it is done.
func (m *Market) hold(ctx context.Context, c memory.Caller, r order, lapsed search.ClaimRef) (claim Claim, held bool, err error) {
	err = m.update(ctx, c, func(tx Tx) error {
		now := m.service.Instant()
		key, payment := keyOf(c, r.Call), r.Payment.identity()
		var names []string
		if key.Key != "" {
			names = append(names, lockKey(key))
		}
		if payment != "" {
			names = append(names, lockClaim("payment\x00"+payment))
		}
		if err := tx.Lock(ctx, names...); err != nil {
			return err
		}
		found, err := m.findClaim(ctx, tx, key, payment, r.Call.Digest, now)
		if err != nil {
			return err
		}
		if found == nil {
			held = true
			if claim, err = m.newClaim(key, payment, r, now); err != nil {
				return err
			}
			return tx.PutClaim(ctx, claim)
		}
		claim = *found
		switch claim.State {
		case ClaimDone:
			held = false
		case ClaimOpen:
			held = lapsed == claim.holder() && claim.take(key, payment, now, m.options.Hold)
		default:
			held = claim.take(key, payment, now, m.options.Hold)
		}
		if !held {
			return nil
		}
		return tx.PutClaim(ctx, claim)
	})
	return claim, held, err
}

// findClaim returns, locked, the claim of an earlier request that this one repeats; nil if
// there is none.
func (m *Market) findClaim(ctx context.Context, tx ClaimWriter, key memory.IdempotencyKey, payment, digest string, now time.Time) (*Claim, error) {
	byKey, err := m.liveClaim(ctx, tx, now, func() (*Claim, error) {
		if key.Key == "" {
			return nil, nil
		}
		return tx.ClaimOfKey(ctx, key)
	})
	if err != nil {
		return nil, err
	}
	if byKey != nil && byKey.Digest != digest {
		return nil, memory.ErrKeyReused
	}
	if byKey != nil && byKey.Payment != payment && strings.HasPrefix(key.Key, identifierKey) {
		return nil, conflict("the payment identifier was used for another payment")
	}
	if byKey != nil && byKey.State == ClaimDone {
		return byKey, nil // the payment of a repetition, if any, is not claimed
	}
	byPayment, err := m.liveClaim(ctx, tx, now, func() (*Claim, error) {
		if payment == "" {
			return nil, nil
		}
		return tx.ClaimOfPayment(ctx, payment)
	})
	if err != nil || byPayment == nil {
		return byKey, err
	}
	other := byPayment.Key
	if key.Key == "" || other.Key == "" { // one of the two requests had no key
		other.Key = key.Key
	}
	if other != key || byPayment.Digest != digest || byKey != nil && byKey.ID != byPayment.ID {
		return nil, conflict("the payment was used for another call")
	}
	return byPayment, nil
}

// liveClaim locks the claim that find returns and reads it again. It removes a claim that
// has expired.
func (m *Market) liveClaim(ctx context.Context, tx ClaimWriter, now time.Time, find func() (*Claim, error)) (*Claim, error) {
	found, err := find()
	if err != nil || found == nil {
		return nil, err
	}
	if err := tx.Lock(ctx, lockClaim(found.ID.String())); err != nil {
		return nil, err
	}
	if found, err = tx.Claim(ctx, found.ID); err != nil || found == nil {
		return nil, err
	}
	if found.State != ClaimPending && !now.Before(found.ExpiresAt) {
		return nil, tx.DeleteClaim(ctx, found.ID)
	}
	return found, nil
}

func (m *Market) newClaim(key memory.IdempotencyKey, payment string, r order, now time.Time) (Claim, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Claim{}, err
	}
	expires := now.Add(m.service.Limits().IdempotencyTTL)
	if r.Payment != nil && r.Payment.Expires.After(expires) {
		expires = instantOf(r.Payment.Expires)
	}
	return Claim{
		ID: id, Key: key, Payment: payment, Digest: r.Call.Digest, State: ClaimOpen, Fence: 1,
		HeldUntil: now.Add(m.options.Hold), ExpiresAt: expires,
	}, nil
}

// holder identifies the request that holds the claim now.
func (c *Claim) holder() search.ClaimRef { return search.ClaimRef{ID: c.ID, Fence: c.Fence} }

// take takes over a claim for a request. It returns false while another request settles the
// claim's payment. An open claim gets the key and the payment of the new request, since no
// payment of an earlier one was settled.
func (c *Claim) take(key memory.IdempotencyKey, payment string, now time.Time, hold time.Duration) bool {
	if c.State == ClaimPending && now.Before(c.HeldUntil) {
		return false
	}
	if c.State == ClaimOpen {
		c.Payment = payment
		if key.Key != "" {
			c.Key = key
		}
	}
	c.Fence++
	c.HeldUntil = now.Add(hold)
	return true
}

// release removes a claim under which nothing was charged, after a failure. It returns the
// failure, or search.ErrFenced if another request has taken over the claim: that request may
// have caused the failure, and its outcome counts.
func (m *Market) release(ctx context.Context, held *Claim, failure error) error {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	fenced := false
	err := m.updateClaim(own, held, func(tx Tx) error {
		if err := tx.Lock(own, lockClaim(held.ID.String())); err != nil {
			return err
		}
		claim, err := tx.Claim(own, held.ID)
		if err != nil {
			return err
		}
		if fenced = claim == nil || claim.State != ClaimOpen || claim.Fence != held.Fence; fenced {
			return nil
		}
		return tx.DeleteClaim(own, claim.ID)
	})
	if err == nil && fenced && ctx.Err() == nil {
		return search.ErrFenced
	}
	return errors.Join(failure, err)
}

const releaseTimeout = 5 * time.Second
