package storagetest

import (
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

func (f *fixture) putClaims(claims ...meter.Claim) {
	f.Helper()
	f.updateMeter(func(tx meter.Tx) error {
		for _, c := range claims {
			f.ok(tx.PutClaim(f.ctx, c))
		}
		return nil
	})
}

func claimIDs(claims []meter.Claim) (ids []uuid.UUID) {
	for _, c := range claims {
		ids = append(ids, c.ID)
	}
	return ids
}

var claims = []clause{
	{"a claim is found by ID, key and payment as it was written, replaced by the next", func(f *fixture) {
		first := claim("k", "p")
		next := first
		next.State, next.Fence, next.HeldUntil, next.ExpiresAt = meter.ClaimDone, 1<<40, after(time.Second), after(2*time.Hour)
		next.Outcome, next.Settlement = []byte(`{"hits": []}`), []byte(`{ }`)
		f.putClaims(claim("other", "q"))
		for _, want := range []meter.Claim{first, next} {
			f.putClaims(want)
			f.viewMeter(func(tx meter.ReadTx) error {
				got, err := tx.Claim(f.ctx, first.ID)
				f.ok(err)
				f.equal(got, want)
				got, err = tx.ClaimOfKey(f.ctx, first.Key)
				f.ok(err)
				f.equal(got, want)
				got, err = tx.ClaimOfPayment(f.ctx, "p")
				f.equal(got, want)
				return err
			})
		}
		f.viewMeter(func(tx meter.ReadTx) error {
			got, err := tx.Claim(f.ctx, first.ID)
			f.equal([]string{string(got.Outcome), string(got.Settlement)}, []string{`{"hits": []}`, `{ }`})
			return err
		})
		f.updateMeter(func(tx meter.Tx) error { return tx.DeleteClaim(f.ctx, first.ID) })
		f.viewMeter(func(tx meter.ReadTx) error {
			got, err := tx.Claim(f.ctx, first.ID)
			f.ok(err)
			f.equal(got == nil, true)
			got, err = tx.ClaimOfPayment(f.ctx, "q")
			f.equal(got != nil, true)
			return err
		})
	}},

	{"a claim is found by its whole key alone", func(f *fixture) {
		c := claim("k", "")
		f.putClaims(c, claim("", "p"))
		for _, change := range []func(*memory.IdempotencyKey){
			func(k *memory.IdempotencyKey) { k.Agent = "b" }, func(k *memory.IdempotencyKey) { k.Taint = acl.Public },
			func(k *memory.IdempotencyKey) { k.Operation = "x" }, func(k *memory.IdempotencyKey) { k.Path = "x" },
			func(k *memory.IdempotencyKey) { k.Key = "K" }, func(k *memory.IdempotencyKey) { k.Key = "" },
		} {
			key := c.Key
			change(&key)
			f.viewMeter(func(tx meter.ReadTx) error {
				got, err := tx.ClaimOfKey(f.ctx, key)
				f.ok(err)
				f.equal(got == nil, true)
				for _, payment := range []string{"", "P"} {
					got, err = tx.ClaimOfPayment(f.ctx, payment)
					f.ok(err)
					f.equal(got == nil, true)
				}
				return nil
			})
		}
	}},

	{"a key and a payment have one claim, and the transaction can go on after ErrExists", func(f *fixture) {
		first, second := claim("k", "p"), claim("l", "q")
		f.putClaims(first, second, claim("", "r"), claim("", "s"), claim("m", ""), claim("n", ""))
		f.updateMeter(func(tx meter.Tx) error {
			f.wantError(tx.PutClaim(f.ctx, claim("k", "new")), memory.ErrExists)
			f.wantError(tx.PutClaim(f.ctx, claim("new", "p")), memory.ErrExists)
			clash := second
			clash.Payment, clash.Fence = "p", 9
			f.wantError(tx.PutClaim(f.ctx, clash), memory.ErrExists)
			clash = second
			clash.Key = first.Key
			f.wantError(tx.PutClaim(f.ctx, clash), memory.ErrExists)
			return tx.PutClaim(f.ctx, claim("new", "new"))
		})
		f.viewMeter(func(tx meter.ReadTx) error {
			got, err := tx.Claim(f.ctx, second.ID)
			f.ok(err)
			f.equal(got, second)
			got, err = tx.ClaimOfPayment(f.ctx, "p")
			f.equal(got, first)
			return err
		})
	}},

	{"PendingClaims returns pending claims whose hold has lapsed, the earliest first", func(f *fixture) {
		held := func(state meter.ClaimState, until time.Time) func(*meter.Claim) {
			return func(c *meter.Claim) { c.State, c.HeldUntil = state, until }
		}
		list := []meter.Claim{claim("1", "", held(meter.ClaimPending, start)), claim("2", "p", held(meter.ClaimPending, after(-time.Hour))), claim("3", "", held(meter.ClaimPending, start))}
		f.putClaims(list[2], list[0], claim("4", "", held(meter.ClaimPending, after(time.Microsecond))), list[1],
			claim("5", "", held(meter.ClaimOpen, start)), claim("6", "", held(meter.ClaimDone, start)))
		for limit := range 5 {
			f.viewMeter(func(tx meter.ReadTx) error {
				got, err := tx.LapsedClaims(f.ctx, start, limit)
				f.equal(claimIDs(got), claimIDs([]meter.Claim{list[1], list[0], list[2]}[:min(limit, 3)]))
				return err
			})
		}
	}},

	{"SweepClaims removes expired claims that are not pending", func(f *fixture) {
		expiring := func(state meter.ClaimState, at time.Time) func(*meter.Claim) {
			return func(c *meter.Claim) { c.State, c.ExpiresAt = state, at }
		}
		kept := []meter.Claim{claim("1", "p", expiring(meter.ClaimPending, after(-time.Hour))), claim("2", "q", expiring(meter.ClaimDone, after(time.Microsecond)))}
		gone := []meter.Claim{claim("3", "r", expiring(meter.ClaimDone, start)), claim("4", "s", expiring(meter.ClaimOpen, after(-time.Hour)))}
		f.putClaims(append(kept, gone...)...)
		f.updateMeter(func(tx meter.Tx) error { return tx.DeleteExpiredClaims(f.ctx, start) })
		f.viewMeter(func(tx meter.ReadTx) error {
			for _, c := range kept {
				got, err := tx.Claim(f.ctx, c.ID)
				f.ok(err)
				f.equal(got, c)
			}
			for _, c := range gone {
				got, err := tx.ClaimOfKey(f.ctx, c.Key)
				f.ok(err)
				f.equal(got == nil, true)
			}
			return nil
		})
	}},
}
