package storagetest

import (
	"github.com/google/uuid"

	"mneme/indexer"
	"mneme/memory"
)

var droppedVectors = []clause{
	{"DropVectors removes all vectors of other fingerprints", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		for _, fingerprint := range []string{"one", "two", "three"} {
			f.save(e, fingerprint, 2)
		}
		f.updateIndex(func(tx indexer.Tx) error { return tx.DropVectors(f.ctx, []string{"two", "none"}) })
		f.equal([]int{len(f.allVectors("one")), len(f.allVectors("two")), len(f.allVectors("three"))}, []int{0, 2, 0})
		f.save(e, "one", 1)
		f.equal(len(f.allVectors("one")), 1)
	}},

	{"RemoveDropped removes what DropVectors dropped in bounded steps, and then forgets it", func(f *fixture) {
		entries := []memory.Entry{entry("a", "1"), entry("a", "2"), entry("a", "3"), entry("a", "4")}
		f.put(entries...)
		for _, e := range entries {
			f.save(e, "one", 2)
			f.save(e, "two", 2)
		}
		dropped := func() (all []indexer.Dropped) {
			f.Helper()
			f.viewIndex(func(tx indexer.ReadTx) (err error) {
				all, err = tx.Dropped(f.ctx)
				return err
			})
			return all
		}
		f.equal(len(dropped()), 0)
		for range 2 { // the second run finds nothing to drop
			f.updateIndex(func(tx indexer.Tx) error { return tx.DropVectors(f.ctx, []string{"two"}) })
		}
		all := dropped()
		f.equal(len(all), 1)
		f.equal(all[0], indexer.Dropped{Name: all[0].Name, Fingerprint: "one"})
		names := []string{all[0].Name}
		left := func() int { return len(f.allVectors(names[0])) }
		f.equal(left(), 8)
		f.save(entries[1], "one", 1) // recomputed vectors are different ones
		all[0].Again = true
		f.equal(dropped(), all)
		// Dropped vectors are removed and moved with their entries.
		f.put(changed(entries[0], func(e *memory.Entry) { e.Store = "b" }))
		f.equal(left(), 8)
		f.delete(entries[3], start)
		f.equal(left(), 6)

		ids := sorted(idsOf(entries...))
		step := func(after uuid.UUID) (last uuid.UUID) {
			f.Helper()
			f.updateIndex(func(tx indexer.Tx) (err error) {
				last, err = tx.RemoveDropped(f.ctx, names, after, 2)
				return err
			})
			return last
		}
		f.equal(step(uuid.Nil), ids[1])
		f.equal(left(), 2)
		f.equal(step(ids[1]), ids[3])
		f.equal([]int{left(), len(dropped())}, []int{0, 1})
		f.equal(step(ids[3]), uuid.Nil)
		f.equal([]int{len(dropped()), len(f.allVectors("one")), len(f.allVectors("two"))}, []int{0, 1, 6})
	}},
}
