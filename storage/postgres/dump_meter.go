package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/memory"
	"mneme/meter"
)

const (
	selectAllOffers  = offerColumns + `ORDER BY id`
	selectAllLines   = lineColumns + `ORDER BY number`
	selectAllCharges = chargeColumns + `ORDER BY id`
	selectAllBought  = `SELECT store, buyer, entry, digest, charge FROM bought ORDER BY store, buyer, entry, digest`
	selectAllCounts  = `SELECT store, buyer, offer, span, start, searches, entries FROM metered_count ORDER BY store, buyer, offer, span, start`
	selectPaidClaims = claimColumns + `WHERE payment <> '' ORDER BY id`
)

// dumpMeter yields the records of package meter, lines of the ledger in their order.
// Claims without a payment are left out, like idempotency records.
func (r *reader) dumpMeter(ctx context.Context, yield func(memory.DumpRecord) error) error {
	record := func(d meter.DumpRecord) error {
		raw, err := d.Encode()
		if err != nil {
			return err
		}
		return yield(memory.DumpRecord{Meter: raw})
	}
	for _, name := range meter.DumpedMetas() {
		value, err := r.Meta(ctx, name)
		if err != nil {
			return err
		}
		if value == nil {
			continue
		}
		if value, err = meter.DumpedMeta(name, value); err != nil {
			return err
		}
		if err := record(meter.DumpRecord{Meta: &meter.DumpMeta{Name: name, Value: value}}); err != nil {
			return err
		}
	}
	for _, part := range [...]struct {
		cursor, query string
		scan          func(rows pgx.Rows) (meter.DumpRecord, error)
	}{
		{"offers", selectAllOffers, func(rows pgx.Rows) (meter.DumpRecord, error) {
			o, err := scanOffer(rows)
			return meter.DumpRecord{Offer: &o}, err
		}},
		{"lines", selectAllLines, func(rows pgx.Rows) (meter.DumpRecord, error) {
			line, err := scanLine(rows)
			return meter.DumpRecord{Line: &line}, err
		}},
		{"charges", selectAllCharges, func(rows pgx.Rows) (meter.DumpRecord, error) {
			c, err := scanCharge(rows)
			return meter.DumpRecord{Charge: &c}, err
		}},
		{"boughts", selectAllBought, func(rows pgx.Rows) (meter.DumpRecord, error) {
			var b meter.DumpBought
			var charge *[16]byte
			err := rows.Scan(&b.Store, &b.Buyer, (*[16]byte)(&b.Entry), &b.Digest, &charge)
			b.Charge = idOrNil(charge)
			return meter.DumpRecord{Bought: &b}, err
		}},
		{"counts", selectAllCounts, func(rows pgx.Rows) (meter.DumpRecord, error) {
			var c meter.DumpCount
			var start pgtype.Timestamptz
			err := rows.Scan(&c.Store, &c.Buyer, (*[16]byte)(&c.Offer), (*string)(&c.Window), &start, &c.Searches, &c.Entries)
			if start.InfinityModifier == pgtype.Finite {
				c.Start = start.Time.UTC()
			}
			return meter.DumpRecord{Count: &c}, err
		}},
		{"claims", selectPaidClaims, func(rows pgx.Rows) (meter.DumpRecord, error) {
			c, err := scanClaim(rows)
			return meter.DumpRecord{Claim: &c}, err
		}},
	} {
		err := r.eachFetched(ctx, part.cursor, func(rows pgx.Rows) error {
			d, err := part.scan(rows)
			if err != nil {
				return err
			}
			return record(d)
		}, part.query)
		if err != nil {
			return err
		}
	}
	return nil
}

// loadMeter writes a record of package meter. Lines of the ledger are appended, so
// that they make the balances.
func (w *writer) loadMeter(ctx context.Context, raw []byte) error {
	record, err := meter.DecodeDumpRecord(raw)
	if err != nil {
		return err
	}
	switch {
	case record.Offer != nil:
		values, err := offerValues(record.Offer)
		if err != nil {
			return err
		}
		return w.insert(ctx, insertOffer+orIgnore, values...)
	case record.Line != nil:
		return w.loadLine(ctx, record.Line)
	case record.Charge != nil:
		return w.insert(ctx, insertCharge+orIgnore, chargeValues(record.Charge)...)
	case record.Bought != nil:
		return w.insert(ctx, insertBought, boughtValues(&record.Bought.Bought)...)
	case record.Count != nil:
		c := record.Count
		return w.insert(ctx, insertCount+orIgnore, append(countKey(&c.CountKey), c.Searches, c.Count.Entries)...)
	case record.Claim != nil:
		return w.insert(ctx, insertClaim, claimValues(record.Claim)...)
	}
	return w.insert(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", record.Meta.Name, nonNil(record.Meta.Value))
}

func (w *writer) loadLine(ctx context.Context, line *meter.Line) error {
	last, err := w.LastLine(ctx)
	if err != nil {
		return err
	}
	if last != nil && line.Number <= last.Number {
		return memory.ErrExists
	}
	return w.AppendLine(ctx, *line)
}

const orIgnore = `NOTHING`
