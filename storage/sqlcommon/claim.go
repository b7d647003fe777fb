package sqlcommon

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
)

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
	return First(ctx, m.r, scanClaim, "claim.by_id", id)
}

// ClaimOfKey implements meter.ClaimReader.
func (m MeterReader) ClaimOfKey(ctx context.Context, key memory.IdempotencyKey) (*meter.Claim, error) {
	return First(ctx, m.r, scanClaim, "claim.of_key", key.Agent, key.Taint, key.Operation, key.Path, key.Key)
}

// ClaimOfPayment implements meter.ClaimReader.
func (m MeterReader) ClaimOfPayment(ctx context.Context, payment string) (*meter.Claim, error) {
	return First(ctx, m.r, scanClaim, "claim.of_payment", payment)
}

// LapsedClaims implements meter.ClaimReader.
func (m MeterReader) LapsedClaims(ctx context.Context, at time.Time, limit int) ([]meter.Claim, error) {
	if limit <= 0 {
		return nil, nil
	}
	return List(ctx, m.r, scanClaim, "claim.lapsed", at, limit)
}

// PutClaim implements meter.ClaimWriter.
func (m MeterWriter) PutClaim(ctx context.Context, c meter.Claim) error {
	values := claimValues(&c)
	n, err := m.w.Exec(ctx, "claim.insert", values...)
	if err == nil && n == 0 {
		n, err = m.w.Exec(ctx, "claim.update", values...)
	}
	if err == nil && n == 0 {
		return memory.ErrExists
	}
	return err
}

// DeleteClaim implements meter.ClaimWriter.
func (m MeterWriter) DeleteClaim(ctx context.Context, id uuid.UUID) error {
	_, err := m.w.Exec(ctx, "claim.delete", id)
	return err
}

// DeleteExpiredClaims implements meter.ClaimWriter.
func (m MeterWriter) DeleteExpiredClaims(ctx context.Context, at time.Time) error {
	_, err := m.w.Exec(ctx, "claim.expire", at)
	return err
}
