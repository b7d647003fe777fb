package sqlcommon

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
)

var (
	claims       = NewTable("claim", "id", "id, agent, taint, call, path, key, payment, digest, state, fence, held_until, expires_at, outcome, settlement")
	selectClaim  = claims.Select + "WHERE id = $1"
	selectLapsed = claims.Select + "WHERE state = 'pending' AND held_until <= $1 ORDER BY held_until, id LIMIT $2"
	// The conditions on key and payment are those of their indexes.
	selectOfKey     = claims.Select + "WHERE agent = $1 AND taint = $2 AND call = $3 AND path = $4 AND key = $5 AND key <> ''"
	selectOfPayment = claims.Select + "WHERE payment = $1 AND payment <> ''"
	insertClaim     = claims.Insert
)

// updateClaim changes nothing if the key or the payment has another claim. An update
// that violated a constraint would end the transaction.
const updateClaim = `UPDATE claim SET agent = $2, taint = $3, call = $4, path = $5, key = $6, payment = $7, digest = $8, state = $9,
	fence = $10, held_until = $11, expires_at = $12, outcome = $13, settlement = $14 WHERE id = $1
	AND NOT EXISTS (SELECT 1 FROM claim o WHERE o.agent = $2 AND o.taint = $3 AND o.call = $4 AND o.path = $5 AND o.key = $6 AND o.key <> '' AND o.id <> $1)
	AND NOT EXISTS (SELECT 1 FROM claim o WHERE o.payment = $7 AND o.payment <> '' AND o.id <> $1)`

func scanClaim(row Row) (c meter.Claim, err error) {
	err = row.Scan(&c.ID, &c.Key.Agent, &c.Key.Taint, &c.Key.Operation, &c.Key.Path, &c.Key.Key, &c.Payment, &c.Digest,
		(*string)(&c.State), &c.Fence, &c.HeldUntil, &c.ExpiresAt, (*[]byte)(&c.Outcome), (*[]byte)(&c.Settlement))
	return c, err
}

func claimValues(c *meter.Claim) []any {
	return []any{
		c.ID, c.Key.Agent, c.Key.Taint, c.Key.Operation, c.Key.Path, c.Key.Key, c.Payment, c.Digest,
		string(c.State), c.Fence, c.HeldUntil, c.ExpiresAt, []byte(c.Outcome), []byte(c.Settlement),
	}
}

// Claim implements meter.ClaimReader.
func (m MeterReader) Claim(ctx context.Context, id uuid.UUID) (*meter.Claim, error) {
	return First(ctx, m.r, scanClaim, selectClaim, id)
}

// ClaimOfKey implements meter.ClaimReader.
func (m MeterReader) ClaimOfKey(ctx context.Context, key memory.IdempotencyKey) (*meter.Claim, error) {
	return First(ctx, m.r, scanClaim, selectOfKey, key.Agent, key.Taint, key.Operation, key.Path, key.Key)
}

// ClaimOfPayment implements meter.ClaimReader.
func (m MeterReader) ClaimOfPayment(ctx context.Context, payment string) (*meter.Claim, error) {
	return First(ctx, m.r, scanClaim, selectOfPayment, payment)
}

// LapsedClaims implements meter.ClaimReader.
func (m MeterReader) LapsedClaims(ctx context.Context, at time.Time, limit int) ([]meter.Claim, error) {
	if limit <= 0 {
		return nil, nil
	}
	return List(ctx, m.r, scanClaim, selectLapsed, at, limit)
}

// PutClaim implements meter.ClaimWriter.
func (m MeterWriter) PutClaim(ctx context.Context, c meter.Claim) error {
	values := claimValues(&c)
	n, err := m.w.Exec(ctx, insertClaim, values...)
	if err == nil && n == 0 {
		n, err = m.w.Exec(ctx, updateClaim, values...)
	}
	if err == nil && n == 0 {
		return memory.ErrExists
	}
	return err
}

const (
	deleteClaim         = "DELETE FROM claim WHERE id = $1"
	deleteExpiredClaims = "DELETE FROM claim WHERE expires_at <= $1 AND state <> 'pending'"
)

// DeleteClaim implements meter.ClaimWriter.
func (m MeterWriter) DeleteClaim(ctx context.Context, id uuid.UUID) error {
	_, err := m.w.Exec(ctx, deleteClaim, id)
	return err
}

// DeleteExpiredClaims implements meter.ClaimWriter.
func (m MeterWriter) DeleteExpiredClaims(ctx context.Context, at time.Time) error {
	_, err := m.w.Exec(ctx, deleteExpiredClaims, at)
	return err
}
