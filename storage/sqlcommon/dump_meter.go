package sqlcommon

import (
	"context"

	"mneme/memory"
	"mneme/meter"
)

// DumpMeter yields the records of package meter, ledger lines in order. It omits claims without
// a payment: they serve only to recognize a repeated call, and a dump has no idempotency records
// either.
func DumpMeter(ctx context.Context, r Reader, yield func(memory.DumpRecord) error) error {
	record := func(d meter.DumpRecord) error {
		raw, err := d.Encode()
		if err != nil {
			return err
		}
		return yield(memory.DumpRecord{Meter: raw})
	}
	if err := dumpMetas(ctx, r, record); err != nil {
		return err
	}
	for _, part := range [...]struct {
		text string
		scan func(row Row) (meter.DumpRecord, error)
	}{
		{"offer.all", func(row Row) (meter.DumpRecord, error) {
			o, err := scanOffer(row)
			return meter.DumpRecord{Offer: &o}, err
		}},
		{"ledger.all", func(row Row) (meter.DumpRecord, error) {
			line, err := scanLine(row)
			return meter.DumpRecord{Line: &line}, err
		}},
		{"charge.all", func(row Row) (meter.DumpRecord, error) {
			c, err := scanCharge(row)
			return meter.DumpRecord{Charge: &c}, err
		}},
		{"bought.all", func(row Row) (meter.DumpRecord, error) {
			var b meter.DumpBought
			err := row.Scan(&b.Store, &b.Buyer, &b.Entry, &b.Digest, &b.Charge)
			return meter.DumpRecord{Bought: &b}, err
		}},
		{"count.all", func(row Row) (meter.DumpRecord, error) {
			var c meter.DumpCount
			err := row.Scan(&c.Store, &c.Buyer, &c.Offer, (*string)(&c.Window), (*Start)(&c.Start), &c.Searches, &c.Entries)
			return meter.DumpRecord{Count: &c}, err
		}},
		{"claim.paid", func(row Row) (meter.DumpRecord, error) {
			c, err := scanClaim(row)
			return meter.DumpRecord{Claim: &c}, err
		}},
	} {
		err := r.Stream(ctx, func(row Row) error {
			d, err := part.scan(row)
			if err != nil {
				return err
			}
			return record(d)
		}, part.text)
		if err != nil {
			return err
		}
	}
	return nil
}

// dumpMetas yields the database settings of package meter.
func dumpMetas(ctx context.Context, r Reader, yield func(meter.DumpRecord) error) error {
	for _, name := range meter.DumpedMetas() {
		var value []byte
		found, err := One(ctx, r, []any{&value}, "meta.value", name)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if value, err = meter.DumpedMeta(name, NotNull(value)); err != nil {
			return err
		}
		if err := yield(meter.DumpRecord{Meta: &meter.DumpMeta{Name: name, Value: value}}); err != nil {
			return err
		}
	}
	return nil
}

// LoadMeter writes a record of package meter. The error is memory.ErrExists if it exists. It
// appends ledger lines one by one, and so computes the balances of the accounts.
func LoadMeter(ctx context.Context, w Writer, raw []byte) error {
	record, err := meter.DecodeDumpRecord(raw)
	if err != nil {
		return err
	}
	switch {
	case record.Offer != nil:
		return Insert(ctx, w, "offer.insert", offerValues(record.Offer)...)
	case record.Line != nil:
		return loadLine(ctx, NewMeterWriter(w), record.Line)
	case record.Charge != nil:
		return Insert(ctx, w, "charge.insert", chargeValues(record.Charge)...)
	case record.Bought != nil:
		return Insert(ctx, w, "bought.insert", boughtValues(&record.Bought.Bought)...)
	case record.Count != nil:
		c := record.Count
		return Insert(ctx, w, "count.insert", append(countKey(&c.CountKey), c.Searches, c.Count.Entries)...)
	case record.Claim != nil:
		return Insert(ctx, w, "claim.insert", claimValues(record.Claim)...)
	}
	return Insert(ctx, w, "meta.insert", record.Meta.Name, NotNull(record.Meta.Value))
}

func loadLine(ctx context.Context, m MeterWriter, line *meter.Line) error {
	last, err := m.LastLine(ctx)
	if err != nil {
		return err
	}
	if last != nil && line.Number <= last.Number {
		return memory.ErrExists
	}
	return m.AppendLine(ctx, *line)
}
