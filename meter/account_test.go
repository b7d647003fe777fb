package meter_test

import (
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

func TestATopUpHappensOnceForItsReference(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		for range 2 {
			a, err := f.market.TopUp(f.ctx, platform, "ben", 5_000_000, "invoice 7")
			if err != nil || a != (meter.Account{Agent: "ben", Balance: 5_000_000, Currency: "USD"}) {
				f.Errorf("%+v, error %v", a, err)
			}
		}
		_, err := f.market.TopUp(f.ctx, platform, "ben", 5_000_001, "invoice 7")
		f.wants(409, err)
		_, err = f.market.TopUp(f.ctx, platform, "zoe", 1, "invoice 7") // another agent's
		f.wants(200, err)
		_, err = f.market.PayOut(f.ctx, platform, "ben", 1_000_000, "invoice 7") // another kind
		f.wants(200, err)
		if got := f.balance("ben"); got != 4_000_000 {
			f.Errorf("balance %d", got)
		}
	})
}

func TestParallelTopUpsOfOneReferenceHappenOnce(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		const calls = 6
		failed := make(chan error, calls)
		for range calls {
			go func() {
				_, err := f.market.TopUp(f.ctx, platform, "ben", 10, "r")
				failed <- err
			}()
		}
		for range calls {
			if err := <-failed; err != nil {
				f.Error(err)
			}
		}
		if got := f.balance("ben"); got != 10 {
			f.Errorf("balance %d", got)
		}
	})
}

func TestAPayOutIsNotOverdrawn(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		f.topUp("ben", 100)
		_, err := f.market.PayOut(f.ctx, platform, "ben", 101, "a")
		f.wants(409, err)
		const calls = 4
		failed := make(chan error, calls)
		for i := range calls {
			go func() {
				_, err := f.market.PayOut(f.ctx, platform, "ben", 40, strings.Repeat("x", i+1))
				failed <- err
			}()
		}
		paid := 0
		for range calls {
			if err := <-failed; err == nil {
				paid++
			} else if statusOf(err) != 409 {
				f.Error(err)
			}
		}
		if got := f.balance("ben"); paid != 2 || got != 20 {
			f.Errorf("%d pay-outs, balance %d", paid, got)
		}
	})
}

func TestAccountsRequirePlatformTokensAndValidAmounts(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		if err := f.memory.Admin().PutParticipant(f.ctx, platform, "chat", "ben", nil); err != nil {
			f.Fatal(err)
		}
		for name, c := range map[string]struct {
			caller    memory.Caller
			agent     string
			amount    int64
			reference string
			status    int
		}{
			"an agent's own token":     {ben, "ben", 1, "r", 403},
			"a token of the seller":    {as("sam", acl.Restricted), "ben", 1, "r", 403},
			"no id":                    {ben, "/external", 1, "r", 400},
			"nothing":                  {platform, "ben", 0, "r", 422},
			"less than nothing":        {platform, "ben", -1, "r", 422},
			"too much":                 {platform, "ben", meter.MaxAmount + 1, "r", 422},
			"no reference":             {platform, "ben", 1, "", 422},
			"a long reference":         {platform, "ben", 1, strings.Repeat("r", 129), 422},
			"a reference of two lines": {platform, "ben", 1, "a\nb", 422},
			"a chat":                   {platform, "chat", 1, "r", 409},
			"all in order":             {platform, "ben", meter.MaxAmount, strings.Repeat("é", 128), 200},
		} {
			_, err := f.market.TopUp(f.ctx, c.caller, c.agent, c.amount, c.reference)
			if got := statusOf(err); got != c.status {
				f.Errorf("top-up, %s: %d (%v), want %d", name, got, err, c.status)
			}
			_, err = f.market.PayOut(f.ctx, c.caller, c.agent, c.amount, c.reference)
			if got := statusOf(err); got != c.status {
				f.Errorf("pay-out, %s: %d (%v), want %d", name, got, err, c.status)
			}
		}
	})
}

func TestABalanceHasAMaximum(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		f.write(func(tx meter.Tx) error {
			return tx.AppendLine(f.ctx, meter.Line{Number: 1, Kind: meter.LineTopUp, At: f.clock.Now(), Reference: "x", Postings: []meter.Posting{
				{Account: "ben", Amount: meter.MaxBalance - 5}, {Account: meter.AccountExternal, Amount: 5 - meter.MaxBalance},
			}})
		})
		_, err := f.market.TopUp(f.ctx, platform, "ben", 6, "y")
		f.wants(422, err)
		_, err = f.market.TopUp(f.ctx, platform, "ben", 5, "y")
		f.wants(200, err)
	})
}
