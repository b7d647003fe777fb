package sqlcommon

import (
	"bytes"
	"cmp"
	"context"

	"github.com/google/uuid"

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

// Charges implements meter.ChargeReader.
func (m MeterReader) Charges(ctx context.Context, query meter.ChargeQuery) ([]meter.Charge, error) {
	switch q := query.(type) {
	case meter.ChargeID:
		return List(ctx, m.r, scanCharge, selectCharge, uuid.UUID(q))
	case meter.ChargesOfClaim:
		return List(ctx, m.r, scanCharge, selectOfClaim, uuid.UUID(q))
	case meter.BuyerCharges:
		newestFirst := func(a, b meter.Charge) int { return bytes.Compare(b.ID[:], a.ID[:]) }
		return eachLabel(ctx, m.r, scanCharge, newestFirst, q.Ceiling, q.Limit, selectOfBuyer, q.Buyer, cmp.Or(q.Before, uuid.Max))
	}
	return nil, errUnknown(query)
}
