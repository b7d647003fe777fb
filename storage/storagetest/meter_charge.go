package storagetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

func (f *fixture) putCharges(charges ...meter.Charge) {
	f.Helper()
	f.updateMeter(func(tx meter.Tx) error {
		for _, c := range charges {
			f.ok(tx.PutCharge(f.ctx, c))
			f.ok(tx.AddBought(f.ctx, boughtWith(c)))
		}
		return nil
	})
}

func (f *fixture) shown(store, buyer string, entries []uuid.UUID, digests ...[]byte) (n int) {
	f.Helper()
	f.viewMeter(func(tx meter.ReadTx) error {
		shown, values, err := tx.Shown(f.ctx, store, buyer, entries, digests)
		for _, id := range entries {
			if shown[id] {
				n++
			}
		}
		for _, d := range digests {
			if values[string(d)] {
				n++
			}
		}
		f.equal(len(shown)+len(values), n)
		return err
	})
	return n
}

var charges = []clause{
	{"a charge is returned as written, replaced by the next", func(f *fixture) {
		o := offer("a", offeredAt(acl.Confidential))
		first := charge(o, "b", after(time.Microsecond), []uuid.UUID{newID(), newID()}, in(meter.ChargePending), func(c *meter.Charge) {
			c.Claim, c.SettleBy = newID(), after(time.Minute)
		})
		f.putCharges(first)
		next := first
		next.State, next.Receipt, next.Entries = meter.ChargeReversed, "x", nil
		for _, want := range []meter.Charge{first, next} {
			f.putCharges(want)
			f.viewMeter(func(tx meter.ReadTx) error {
				got, err := tx.Charge(f.ctx, first.ID)
				f.ok(err)
				f.equal(got, want)
				none, err := tx.Charge(f.ctx, newID())
				f.equal(none == nil, true)
				return err
			})
		}
	}},

	{"Charges pages through a buyer's charges up to the ceiling, newest first", func(f *fixture) {
		var list []meter.Charge
		for i := range 10 {
			list = append(list, charge(offer("a", offeredAt(acl.Label(1+i%3))), "b", start, nil))
		}
		f.putCharges(append(slices.Clone(list), charge(offer("a"), "B", start, nil))...)
		slices.Reverse(list)
		page := func(ceiling acl.Label, before uuid.UUID, limit int) (got []meter.Charge) {
			f.viewMeter(func(tx meter.ReadTx) (err error) {
				got, err = tx.BuyerCharges(f.ctx, "b", ceiling, before, limit)
				return err
			})
			return got
		}
		for _, ceiling := range []acl.Label{acl.Public, acl.Internal, acl.Restricted} {
			want := slices.DeleteFunc(slices.Clone(list), func(c meter.Charge) bool { return c.Label > ceiling })
			f.equal(page(ceiling, uuid.Nil, 100), want)
			f.equal(page(ceiling, uuid.Nil, 3), want[:3])
			f.equal(page(ceiling, want[1].ID, 2), want[2:4])
			f.equal(len(page(ceiling, want[len(want)-1].ID, 10)), 0)
		}
		f.equal(len(page(acl.Restricted, uuid.Nil, 0)), 0)
	}},

	{"ChargesOfClaim returns the charges of one claim, by ID", func(f *fixture) {
		id := newID()
		of := func(c *meter.Charge) { c.Claim = id }
		list := []meter.Charge{charge(offer("a"), "b", start, nil, of), charge(offer("b"), "b", start, nil, of)}
		f.putCharges(list[1], charge(offer("a"), "b", start, nil), list[0], charge(offer("a"), "b", start, nil, func(c *meter.Charge) { c.Claim = newID() }))
		f.viewMeter(func(tx meter.ReadTx) error {
			got, err := tx.ChargesOfClaim(f.ctx, id)
			f.ok(err)
			f.equal(got, list)
			got, err = tx.ChargesOfClaim(f.ctx, uuid.Nil)
			f.equal(len(got), 0)
			return err
		})
	}},

	{"Sales sums what is done or pending, by day, buyer or offer, within the range and the ceiling", func(f *fixture) {
		public, secret := offer("a"), offer("a", offeredAt(acl.Restricted))
		kept, gone, hidden, moved, private := entry("a", "kept"), entry("a", "gone"), entry("a", "hidden", labelled(acl.Restricted)), entry("a", "moved"), entry("a", "private", outOfContext)
		f.put(kept, gone, hidden, moved, private)
		f.delete(gone, start)
		f.put(changed(moved, func(e *memory.Entry) { e.Store = "z" }))
		midnight := time.Date(2030, 5, 18, 0, 0, 0, 0, time.UTC)
		all := []meter.Charge{
			charge(public, "b", start, idsOf(kept, gone, hidden, moved, private)),
			charge(public, "c", midnight.Add(-time.Microsecond), idsOf(kept), in(meter.ChargePending)),
			charge(secret, "d", midnight, idsOf(hidden)),
			charge(public, "b", midnight, nil, func(c *meter.Charge) { c.Amount, c.Search = 0, 0 }),
			charge(public, "b", start, idsOf(kept), in(meter.ChargeReversed)),
			charge(public, "b", start, idsOf(kept), in(meter.ChargeRefunded)),
			charge(offer("z"), "b", start, idsOf(moved)),
		}
		f.putCharges(all...)
		sales := func(q meter.SalesQuery) (got []meter.Sale) {
			f.Helper()
			q.Store = "a"
			f.viewMeter(func(tx meter.ReadTx) (err error) {
				got, err = tx.Sales(f.ctx, q)
				return err
			})
			f.updateMeter(func(tx meter.Tx) error {
				again, err := tx.Sales(f.ctx, q)
				f.equal(again, got)
				return err
			})
			return got
		}
		first := meter.Sale{Searches: 2, Hits: 8, Entries: 6, Income: 3500, Distinct: 1}
		day := func(s meter.Sale, at time.Time) meter.Sale { s.Day = at; return s }
		f.equal(sales(meter.SalesQuery{Ceiling: acl.Restricted, By: meter.ByDay}), []meter.Sale{
			day(meter.Sale{Searches: 2, Hits: 8, Entries: 6, Income: 3500, Distinct: 2}, midnight.AddDate(0, 0, -1)),
			day(meter.Sale{Searches: 2, Hits: 3, Entries: 1, Income: 1250, Distinct: 1}, midnight),
		})
		f.equal(sales(meter.SalesQuery{Ceiling: acl.Internal, By: meter.ByDay}), []meter.Sale{
			day(first, midnight.AddDate(0, 0, -1)), day(meter.Sale{Searches: 1, Hits: 1}, midnight),
		})
		f.equal(sales(meter.SalesQuery{Ceiling: acl.Public, From: start, To: midnight, By: meter.ByBuyer}), []meter.Sale{
			{Buyer: "b", Searches: 1, Hits: 6, Entries: 5, Income: 2250, Distinct: 1}, {Buyer: "c", Searches: 1, Hits: 2, Entries: 1, Income: 1250, Distinct: 1},
		})
		f.equal(sales(meter.SalesQuery{Ceiling: acl.Restricted, By: meter.ByOffer}), []meter.Sale{
			{Offer: public.ID, Searches: 3, Hits: 9, Entries: 6, Income: 3500, Distinct: 2}, {Offer: secret.ID, Searches: 1, Hits: 2, Entries: 1, Income: 1250, Distinct: 1},
		})
		f.equal(len(sales(meter.SalesQuery{Ceiling: acl.Restricted, From: after(time.Hour * 48), By: meter.ByOffer})), 0)
		err := f.storage.ForMeter().View(f.ctx, func(tx meter.ReadTx) error {
			_, err := tx.Sales(f.ctx, meter.SalesQuery{Store: "a", By: "week"})
			return err
		})
		if err == nil {
			f.Error("sales by week")
		}
	}},

	{"what was shown to a buyer of a store is known by entry and by value", func(f *fixture) {
		one, two := newID(), newID()
		b := meter.Bought{Store: "a", Buyer: "b", Entry: one, Digest: digest("x")}
		again := b
		again.Charge = newID()
		edited := b
		edited.Digest = digest("y")
		f.updateMeter(func(tx meter.Tx) error {
			f.ok(tx.AddBought(f.ctx, []meter.Bought{b, b}))
			f.ok(tx.AddBought(f.ctx, nil))
			return tx.AddBought(f.ctx, []meter.Bought{again, edited})
		})
		f.equal(f.shown("a", "b", []uuid.UUID{two, one, one}[:2], digest("z"), digest("x"), digest("y")), 3)
		f.equal(f.shown("a", "b", nil, digest("x")), 1)
		f.equal(f.shown("a", "b", []uuid.UUID{one}), 1)
		f.equal(f.shown("a", "b", nil), 0)
		for _, other := range [][2]string{{"a", "c"}, {"c", "b"}, {"A", "b"}, {"b", "a"}} {
			f.equal(f.shown(other[0], other[1], []uuid.UUID{one}, digest("x")), 0)
		}
		// AddBought did not change the existing record, so it does not belong to the second
		// charge.
		f.updateMeter(func(tx meter.Tx) error { return tx.DeleteBought(f.ctx, again.Charge) })
		f.equal(f.shown("a", "b", []uuid.UUID{one}, digest("x")), 2)
	}},

	{"DeleteBought removes the records of one charge", func(f *fixture) {
		first, second := charge(offer("a"), "b", start, []uuid.UUID{newID(), newID()}), charge(offer("a"), "b", start, []uuid.UUID{newID()})
		f.putCharges(first, second)
		f.updateMeter(func(tx meter.Tx) error {
			f.ok(tx.DeleteBought(f.ctx, uuid.Nil))
			return tx.DeleteBought(f.ctx, first.ID)
		})
		f.equal(f.shown("a", "b", first.Entries, digest(first.Entries[0].String())), 0)
		f.equal(f.shown("a", "b", second.Entries), 1)
	}},

	{"what another charge paid for, too, stays bought with that one", func(f *fixture) {
		one, two, three := newID(), newID(), newID()
		pending := func(entries ...uuid.UUID) meter.Charge {
			return charge(offer("a"), "b", start, entries, in(meter.ChargePending))
		}
		first, second, third := pending(one, two, three), pending(two), pending(two, three)
		f.putCharges(first, second, third,
			charge(offer("a"), "b", start, []uuid.UUID{one}, in(meter.ChargeReversed)), charge(offer("a"), "c", start, []uuid.UUID{one}), charge(offer("z"), "b", start, []uuid.UUID{one}))
		for _, step := range []struct {
			reversed meter.Charge
			left     []uuid.UUID
		}{{first, []uuid.UUID{two, three}}, {third, []uuid.UUID{two}}, {second, nil}} {
			f.updateMeter(func(tx meter.Tx) error {
				f.ok(tx.DeleteBought(f.ctx, step.reversed.ID))
				step.reversed.State = meter.ChargeReversed
				return tx.PutCharge(f.ctx, step.reversed)
			})
			for _, id := range []uuid.UUID{one, two, three} {
				f.equal(f.shown("a", "b", []uuid.UUID{id}) == 1, slices.Contains(step.left, id))
			}
		}
		f.equal(f.shown("a", "c", []uuid.UUID{one})+f.shown("z", "b", []uuid.UUID{one}), 2)
	}},

	{"CountShown counts a store's entries that were shown, once each, not deleted", func(f *fixture) {
		kept, gone, moved, high := entry("a", "kept"), entry("a", "gone"), entry("a", "moved"), entry("a", "high", labelled(acl.Restricted))
		f.put(kept, gone, moved, high, entry("a", "never"))
		f.putCharges(charge(offer("a"), "b", start, append(idsOf(kept, gone, moved, high), newID())), charge(offer("a"), "c", start, idsOf(kept)))
		f.updateMeter(func(tx meter.Tx) error {
			return tx.AddBought(f.ctx, []meter.Bought{{Store: "a", Buyer: "b", Entry: kept.ID, Digest: digest("edited")}})
		})
		count := func(store, buyer string, want int64) {
			f.Helper()
			f.viewMeter(func(tx meter.ReadTx) error {
				got, err := tx.CountShown(f.ctx, store, buyer)
				f.equal(got, want)
				return err
			})
			f.updateMeter(func(tx meter.Tx) error {
				got, err := tx.CountShown(f.ctx, store, buyer)
				f.equal(got, want)
				return err
			})
		}
		count("a", "b", 4)
		f.delete(gone, start)
		f.put(changed(moved, func(e *memory.Entry) { e.Store = "z" }))
		count("a", "b", 2)
		count("a", "c", 1)
		count("a", "d", 0)
		count("none", "b", 0)
	}},

	{"CountInStore counts a store's live, searchable entries up to the ceiling", func(f *fixture) {
		count := func(store string, ceiling acl.Label, want int64) {
			f.Helper()
			f.viewMeter(func(tx meter.ReadTx) error {
				got, err := tx.CountInStore(f.ctx, store, ceiling, start)
				f.equal(got, want)
				return err
			})
		}
		count("a", acl.Restricted, 0)
		e := entry("a", "k")
		f.put(e, entry("a", "empty", says("")), entry("a", "high", labelled(acl.Confidential)), entry("a", "hidden", outOfContext), entry("a", "sealed", encrypted),
			entry("a", "due", expiring(start)), entry("a", "later", expiring(after(time.Microsecond))), entry("a", "due too", labelled(acl.Internal), expiring(after(-time.Hour))),
			entry("a", "due hidden", outOfContext, expiring(start)), entry("b", "k"))
		count("a", acl.Public, 3)
		count("a", acl.Internal, 3)
		count("a", acl.Restricted, 4)
		count("b", acl.Public, 1)
		f.delete(e, start)
		count("a", acl.Restricted, 3)
		f.updateMeter(func(tx meter.Tx) error {
			f.ok(put(f.ctx, tx, entry("a", "in this transaction")))
			got, err := tx.CountInStore(f.ctx, "a", acl.Restricted, start)
			f.equal(got, 4)
			return err
		})
	}},

	{"a purge leaves charges, the ledger, and what was bought and claimed", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		f.putOffers(offer("a"))
		f.putCharges(charge(offer("a"), "b", start, idsOf(e)))
		f.append(meter.LineTopUp, "r", move(meter.AccountExternal, "a", 5)...)
		f.updateMeter(func(tx meter.Tx) error {
			return tx.PutClaim(f.ctx, claim("k", "p", func(c *meter.Claim) { c.Outcome = []byte(fmt.Sprintf(`{"hits": ["%s"]}`, e.ID)) }))
		})
		before := f.dumpedMeter(f.storage)
		f.delete(e, after(-time.Hour))
		f.equal(f.purge(start, 10), idsOf(e))
		f.equal(f.dumpedMeter(f.storage), before)
		f.equal(f.shown("a", "b", idsOf(e)), 1)
	}},
}

