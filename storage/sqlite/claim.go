package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
)

const (
	claimColumns = `SELECT id, agent, taint, call, path, key, payment, digest, state, fence, held_until, expires_at, outcome, settlement FROM claim `
	// The conditions on key and payment are those of their indexes.
	claimOfKey       = claimColumns + `WHERE agent = ? AND taint = ? AND call = ? AND path = ? AND key = ? AND key <> ''`
	claimOfPayment   = claimColumns + `WHERE payment = ? AND payment <> ''`
	pendingClaims    = claimColumns + `WHERE state = 'pending' AND held_until <= ? ORDER BY id LIMIT ?`
	selectPaidClaims = claimColumns + `WHERE payment <> '' ORDER BY id`
)

func scanClaim(rows *sql.Rows) (c meter.Claim, err error) {
	var held, expires int64
	err = rows.Scan(&c.ID, &c.Key.Agent, &c.Key.Taint, &c.Key.Operation, &c.Key.Path, &c.Key.Key, &c.Payment, &c.Digest,
		&c.State, &c.Fence, &held, &expires, (*[]byte)(&c.Outcome), (*[]byte)(&c.Settlement))
	c.HeldUntil, c.ExpiresAt = fromMicros(held), fromMicros(expires)
	return c, err
}

func (r *reader) claims(ctx context.Context, query string, args ...any) (claims []meter.Claim, err error) {
	err = r.each(ctx, func(rows *sql.Rows) error {
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
	return r.claim(ctx, claimColumns+"WHERE id = ?", id[:])
}

// ClaimOfKey implements meter.ClaimReader.
func (r *reader) ClaimOfKey(ctx context.Context, key memory.IdempotencyKey) (*meter.Claim, error) {
	return r.claim(ctx, claimOfKey, key.Agent, key.Taint, key.Operation, key.Path, key.Key)
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
	return r.claims(ctx, pendingClaims, micros(lapsed), limit)
}

const (
	insertClaim = `INSERT INTO claim (id, agent, taint, call, path, key, payment, digest, state, fence, held_until, expires_at, outcome, settlement)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	putClaim = insertClaim + ` ON CONFLICT (id) DO UPDATE SET agent = excluded.agent, taint = excluded.taint, call = excluded.call,
	path = excluded.path, key = excluded.key, payment = excluded.payment, digest = excluded.digest, state = excluded.state,
	fence = excluded.fence, held_until = excluded.held_until, expires_at = excluded.expires_at, outcome = excluded.outcome,
	settlement = excluded.settlement`
)

func claimValues(c *meter.Claim) []any {
	return []any{
		c.ID[:], c.Key.Agent, c.Key.Taint, c.Key.Operation, c.Key.Path, c.Key.Key, c.Payment, c.Digest, c.State, c.Fence,
		micros(c.HeldUntil), micros(c.ExpiresAt), nullBytes(c.Outcome), nullBytes(c.Settlement),
	}
}

// PutClaim implements meter.ClaimWriter.
func (w *writer) PutClaim(ctx context.Context, claim meter.Claim) error {
	_, err := w.exec(ctx, putClaim, claimValues(&claim)...)
	return err
}

// DeleteClaim implements meter.ClaimWriter.
func (w *writer) DeleteClaim(ctx context.Context, id uuid.UUID) error {
	_, err := w.exec(ctx, "DELETE FROM claim WHERE id = ?", id[:])
	return err
}

// SweepClaims implements meter.ClaimWriter.
func (w *writer) SweepClaims(ctx context.Context, now time.Time) error {
	_, err := w.exec(ctx, "DELETE FROM claim WHERE expires_at <= ? AND state <> 'pending'", micros(now))
	return err
}
