package storagetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"mneme/meter"
)

// ExerciseLedger appends lines in concurrent transactions of several Storages of one empty
// database: each moves an amount between two accounts under their locks, if the first one has
// that much. Afterwards the numbers have no gap, the chain is unbroken, and each balance is the
// sum of its postings.
func ExerciseLedger(t *testing.T, storages ...meter.Storage) {
	t.Helper()
	const writers, rounds, accounts = 4, 25, 3
	ctx := t.Context()
	var group sync.WaitGroup
	for w := range writers * len(storages) {
		s := storages[w%len(storages)]
		group.Go(func() {
			for i := range rounds {
				from, to := fmt.Sprint("a", rand.IntN(accounts)), fmt.Sprint("a", rand.IntN(accounts))
				amount := 1 + rand.Int64N(20)
				err := s.Update(ctx, func(tx meter.Tx) error {
					if i%4 == 0 {
						_, err := appendLine(ctx, tx, meter.LineTopUp, fmt.Sprintf("%d/%d", w, i), move(meter.AccountExternal, to, amount)...)
						return err
					}
					if err := tx.Lock(ctx, "account\x00"+from, "account\x00"+to); err != nil {
						return err
					}
					// The balance that is read under the lock does not change until the commit,
					// so none falls below zero.
					balance, err := tx.Balance(ctx, from)
					if err != nil || balance < amount {
						return err
					}
					_, err = appendLine(ctx, tx, meter.LineCharge, "", move(from, to, amount)...)
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	err := storages[0].View(ctx, func(tx meter.ReadTx) error {
		sums := make(map[string]int64)
		var last *meter.Line
		lines, err := tx.LinesAfter(ctx, 0, writers*len(storages)*rounds)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if want := line(last, l.Kind); l.Number != want.Number || l.Previous != want.Previous {
				return fmt.Errorf("line %d does not follow", l.Number)
			}
			last = &l
			for _, p := range l.Postings {
				sums[p.Account] += p.Amount
			}
		}
		if last == nil {
			return fmt.Errorf("no line was appended")
		}
		balances, err := tx.Balances(ctx, "", 100)
		for _, b := range balances {
			if sums[b.Account] != b.Balance {
				t.Errorf("the balance of %s is %d, its postings sum to %d", b.Account, b.Balance, sums[b.Account])
			}
			delete(sums, b.Account)
		}
		if len(sums) > 0 {
			t.Errorf("accounts without a balance: %v", sums)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
