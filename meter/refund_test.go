package meter_test

import (
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

func TestARefundPaysBackAWholeChargeOnce(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		o := f.offer(sam)
		c := f.charge(o, 700, meter.ChargeDone)
		_, err := f.market.Refund(f.ctx, sam, c.ID, nil)
		f.wants(409, err) // the seller's balance is too low
		f.topUp("sam", 1000)
		const calls = 4
		failed := make(chan error, calls)
		for range calls {
			go func() {
				_, err := f.market.Refund(f.ctx, sam, c.ID, nil)
				failed <- err
			}()
		}
		refunded := 0
		for range calls {
			if err := <-failed; err == nil {
				refunded++
			} else if statusOf(err) != 409 {
				f.Error(err)
			}
		}
		if refunded != 1 || f.balance("sam") != 300 || f.balance("ben") != 700 {
			f.Errorf("%d refunds, balances %d and %d", refunded, f.balance("sam"), f.balance("ben"))
		}
	})
}

func TestOnlyTheSellerRefunds(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		f.topUp("sam", 1000)
		c := f.charge(f.offer(sam), 700, meter.ChargeDone)
		secret := f.charge(f.offer(as("sam", acl.Confidential)), 700, meter.ChargeDone)
		for name, call := range map[string]struct {
			caller memory.Caller
			charge uuid.UUID
			status int
		}{
			"its buyer":               {ben, c.ID, 403},
			"another agent":           {zoe, c.ID, 404},
			"a platform token":        {platform, c.ID, 404},
			"a higher session":        {as("sam", acl.Internal), c.ID, 409},
			"a lower session":         {sam, secret.ID, 404},
			"a lower buyer's session": {ben, secret.ID, 404},
			"an absent charge":        {sam, uuid.New(), 404},
		} {
			_, err := f.market.Refund(f.ctx, call.caller, call.charge, nil)
			if got := statusOf(err); got != call.status {
				f.Errorf("%s: %d (%v), want %d", name, got, err, call.status)
			}
		}
		for _, state := range []meter.ChargeState{meter.ChargePending, meter.ChargeReversed, meter.ChargeRefunded} {
			_, err := f.market.Refund(f.ctx, sam, f.charge(f.offer(sam), 1, state).ID, nil)
			f.wants(409, err)
		}
		if f.balance("sam") != 1000 {
			f.Errorf("balance %d", f.balance("sam"))
		}
	})
}

func TestRefundingWithAnIdempotencyKeyHappensOnce(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		f.topUp("sam", 1000)
		c := f.charge(f.offer(sam), 700, meter.ChargeDone)
		for range 2 {
			refunded, err := f.market.Refund(f.ctx, sam, c.ID, key("refund", ""))
			if err != nil || refunded.State != meter.ChargeRefunded || refunded.ID != c.ID {
				f.Errorf("%+v, error %v", refunded, err)
			}
		}
		free := f.charge(f.offer(sam), 0, meter.ChargeDone)
		_, err := f.market.Refund(f.ctx, sam, free.ID, nil)
		f.wants(200, err)
		if f.balance("sam") != 300 {
			f.Errorf("balance %d", f.balance("sam"))
		}
	})
}
