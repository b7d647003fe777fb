package sqlcommon

import (
	"bytes"
	"cmp"
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/meter"
)

var (
	charges       = NewTable("charge", "id", "id, store, offer, label, buyer, seller, amount, search, hits, entries, at, state, receipt, claim, settle_by")
	selectCharge  = charges.Select + "WHERE id = $1"
	selectOfClaim = charges.Select + "WHERE claim = $1 ORDER BY id"
	selectOfBuyer = charges.Select + "WHERE label = $1 AND buyer = $3 AND id < $4 ORDER BY id DESC LIMIT $2"
	insertCharge  = charges.Insert
	putCharge     = charges.Upsert
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
	return First(ctx, m.r, scanCharge, selectCharge, id)
}

// ChargesOfClaim implements meter.ChargeReader.
func (m MeterReader) ChargesOfClaim(ctx context.Context, claim uuid.UUID) ([]meter.Charge, error) {
	return List(ctx, m.r, scanCharge, selectOfClaim, claim)
}

// BuyerCharges implements meter.ChargeReader.
func (m MeterReader) BuyerCharges(ctx context.Context, buyer string, ceiling acl.Label, before uuid.UUID, limit int) ([]meter.Charge, error) {
	newestFirst := func(a, b meter.Charge) int { return bytes.Compare(b.ID[:], a.ID[:]) }
	return eachLabel(ctx, m.r, scanCharge, newestFirst, ceiling, limit, selectOfBuyer, buyer, cmp.Or(before, uuid.Max))
}

// PutCharge implements meter.ChargeWriter.
func (m MeterWriter) PutCharge(ctx context.Context, c meter.Charge) error {
	_, err := m.w.Exec(ctx, putCharge, chargeValues(&c)...)
	return err
}
