package sqlcommon

import (
	"bytes"
	"cmp"
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/meter"
)

func scanCharge(row Row) (c meter.Charge, err error) {
	err = row.Scan(&c.ID, &c.Store, &c.Offer, &c.Label, &c.Buyer, &c.Seller, &c.Amount, &c.Search, &c.Hits, (*IDs)(&c.Entries),
		&c.At, (*string)(&c.State), &c.Receipt, &c.Claim, &c.SettleBy)
	return c, err
}

func chargeValues(c *meter.Charge) []any {
	return []any{
		c.ID, c.Store, c.Offer, c.Label, c.Buyer, c.Seller, c.Amount, c.Search, c.Hits, IDs(c.Entries),
		c.At, string(c.State), c.Receipt, OrNull(c.Claim), OrNull(c.SettleBy),
	}
}

// Charge implements meter.ChargeReader.
func (m MeterReader) Charge(ctx context.Context, id uuid.UUID) (*meter.Charge, error) {
	return First(ctx, m.r, scanCharge, "charge.by_id", id)
}

// ChargesOfClaim implements meter.ChargeReader.
func (m MeterReader) ChargesOfClaim(ctx context.Context, claim uuid.UUID) ([]meter.Charge, error) {
	return List(ctx, m.r, scanCharge, "charge.of_claim", claim)
}

// BuyerCharges implements meter.ChargeReader.
func (m MeterReader) BuyerCharges(ctx context.Context, buyer string, ceiling acl.Label, before uuid.UUID, limit int) ([]meter.Charge, error) {
	newestFirst := func(a, b meter.Charge) int { return bytes.Compare(b.ID[:], a.ID[:]) }
	return eachLabel(ctx, m.r, scanCharge, newestFirst, ceiling, limit, "charge.of_buyer", buyer, cmp.Or(before, uuid.Max))
}

// PutCharge implements meter.ChargeWriter.
func (m MeterWriter) PutCharge(ctx context.Context, c meter.Charge) error {
	_, err := m.w.Exec(ctx, "charge.put", chargeValues(&c)...)
	return err
}
