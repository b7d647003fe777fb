package postgres

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"mneme/meter"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/storagetest"
)

func TestProcessesThatAppendTogetherLeaveNoGapInTheLedger(t *testing.T) {
	dsn := postgrestest.Database(t)
	storagetest.ExerciseLedger(t, openAt(t, dsn).ForMeter(), openAt(t, dsn).ForMeter())
}

// Without its lock, the database itself keeps the ledger in order: of two
// transactions that take the same number, the second runs again.
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
	appended := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		err := first.ForMeter().Update(t.Context(), func(tx meter.Tx) error {
			defer close(appended)
			if err := topUp(tx, "first"); err != nil {
				return err
			}
			appended <- struct{}{}
			return awaitBlocked(t.Context(), first) // the second waits for the row
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-appended
	runs := 0
	err := second.ForMeter().Update(t.Context(), func(tx meter.Tx) error {
		runs++
		return topUp(tx, "second")
	})
	group.Wait()
	if err != nil || runs != 2 {
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

// awaitBlocked polls until a connection to the database waits for another.
func awaitBlocked(ctx context.Context, s *Storage) error {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		var waiting int
		err := s.pool.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting)
		if err != nil || waiting > 0 {
			return err
		}
	}
	return errors.New("nobody waited")
}
