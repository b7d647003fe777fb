package postgres

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
)

// The planner has no statistics of a table that was just filled, and after a few
// executions it uses a generic plan. Neither may make it scan all rows of a
// store.
func TestSiblingsUseIndexesWithoutStatistics(t *testing.T) {
	const rows, named, rounds = 3000, 200, 8
	s := openAt(t, postgrestest.Database(t))
	var ids []uuid.UUID
	mustUpdate(t, s, func(tx memory.Tx) error {
		ids = nil
		for i := range rows {
			e := newEntry("s", fmt.Sprint("k", i))
			if i%(rows/named) == 0 {
				ids = append(ids, e.ID)
			}
			if err := tx.Put(t.Context(), e, doc("word")); err != nil {
				return err
			}
		}
		return nil
	})
	for round := range rounds {
		err := s.View(t.Context(), func(tx memory.ReadTx) error {
			scope, err := acl.NewScope(t.Context(), tx, acl.Principal{Agent: "s", Taint: acl.Public}, acl.ScopeRequest{}, time.Now())
			if err != nil {
				return err
			}
			before, err := rowsRead(t, tx)
			if err != nil {
				return err
			}
			entries, err := tx.Siblings(t.Context(), scope, ids)
			if err != nil || len(entries) != named {
				return fmt.Errorf("%d entries: %w", len(entries), err)
			}
			after, err := rowsRead(t, tx)
			// Each row is read twice: by ID and at its path.
			if n := after - before; n > 2*named {
				t.Errorf("round %d: %d rows were read for %d", round, n, named)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// rowsRead returns how many rows of entry a transaction has read so far.
func rowsRead(t *testing.T, tx memory.ReadTx) (n int64, err error) {
	t.Helper()
	err = tx.(*reader).tx.QueryRow(t.Context(),
		"SELECT coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) FROM pg_stat_xact_user_tables WHERE relid = 'entry'::regclass").Scan(&n)
	return n, err
}