var counts = []clause{
	{"counts are added up by key, and returned in the order of the keys", func(f *fixture) {
		id := newID()
		keys := []meter.CountKey{
			{Store: "a", Buyer: "b", Window: meter.WindowMinute, Start: start},
			{Store: "a", Buyer: "b", Window: meter.WindowMinute, Start: after(time.Minute)},
			{Store: "a", Buyer: "b", Window: meter.WindowHour, Start: start},
			{Store: "a", Buyer: "b", Window: meter.WindowTotal},
			{Offer: id, Window: meter.WindowTotal},
			{Offer: id, Window: meter.WindowDay, Start: start},
			{Store: "a", Buyer: "c", Window: meter.WindowTotal},
			{Offer: newID(), Window: meter.WindowTotal},
		}
		f.updateMeter(func(tx meter.Tx) error {
			f.ok(tx.AddCounts(f.ctx, keys[:6], meter.Count{Searches: 1, Entries: 7}))
			f.ok(tx.AddCounts(f.ctx, keys[3:6], meter.Count{Searches: 1, Entries: 1 << 40}))
			f.ok(tx.AddCounts(f.ctx, nil, meter.Count{Searches: 1}))
			return tx.AddCounts(f.ctx, keys[:1], meter.Count{Searches: -1, Entries: -3})
		})
		one, two := meter.Count{Searches: 1, Entries: 7}, meter.Count{Searches: 2, Entries: 7 + 1<<40}
		want := []meter.Count{{Entries: 4}, one, one, two, two, two, {}, {}}
		f.viewMeter(func(tx meter.ReadTx) error {
			got, err := tx.Counts(f.ctx, keys)
			f.ok(err)
			f.equal(got, want)
			slices.Reverse(keys)
			slices.Reverse(want)
			got, err = tx.Counts(f.ctx, keys)
			f.ok(err)
			f.equal(got, want)
			got, err = tx.Counts(f.ctx, nil)
			f.equal(len(got), 0)
			return err
		})
	}},

	{"SweepCounts removes windows that started before a time, but no totals", func(f *fixture) {
		keys := []meter.CountKey{
			{Store: "a", Buyer: "b", Window: meter.WindowMinute, Start: after(-time.Microsecond)},
			{Store: "a", Buyer: "b", Window: meter.WindowDay, Start: after(-time.Hour)},
			{Store: "a", Buyer: "b", Window: meter.WindowDay, Start: start},
			{Store: "a", Buyer: "b", Window: meter.WindowTotal},
		}
		f.updateMeter(func(tx meter.Tx) error {
			f.ok(tx.AddCounts(f.ctx, keys, meter.Count{Searches: 1}))
			return tx.DeleteCountsBefore(f.ctx, start)
		})
		f.viewMeter(func(tx meter.ReadTx) error {
			got, err := tx.Counts(f.ctx, keys)
			f.equal(got, []meter.Count{{}, {}, {Searches: 1}, {Searches: 1}})
			return err
		})
	}},
}
