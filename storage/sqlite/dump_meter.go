package sqlite

import (
	"context"
	"database/sql"

	"mneme/memory"
	"mneme/meter"
)

const (
	selectAllBought = `SELECT store, buyer, entry, digest, charge FROM bought ORDER BY store, buyer, entry, digest`
	selectAllCounts = `SELECT store, buyer, offer, span, start, searches, entries FROM metered_count ORDER BY store, buyer, offer, span, start`
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
		query string
		scan  func(rows *sql.Rows) (meter.DumpRecord, error)
	}{
		{selectAllOffers, func(rows *sql.Rows) (meter.DumpRecord, error) {
			o, err := scanOffer(rows)
			return meter.DumpRecord{Offer: &o}, err
		}},
		{selectAllLines, func(rows *sql.Rows) (meter.DumpRecord, error) {
			line, err := scanLine(rows)
			return meter.DumpRecord{Line: &line}, err
		}},
		{selectAllCharges, func(rows *sql.Rows) (meter.DumpRecord, error) {
			c, err := scanCharge(rows)
			return meter.DumpRecord{Charge: &c}, err
		}},
		{selectAllBought, func(rows *sql.Rows) (meter.DumpRecord, error) {
			var b meter.DumpBought
			var charge []byte
			err := rows.Scan(&b.Store, &b.Buyer, &b.Entry, &b.Digest, &charge)
			copy(b.Charge[:], charge)
			return meter.DumpRecord{Bought: &b}, err
		}},
		{selectAllCounts, func(rows *sql.Rows) (meter.DumpRecord, error) {
			var c meter.DumpCount
			var start int64
			err := rows.Scan(&c.Store, &c.Buyer, &c.Offer, &c.Window, &start, &c.Searches, &c.Entries)
			if start != 0 {
				c.Start = fromMicros(start)
			}
			return meter.DumpRecord{Count: &c}, err
		}},
		{selectPaidClaims, func(rows *sql.Rows) (meter.DumpRecord, error) {
			c, err := scanClaim(rows)
			return meter.DumpRecord{Claim: &c}, err
		}},
	} {
		err := r.each(ctx, func(rows *sql.Rows) error {
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
		return w.writeOffer(ctx, "INSERT "+insertOffer, record.Offer)
	case record.Line != nil:
		return w.loadLine(ctx, record.Line)
	case record.Charge != nil:
		_, err = w.exec(ctx, "INSERT "+insertCharge, chargeValues(record.Charge)...)
	case record.Bought != nil:
		_, err = w.exec(ctx, "INSERT "+insertBought, boughtValues(&record.Bought.Bought)...)
	case record.Count != nil:
		c := record.Count
		_, err = w.exec(ctx, insertCount, append(countKey(&c.CountKey), c.Searches, c.Count.Entries)...)
	case record.Claim != nil:
		_, err = w.exec(ctx, insertClaim, claimValues(record.Claim)...)
	default:
		_, err = w.exec(ctx, "INSERT INTO meta (name, value) VALUES (?, ?)", record.Meta.Name, nonNil(record.Meta.Value))
	}
	return err
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
