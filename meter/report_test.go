package meter_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

func TestUsageIsTheCallersNewestFirst(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		o := f.offer(sam)
		var want []uuid.UUID
		for i := range 5 {
			want = append([]uuid.UUID{f.charge(o, int64(i), meter.ChargeDone).ID}, want...)
		}
		f.charge(f.offer(as("sam", acl.Confidential)), 9, meter.ChargeDone)
		var got []uuid.UUID
		cursor := ""
		for pages := 0; pages == 0 || cursor != ""; pages++ {
			page, err := f.market.Usage(f.ctx, ben, 2, cursor)
			f.wants(200, err)
			for _, used := range page.Items {
				got = append(got, used.ID)
			}
			if cursor = page.Next; pages == 0 {
				_, err = f.market.Usage(f.ctx, zoe, 2, cursor)
				f.wants(400, err)
				_, err = f.market.Usage(f.ctx, as("ben", acl.Restricted), 2, cursor)
				f.wants(400, err)
			}
		}
		if !reflect.DeepEqual(got, want) {
			f.Errorf("%v, want %v", got, want)
		}
		page, err := f.market.Usage(f.ctx, as("ben", acl.Confidential), 100, "")
		if err != nil || len(page.Items) != 6 {
			f.Errorf("%d charges, error %v", len(page.Items), err)
		}
		if page, err = f.market.Usage(f.ctx, zoe, 100, ""); err != nil || len(page.Items) != 0 {
			f.Errorf("%d charges, error %v", len(page.Items), err)
		}
	})
}

func TestUsageHasTheKeysThatTheSessionMaySee(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		seller, buyer := as("sam", acl.Internal), as("ben", acl.Internal)
		o := f.offer(seller)
		f.accept(buyer, o)
		kept, deleted, shadowed := f.put(sam, "kept"), f.put(sam, "deleted"), f.put(sam, "shadowed")
		secret := f.put(as("sam", acl.Confidential), "secret")
		f.put(seller, "shadowed")
		f.charge(o, 5, meter.ChargeDone, kept, deleted, shadowed, secret)
		if err := f.memory.Delete(f.ctx, sam, memory.Path{Store: "sam", Key: "deleted"}, memory.Preconditions{}); err != nil {
			f.Fatal(err)
		}
		keys := func(c memory.Caller) map[uuid.UUID]string {
			page, err := f.market.Usage(f.ctx, c, 10, "")
			f.wants(200, err)
			return page.Items[0].Keys
		}
		want := map[uuid.UUID]string{kept: "kept"}
		for _, c := range []memory.Caller{buyer, as("ben", acl.Restricted)} { // the grant ends at INTERNAL
			if got := keys(c); !reflect.DeepEqual(got, want) {
				f.Errorf("%v, want %v", got, want)
			}
		}
		if err := f.memory.Unshare(f.ctx, seller, "sam", "ben"); err != nil {
			f.Fatal(err)
		}
		if got := keys(buyer); len(got) != 0 {
			f.Errorf("%v after the grant ended", got)
		}
	})
}

func TestSalesSumWhatASellerEarned(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		o := f.offer(sam)
		a, b := f.put(sam, "a"), f.put(sam, "b")
		f.put(sam, "c")
		f.put(sam, "d")
		buy := func(amount int64, state meter.ChargeState, entries ...uuid.UUID) {
			c := f.charge(o, amount, state, entries...)
			var bought []meter.Bought
			for _, id := range entries {
				bought = append(bought, meter.Bought{Store: "sam", Buyer: "ben", Entry: id, Digest: id[:], Charge: c.ID})
			}
			f.write(func(tx meter.Tx) error { return tx.AddBought(f.ctx, bought) })
		}
		buy(100, meter.ChargeDone, a)
		first := f.clock.Now()
		f.clock.Advance(day)
		buy(50, meter.ChargePending, b)
		buy(70, meter.ChargeReversed)
		buy(80, meter.ChargeRefunded)

		rows, err := f.market.Sales(f.ctx, sam, "sam", time.Time{}, time.Time{}, meter.ByBuyer)
		f.wants(200, err)
		if len(rows) != 1 || rows[0].Buyer != "ben" || rows[0].Income != 150 || rows[0].Searches != 2 || rows[0].Entries != 2 || rows[0].Share != .5 {
			f.Errorf("%+v", rows)
		}
		if rows, err = f.market.Sales(f.ctx, sam, "sam", time.Time{}, first.Add(time.Second), meter.ByDay); err != nil || len(rows) != 1 || rows[0].Income != 100 || !rows[0].Day.Equal(first.Truncate(day)) {
			f.Errorf("%+v, error %v", rows, err)
		}
		if rows, err = f.market.Sales(f.ctx, sam, "sam", first.Add(time.Hour), time.Time{}, meter.ByOffer); err != nil || len(rows) != 1 || rows[0].Offer != o.ID || rows[0].Income != 50 {
			f.Errorf("%+v, error %v", rows, err)
		}
		for _, c := range []memory.Caller{ben, zoe, platform} {
			_, err = f.market.Sales(f.ctx, c, "sam", time.Time{}, time.Time{}, meter.ByDay)
			f.wants(403, err)
		}
		_, err = f.market.Sales(f.ctx, sam, "sam", first, first.Add(-time.Hour), meter.ByDay)
		f.wants(422, err)
		_, err = f.market.Sales(f.ctx, sam, "sam", time.Time{}, time.Time{}, "week")
		f.wants(422, err)
	})
}

func TestSalesOfHigherOffersAreHidden(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		f.charge(f.offer(as("sam", acl.Confidential)), 100, meter.ChargeDone)
		rows, err := f.market.Sales(f.ctx, sam, "sam", time.Time{}, time.Time{}, meter.ByDay)
		if err != nil || len(rows) != 0 {
			f.Errorf("%+v, error %v", rows, err)
		}
		if rows, err = f.market.Sales(f.ctx, as("sam", acl.Restricted), "sam", time.Time{}, time.Time{}, meter.ByDay); err != nil || len(rows) != 1 {
			f.Errorf("%+v, error %v", rows, err)
		}
	})
}
