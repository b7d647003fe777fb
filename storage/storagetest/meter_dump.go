package storagetest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
	"mneme/storage"
)

// dumpedMeter returns the records of package meter in a storage's dump.
func (f *fixture) dumpedMeter(s memory.Storage) (records []meter.DumpRecord) {
	f.Helper()
	for _, r := range f.dump(s) {
		if r.Meter != nil {
			record, err := meter.DecodeDumpRecord(r.Meter)
			f.ok(err)
			records = append(records, record)
		}
	}
	return records
}

// seedMeter writes at least one of each kind of record of package meter.
func (f *fixture) seedMeter() {
	o := offer("a")
	c := charge(o, "b", start, []uuid.UUID{newID(), newID()})
	paid := claim("k", "p", func(c *meter.Claim) { c.Outcome, c.Settlement = []byte(`{"hits":[1]}`), []byte(`{"x": 1}`) })
	f.putOffers(o, offer("a", withdrawn))
	f.putCharges(c, charge(o, "b", start, nil, in(meter.ChargePending), func(c *meter.Charge) { c.Claim, c.SettleBy = paid.ID, after(time.Hour) }))
	f.append(meter.LineTopUp, "r", move(meter.AccountExternal, "b", 9000)...)
	f.append(meter.LineCharge, "", move("b", "a", c.Amount)...)
	f.updateMeter(func(tx meter.Tx) error {
		f.ok(tx.AddBought(f.ctx, []meter.Bought{{Store: "a", Buyer: "b", Entry: newID(), Digest: digest("free")}}))
		f.ok(tx.AddCounts(f.ctx, []meter.CountKey{{Store: "a", Buyer: "b", Window: meter.WindowTotal}, {Offer: o.ID, Window: meter.WindowDay, Start: start}},
			meter.Count{Searches: 1, Entries: 2}))
		f.ok(tx.PutClaim(f.ctx, paid))
		f.ok(tx.PutClaim(f.ctx, claim("unpaid", "")))
		f.ok(tx.SetMeta(f.ctx, meter.MetaBought, []byte{0, 1, 0xff}))
		return tx.SetMeta(f.ctx, meter.MetaReceiptKeys, []byte(`{"keys":[{"kty":"OKP","kid":"1","x":"new","d":"private"},{"kty":"OKP","kid":"2","x":"old"}],"made":1}`))
	})
}

var meterDumps = []clause{
	{"a dump has every record of the meter but claims without a payment, and no private key", func(f *fixture) {
		f.seedMeter()
		counts := make(map[string]int)
		number := int64(0)
		for _, r := range f.dumpedMeter(f.storage) {
			switch {
			case r.Offer != nil:
				counts["offer"]++
			case r.Line != nil:
				counts["line"]++
				f.equal(r.Line.Number, number+1)
				number++
			case r.Charge != nil:
				counts["charge"]++
			case r.Bought != nil:
				counts["bought"]++
			case r.Count != nil:
				counts["count"]++
			case r.Claim != nil:
				counts["claim"]++
				f.equal(r.Claim.Payment, "p")
			case r.Meta != nil:
				counts["meta"]++
				if strings.Contains(string(r.Meta.Value), "private") || !strings.Contains(string(r.Meta.Value), "old") && r.Meta.Name == meter.MetaReceiptKeys {
					f.Errorf("%s", r.Meta.Value)
				}
			}
		}
		f.equal(counts, map[string]int{"offer": 2, "line": 2, "charge": 2, "bought": 3, "count": 2, "claim": 1, "meta": 2})
	}},

	{"loading an existing record of the meter is ErrExists", func(f *fixture) {
		f.seedMeter()
		for _, r := range f.dump(f.storage) {
			f.wantError(f.load(f.storage, r), memory.ErrExists)
		}
	}},

	{"a record of the meter that is none, or a line that does not follow, is not loaded", func(f *fixture) {
		skipped := line(&meter.Line{Number: 1}, meter.LineTopUp, move(meter.AccountExternal, "a", 1)...)
		unknown, err := meter.DumpRecord{Meta: &meter.DumpMeta{Name: "secret", Value: []byte("x")}}.Encode()
		f.ok(err)
		gap, err := meter.DumpRecord{Line: &skipped}.Encode()
		f.ok(err)
		for _, raw := range []json.RawMessage{gap, unknown, []byte(`{}`), []byte(`{"offer": {"x": 1}}`), []byte(`[`)} {
			if f.load(f.storage, memory.DumpRecord{Meter: raw}) == nil {
				f.Errorf("loaded %s", raw)
			}
		}
		f.equal(len(f.dump(f.storage)), 0)
	}},
}

// testMeterRoundTrip loads the meter's records of one storage into another, whose dump must be
// equal. Balances are computed from the lines.
func testMeterRoundTrip(t *testing.T, open func(t testing.TB) storage.Storage) {
	from, to := newFixture(t, open), newFixture(t, open)
	from.seedMeter()
	records := from.dump(from.storage)
	to.ok(to.load(to.storage, records...))
	to.equal(to.dump(to.storage), records)
	to.equal(to.balances(), from.balances())
	to.append(meter.LinePayout, "r", move("b", meter.AccountExternal, 1)...)
	to.equal(len(to.lines(0)), 3)
}
