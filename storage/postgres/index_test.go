package postgres

import (
	"fmt"
	"testing"

	"mneme/lexical/posting"
	"mneme/memory"
)

// countBlocks counts the blocks of postings in a database, and their bytes.
func countBlocks(t *testing.T, s *Storage) (rows, bytes int) {
	t.Helper()
	mustUpdate(t, s, func(tx memory.Tx) error {
		w := tx.(*writeTx)
		w.setRLSAll()
		_, err := w.one(t.Context(), []any{&rows, &bytes}, "SELECT count(*), coalesce(sum(length(data)), 0) FROM posting")
		return err
	})
	return rows, bytes
}

// TestAnExistingBlockIsAppendedTo writes postings to a block that has a row although none of its
// docIDs was ever assigned, as in a damaged database.
func TestAnExistingBlockIsAppendedTo(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s := openAt(t, database(t))
		put := func(keys ...string) {
			t.Helper()
			mustUpdate(t, s, func(tx memory.Tx) error {
				for _, key := range keys {
					if err := tx.Put(t.Context(), newEntry("s", key), doc("word")); err != nil {
						return err
					}
				}
				return nil
			})
		}
		put("a")
		for _, statement := range []string{
			"INSERT INTO posting (store, term, label, block, data) SELECT store, term, label, block + 1, data FROM posting",
			fmt.Sprintf("UPDATE store SET next_place = %d", posting.AlignedDocs),
		} {
			mustUpdate(t, s, func(tx memory.Tx) error {
				w := tx.(*writeTx)
				w.setRLSAll()
				return w.exec(t.Context(), statement)
			})
		}
		_, before := countBlocks(t, s)
		put("b", "c")
		if rows, after := countBlocks(t, s); rows != 2 || after <= before {
			t.Errorf("%d blocks of %d bytes, before %d bytes; want two, and what was there with what was added", rows, after, before)
		}
	})
}

// TestPostingsOfOneTransactionMeetInABlock flushes postings in the middle of a transaction: when
// a block of new docIDs is partly filled, and when it is full.
func TestPostingsOfOneTransactionMeetInABlock(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		for _, first := range []int{1, posting.AlignedDocs - 1, posting.AlignedDocs, posting.AlignedDocs + 1} {
			t.Run(fmt.Sprint(first, " before the flush"), func(t *testing.T) {
				s := openAt(t, database(t))
				n := 0
				mustUpdate(t, s, func(tx memory.Tx) error {
					for _, count := range []int{first, 3} {
						for range count {
							n++
							if err := tx.Put(t.Context(), newEntry("s", fmt.Sprint("k", n)), doc("word")); err != nil {
								return err
							}
						}
						if err := tx.(*writeTx).flushIndex(t.Context()); err != nil {
							return err
						}
					}
					return nil
				})
				last := first + 3 - 1 // docIDs begin at 0
				if rows, _ := countBlocks(t, s); rows != last/posting.AlignedDocs+1 {
					t.Errorf("%d blocks, want %d", rows, last/posting.AlignedDocs+1)
				}
			})
		}
	})
}

// PostgreSQL caches the plan of a statement, and treats a table that was vacuumed while it was
// empty as empty until it counts its rows again. The plan for an empty table took nine seconds
// to remove 6,000 blocks, so those of a text of many terms must be removed by a plan for their
// number.
func TestManyBlocksAreRemovedByAPlanForThem(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s := openAt(t, database(t))
		e := newEntry("s", "k")
		kept, made := 0, 0 // runs by the cached plan and by others, after the last transaction
		put := func(words ...string) {
			t.Helper()
			mustUpdate(t, s, func(tx memory.Tx) error {
				if err := tx.Put(t.Context(), e, doc(words...)); err != nil {
					return err
				}
				e.Version, e.Revision = e.Version+1, e.Revision+1
				w := tx.(*writeTx)
				if err := w.flushIndex(t.Context()); err != nil {
					return err
				}
				_, err := w.one(t.Context(), []any{&kept, &made}, `SELECT coalesce(sum(generic_plans), 0)::bigint, coalesce(sum(custom_plans), 0)::bigint
					FROM pg_prepared_statements WHERE statement = $1`, texts.Text("posting.delete"))
				return err
			})
		}
		words := make([]string, 2*manyPostings)
		for i := range words {
			words[i] = fmt.Sprint("w", i)
		}
		for kept == 0 {
			if made > 10 {
				t.Fatal("PostgreSQL keeps no plan")
			}
			put(words[:manyPostings/5]...)
			put()
		}
		few := kept
		put(words...)
		if put(); kept != few {
			t.Errorf("the blocks of %d terms are removed by the plan that was kept", len(words))
		}
	})
}
