package postgres

import (
	"context"
	"fmt"
	"testing"

	"mneme/meter"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/storagetest"
	"mneme/test/wait"
)

func TestConcurrentAppendsLeaveNoGapInTheLedger(t *testing.T) {
	dsn := postgrestest.Database(t)
	storagetest.ExerciseLedger(t, openAt(t, dsn).ForMeter(), openAt(t, dsn).ForMeter())
}

// Without the ledger lock, the database itself keeps the ledger in order: of two transactions
// that take the same number, the second runs again.
func TestAppendsWithoutTheLockRunAgain(t *testing.T) {
	dsn := postgrestest.Database(t)
	first, second := openAt(t, dsn), openAt(t, dsn)
	topUp := func(tx meter.Tx, reference string) error {
		last, err := tx.LastLine(t.Context())
		if err != nil {
			return err
		}
		line := meter.Line{Number: 1, Kind: meter.LineTopUp, Reference: reference, Postings: []meter.Posting{
			{Account: meter.AccountExternal, Amount: -5}, {Account: "a", Amount: 5},
		}}
		if last != nil {
			line.Number = last.Number + 1
		}
		return tx.AppendLine(t.Context(), line)
	}
	runs, ended := 0, make(chan error, 1)
	err := first.ForMeter().Update(t.Context(), func(tx meter.Tx) error {
		if err := topUp(tx, "first"); err != nil {
			return err
		}
		go func() {
			ended <- second.ForMeter().Update(t.Context(), func(tx meter.Tx) error {
				runs++
				return topUp(tx, "second")
			})
		}()
		wait.Until(t, "the second waits for the row", func() error { return blocked(t.Context(), first) })
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := wait.For(t, "the second transaction ends", ended); err != nil || runs != 2 {
		t.Fatalf("%d runs: %v", runs, err)
	}
	err = first.ForMeter().View(t.Context(), func(tx meter.ReadTx) error {
		balance, err := tx.Balance(t.Context(), "a")
		if balance != 10 {
			t.Errorf("the balance is %d", balance)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// blocked returns an error unless a connection to the database waits for a lock.
func blocked(ctx context.Context, s *Storage) error {
	waiting, states := 0, ""
	err := s.pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), coalesce(string_agg(state, ', '), 'none')
		FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&waiting, &states)
	if err == nil && waiting == 0 {
		err = fmt.Errorf("none waits for a lock; the other connections are: %s", states)
	}
	return err
}
