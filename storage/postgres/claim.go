package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

const (
	claimColumns = `SELECT id, agent, taint, call, path, key, payment, digest, state, fence, held_until, expires_at, outcome, settlement FROM claim `
	// The conditions on key and payment are those of their indexes.
	claimOfKey     = claimColumns + `WHERE agent = $1 AND taint = $2 AND call = $3 AND path = $4 AND key = $5 AND key <> ''`
	claimOfPayment = claimColumns + `WHERE payment = $1 AND payment <> ''`
	pendingClaims  = claimColumns + `WHERE state = 'pending' AND held_until <= $1 ORDER BY id LIMIT $2`
)

func scanClaim(rows pgx.Rows) (c meter.Claim, err error) {
	var taint int16
	err = rows.Scan((*[16]byte)(&c.ID), &c.Key.Agent, &taint, &c.Key.Operation, &c.Key.Path, &c.Key.Key, &c.Payment, &c.Digest,
		(*string)(&c.State), &c.Fence, &c.HeldUntil, &c.ExpiresAt, (*[]byte)(&c.Outcome), (*[]byte)(&c.Settlement))
	c.Key.Taint, c.HeldUntil, c.ExpiresAt = acl.Label(taint), c.HeldUntil.UTC(), c.ExpiresAt.UTC()
	return c, err
}

func (r *reader) claims(ctx context.Context, query string, args ...any) (claims []meter.Claim, err error) {
	err = r.each(ctx, func(rows pgx.Rows) error {
		c, err := scanClaim(rows)
		claims = append(claims, c)
		return err
	}, query, args...)
	return claims, err
}

func (r *reader) claim(ctx context.Context, query string, args ...any) (*meter.Claim, error) {
	claims, err := r.claims(ctx, query, args...)
	if err != nil || len(claims) == 0 {
		return nil, err
	}
	return &claims[0], nil
}

// ClaimByID implements meter.ClaimReader.
func (r *reader) ClaimByID(ctx context.Context, id uuid.UUID) (*meter.Claim, error) {
	return r.claim(ctx, claimColumns+"WHERE id = $1", [16]byte(id))
}

// ClaimOfKey implements meter.ClaimReader.
func (r *reader) ClaimOfKey(ctx context.Context, key memory.IdempotencyKey) (*meter.Claim, error) {
	return r.claim(ctx, claimOfKey, key.Agent, int16(key.Taint), key.Operation, key.Path, key.Key)
}

// ClaimOfPayment implements meter.ClaimReader.
func (r *reader) ClaimOfPayment(ctx context.Context, payment string) (*meter.Claim, error) {
	return r.claim(ctx, claimOfPayment, payment)
}

// PendingClaims implements meter.ClaimReader.
func (r *reader) PendingClaims(ctx context.Context, lapsed time.Time, limit int) ([]meter.Claim, error) {
	if limit <= 0 {
		return nil, nil
	}
	return r.claims(ctx, pendingClaims, lapsed, limit)
}

const (
	insertClaim = `INSERT INTO claim (id, agent, taint, call, path, key, payment, digest, state, fence, held_until, expires_at, outcome, settlement)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`
	// It changes nothing if the key or the payment has another claim. An update that
	// violated a constraint would end the transaction.
	updateClaim = `UPDATE claim SET agent = $2, taint = $3, call = $4, path = $5, key = $6, payment = $7, digest = $8, state = $9,
	fence = $10, held_until = $11, expires_at = $12, outcome = $13, settlement = $14 WHERE id = $1
	AND NOT EXISTS (SELECT FROM claim o WHERE o.agent = $2 AND o.taint = $3 AND o.call = $4 AND o.path = $5 AND o.key = $6 AND o.key <> '' AND o.id <> $1)
	AND NOT EXISTS (SELECT FROM claim o WHERE o.payment = $7 AND o.payment <> '' AND o.id <> $1)`
)

func claimValues(c *meter.Claim) []any {
	return []any{
		[16]byte(c.ID), c.Key.Agent, int16(c.Key.Taint), c.Key.Operation, c.Key.Path, c.Key.Key, c.Payment, c.Digest, string(c.State), c.Fence,
		c.HeldUntil, c.ExpiresAt, []byte(c.Outcome), []byte(c.Settlement),
	}
}

// PutClaim implements meter.ClaimWriter.
func (w *writer) PutClaim(ctx context.Context, claim meter.Claim) error {
	values := claimValues(&claim)
	n, err := w.affected(ctx, insertClaim, values...)
	if err == nil && n == 0 {
		n, err = w.affected(ctx, updateClaim, values...)
	}
	if err == nil && n == 0 {
		return memory.ErrExists
	}
	return err
}

// DeleteClaim implements meter.ClaimWriter.
func (w *writer) DeleteClaim(ctx context.Context, id uuid.UUID) error {
	return w.exec(ctx, "DELETE FROM claim WHERE id = $1", [16]byte(id))
}

// SweepClaims implements meter.ClaimWriter.
func (w *writer) SweepClaims(ctx context.Context, now time.Time) error {
	return w.exec(ctx, "DELETE FROM claim WHERE expires_at <= $1 AND state <> 'pending'", now)
}
