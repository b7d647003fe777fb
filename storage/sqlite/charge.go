package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/meter"
)

const (
	chargeColumns    = `SELECT id, store, offer, label, buyer, seller, amount, search, hits, entries, at, state, receipt, claim, settle_by FROM charge `
	selectCharges    = chargeColumns + `WHERE buyer = ? AND label = ? AND id < ? ORDER BY id DESC LIMIT ?`
	selectAllCharges = chargeColumns + `ORDER BY id`
)

func scanCharge(rows *sql.Rows) (c meter.Charge, err error) {
	var entries, claim []byte
	var at int64
	var settle sql.NullInt64
	err = rows.Scan(&c.ID, &c.Store, &c.Offer, &c.Label, &c.Buyer, &c.Seller, &c.Amount, &c.Search, &c.Hits, &entries, &at,
		&c.State, &c.Receipt, &claim, &settle)
	if err != nil {
		return c, err
	}
	copy(c.Claim[:], claim)
	c.At, c.SettleBy = fromMicros(at), fromNullMicros(settle)
	c.Entries, err = splitIDs(entries)
	return c, err
}

func (r *reader) charges(ctx context.Context, query string, args ...any) (charges []meter.Charge, err error) {
	err = r.each(ctx, func(rows *sql.Rows) error {
		c, err := scanCharge(rows)
		charges = append(charges, c)
		return err
	}, query, args...)
	return charges, err
}

// Charge implements meter.ChargeReader.
func (r *reader) Charge(ctx context.Context, id uuid.UUID) (*meter.Charge, error) {
	charges, err := r.charges(ctx, chargeColumns+"WHERE id = ?", id[:])
	if err != nil || len(charges) == 0 {
		return nil, err
	}
	return &charges[0], nil
}

// Charges implements meter.ChargeReader. Each label is read separately and the
// results are merged, so that charges above the ceiling cost no time.
func (r *reader) Charges(ctx context.Context, q meter.ChargeQuery) ([]meter.Charge, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	before := q.Before
	if before == uuid.Nil {
		before = uuid.Max
	}
	var found []meter.Charge
	for label := acl.Public; label <= min(q.Ceiling, acl.Restricted); label++ {
		charges, err := r.charges(ctx, selectCharges, q.Buyer, label, before[:], q.Limit)
		if err != nil {
			return nil, err
		}
		found = append(found, charges...)
	}
	slices.SortFunc(found, func(a, b meter.Charge) int { return slices.Compare(b.ID[:], a.ID[:]) })
	return found[:min(q.Limit, len(found))], nil
}

// ChargesOfClaim implements meter.ChargeReader.
func (r *reader) ChargesOfClaim(ctx context.Context, claim uuid.UUID) ([]meter.Charge, error) {
	return r.charges(ctx, chargeColumns+"WHERE claim = ? ORDER BY id", claim[:])
}

const insertCharge = `INTO charge (id, store, offer, label, buyer, seller, amount, search, hits, entries, at, state, receipt, claim, settle_by)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func chargeValues(c *meter.Charge) []any {
	return []any{
		c.ID[:], c.Store, c.Offer[:], c.Label, c.Buyer, c.Seller, c.Amount, c.Search, c.Hits, joinIDs(c.Entries), micros(c.At),
		c.State, c.Receipt, optionalID(c.Claim), nullMicros(c.SettleBy),
	}
}

// PutCharge implements meter.ChargeWriter.
func (w *writer) PutCharge(ctx context.Context, charge meter.Charge) error {
	_, err := w.exec(ctx, "INSERT OR REPLACE "+insertCharge, chargeValues(&charge)...)
	return err
}
