package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/meter"
)

const (
	chargeColumns = `SELECT id, store, offer, label, buyer, seller, amount, search, hits, entries, at, state, receipt, claim, settle_by FROM charge `
	// Each label is read in index order up to the limit, and the results are merged,
	// so that charges above the ceiling cost no time.
	selectCharges = `SELECT c.* FROM ` + labels + ` CROSS JOIN LATERAL
	(` + chargeColumns + `WHERE buyer = $1 AND label = l.label AND id < $3 ORDER BY id DESC LIMIT $4) c
	WHERE l.label <= $2 ORDER BY c.id DESC LIMIT $4`
)

func scanCharge(rows pgx.Rows) (c meter.Charge, err error) {
	var label int16
	var entries [][16]byte
	var claim *[16]byte
	var settle *time.Time
	err = rows.Scan((*[16]byte)(&c.ID), &c.Store, (*[16]byte)(&c.Offer), &label, &c.Buyer, &c.Seller, &c.Amount, &c.Search, &c.Hits, &entries,
		&c.At, (*string)(&c.State), &c.Receipt, &claim, &settle)
	for _, id := range entries {
		c.Entries = append(c.Entries, id)
	}
	c.Label, c.At, c.Claim, c.SettleBy = acl.Label(label), c.At.UTC(), idOrNil(claim), timeOrZero(settle)
	return c, err
}

func (r *reader) charges(ctx context.Context, query string, args ...any) (charges []meter.Charge, err error) {
	err = r.each(ctx, func(rows pgx.Rows) error {
		c, err := scanCharge(rows)
		charges = append(charges, c)
		return err
	}, query, args...)
	return charges, err
}

// Charge implements meter.ChargeReader.
func (r *reader) Charge(ctx context.Context, id uuid.UUID) (*meter.Charge, error) {
	charges, err := r.charges(ctx, chargeColumns+"WHERE id = $1", [16]byte(id))
	if err != nil || len(charges) == 0 {
		return nil, err
	}
	return &charges[0], nil
}

// Charges implements meter.ChargeReader.
func (r *reader) Charges(ctx context.Context, q meter.ChargeQuery) ([]meter.Charge, error) {
	if q.Limit <= 0 || !storable(q.Buyer) {
		return nil, nil
	}
	before := q.Before
	if before == uuid.Nil {
		before = uuid.Max
	}
	return r.charges(ctx, selectCharges, q.Buyer, int16(min(q.Ceiling, acl.Restricted)), [16]byte(before), q.Limit)
}

// ChargesOfClaim implements meter.ChargeReader.
func (r *reader) ChargesOfClaim(ctx context.Context, claim uuid.UUID) ([]meter.Charge, error) {
	return r.charges(ctx, chargeColumns+"WHERE claim = $1 ORDER BY id", [16]byte(claim))
}

const (
	insertCharge = `INSERT INTO charge (id, store, offer, label, buyer, seller, amount, search, hits, entries, at, state, receipt, claim, settle_by)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (id) DO `
	orReplaceCharge = `UPDATE SET store = excluded.store, offer = excluded.offer, label = excluded.label, buyer = excluded.buyer,
	seller = excluded.seller, amount = excluded.amount, search = excluded.search, hits = excluded.hits, entries = excluded.entries,
	at = excluded.at, state = excluded.state, receipt = excluded.receipt, claim = excluded.claim, settle_by = excluded.settle_by`
)

func chargeValues(c *meter.Charge) []any {
	entries := make([][16]byte, len(c.Entries))
	for i, id := range c.Entries {
		entries[i] = id
	}
	return []any{
		[16]byte(c.ID), c.Store, [16]byte(c.Offer), int16(c.Label), c.Buyer, c.Seller, c.Amount, c.Search, c.Hits, entries, c.At,
		string(c.State), c.Receipt, optionalID(c.Claim), nullTime(c.SettleBy),
	}
}

// PutCharge implements meter.ChargeWriter.
func (w *writer) PutCharge(ctx context.Context, charge meter.Charge) error {
	return w.exec(ctx, insertCharge+orReplaceCharge, chargeValues(&charge)...)
}
