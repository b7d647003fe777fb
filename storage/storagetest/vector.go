package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/memory"
	"mneme/vector"
)

// records returns n chunk vectors of an entry, the even ones with codes. Store and label are
// not set: the storage takes them from the row.
func records(e memory.Entry, n int) []vector.Record {
	var records []vector.Record
	for chunk := range n {
		r := vector.Record{Entry: e.ID, Chunk: chunk,
			Vector: vector.ToHalf([]float32{float32(e.ID[15]), float32(chunk), 0.5, -1})}
		if chunk%2 == 0 {
			r.Codes = bytes.Repeat([]byte{e.ID[15], byte(chunk), 0, 0xff}, 8*(10+chunk))
		}
		records = append(records, r)
	}
	return records
}

// save stores n chunk vectors of an entry at its revision.
func (f *fixture) save(e memory.Entry, fingerprint string, n int) {
	f.Helper()
	f.updateIndex(func(tx indexer.Tx) error {
		saved, err := tx.SaveVectors(f.ctx, e.ID, e.Revision, fingerprint, records(e, n))
		f.equal(saved, true)
		return err
	})
}

func (f *fixture) vectors(fingerprint string, ids ...uuid.UUID) (records []vector.Record) {
	f.Helper()
	f.viewIndex(func(tx indexer.ReadTx) error {
		return tx.Vectors(f.ctx, fingerprint, ids, func(r vector.Record) error {
			records = append(records, r)
			return nil
		})
	})
	return records
}

func (f *fixture) allVectors(fingerprint string) (records []vector.Record) {
	f.Helper()
	f.viewIndex(func(tx indexer.ReadTx) error {
		return tx.AllVectors(f.ctx, fingerprint, func(r vector.Record) error {
			records = append(records, r)
			return nil
		})
	})
	return records
}

func (f *fixture) lastChange() (last int64) {
	f.Helper()
	f.viewIndex(func(tx indexer.ReadTx) error {
		changes, err := tx.VectorChanges(f.ctx, 0, 0)
		last = changes.Last
		return err
	})
	return last
}

// changesAfter returns the entries of all changes after a position.
func (f *fixture) changesAfter(after int64) []uuid.UUID {
	f.Helper()
	ids := []uuid.UUID{}
	f.viewIndex(func(tx indexer.ReadTx) error {
		changes, reset, err := tx.Changes(f.ctx, after, 1000)
		f.equal(reset, false)
		for _, c := range changes {
			ids = append(ids, c.Entry)
		}
		return err
	})
	return ids
}

var vectors = []clause{
	{"vectors are returned as they were saved, without codes, with the row's store number and label", func(f *fixture) {
		e := entry("a", "k", labelled(acl.Confidential))
		f.put(entry("other", "k"), e)
		f.save(e, "model", 3)
		number, _ := f.scope(reach{"a", acl.Public}).Access("a")
		want := records(e, 3)
		for i := range want {
			want[i].Store, want[i].Label, want[i].Codes = number.Number, acl.Confidential, nil
		}
		f.equal(f.vectors("model", e.ID), want)
		f.equal(f.allVectors("model"), want)
		f.equal(len(f.vectors("another model", e.ID)), 0)
		f.equal(len(f.allVectors("another model")), 0)
	}},

	{"SaveVectors replaces an entry's vectors under a fingerprint, and no others", func(f *fixture) {
		e, other := entry("a", "k"), entry("a", "k2")
		f.put(e, other)
		f.save(e, "model", 3)
		f.save(other, "model", 2)
		f.save(e, "second", 1)
		f.save(e, "model", 2)
		f.equal([]int{len(f.vectors("model", e.ID)), len(f.vectors("model", other.ID)), len(f.vectors("second", e.ID))}, []int{2, 2, 1})
		f.save(e, "model", 0)
		f.equal(len(f.vectors("model", e.ID)), 0)
	}},

	{"SaveVectors records a change if it removes the vectors of the second of two models in a transaction", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		f.save(e, "second", 1)
		before := f.lastChange()
		f.updateIndex(func(tx indexer.Tx) error {
			for _, fingerprint := range []string{"model", "second"} {
				if saved, err := tx.SaveVectors(f.ctx, e.ID, e.Revision, fingerprint, nil); err != nil || !saved {
					return errors.Join(err, fmt.Errorf("saved: %v", saved))
				}
			}
			return nil
		})
		f.equal(len(f.vectors("second", e.ID)), 0)
		f.equal(f.changesAfter(before), idsOf(e))
	}},

	{"SaveVectors rejects vectors of another revision or of a row that is not live", func(f *fixture) {
		e, gone, old := entry("a", "k"), entry("a", "gone"), entry("a", "old", expiring(start))
		f.put(e, gone, old)
		f.save(e, "model", 1)
		f.put(edited(e))
		f.delete(gone, start)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(old), start) })
		before := f.lastChange()
		for _, c := range []struct {
			e        memory.Entry
			revision int64
		}{{e, 1}, {e, 3}, {gone, 1}, {gone, 2}, {old, 1}, {old, 2}, {entry("a", "none"), 1}} {
			f.updateIndex(func(tx indexer.Tx) error {
				saved, err := tx.SaveVectors(f.ctx, c.e.ID, c.revision, "model", records(c.e, 2))
				f.equal(saved, false)
				return err
			})
		}
		f.equal(f.lastChange(), before)
		f.equal(len(f.vectors("model", e.ID)), 1)
	}},

	{"Vectors yields all, the chunks of an entry together, and ends at an error", func(f *fixture) {
		var entries []memory.Entry
		for i := range 20 {
			entries = append(entries, entry("a", fmt.Sprint(i)))
		}
		f.put(entries...)
		for _, e := range entries {
			f.save(e, "model", 3)
		}
		for _, e := range entries[:5] {
			f.save(e, "model", 4)
		}
		all := f.allVectors("model")
		f.equal(len(all), 65)
		seen := make(map[uuid.UUID]bool)
		for i, r := range all {
			if i > 0 && all[i-1].Entry == r.Entry {
				continue
			}
			f.equal(seen[r.Entry], false)
			seen[r.Entry] = true
		}
		errStop := errors.New("stop")
		n := 0
		f.wantError(f.storage.ForIndexer().View(f.ctx, func(tx indexer.ReadTx) error {
			return tx.AllVectors(f.ctx, "model", func(vector.Record) error {
				n++
				return errStop
			})
		}), errStop)
		f.equal(n, 1)
	}},

	{"the entries of a store are those that may have vectors", func(f *fixture) {
		a, b, gone, other, swept := entry("a", "1"), entry("a", "2"), entry("a", "3"), entry("b", "1"), entry("a", "4", expiring(start))
		hidden, sealed := entry("a", "5"), entry("a", "6")
		hidden.InContext, sealed.Encrypted = false, true
		f.put(a, b, gone, other, swept, hidden, sealed)
		f.delete(gone, start)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(swept), start) })
		f.viewIndex(func(tx indexer.ReadTx) error {
			numbers, err := numbersOf(f.ctx, tx, "a", "b")
			if err != nil {
				return err
			}
			stores, err := tx.Stores(f.ctx)
			if err != nil {
				return err
			}
			f.equal(slices.Contains(stores, numbers["a"]) && slices.Contains(stores, numbers["b"]), true)
			of, err := tx.StoreEntries(f.ctx, numbers["a"])
			slices.SortFunc(of, func(x, y uuid.UUID) int { return bytes.Compare(x[:], y[:]) })
			want := []uuid.UUID{a.ID, b.ID}
			slices.SortFunc(want, func(x, y uuid.UUID) int { return bytes.Compare(x[:], y[:]) })
			f.equal(of, want)
			return err
		})
	}},

	{"a deleted or swept entry loses its vectors at once", func(f *fixture) {
		gone, old := entry("a", "gone"), entry("a", "old", expiring(start))
		f.put(gone, old)
		f.save(gone, "model", 2)
		f.save(old, "model", 2)
		f.delete(gone, start)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(old), start) })
		f.equal(len(f.vectors("model", gone.ID, old.ID))+len(f.allVectors("model")), 0)
	}},

	{"an edited entry keeps its old vectors until new ones are saved", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		f.save(e, "model", 2)
		f.put(edited(e, says("other")))
		f.equal(len(f.vectors("model", e.ID)), 2)
	}},

	{"Changes lists saved, deleted, swept and moved vectors, in commit order", func(f *fixture) {
		f.equal(f.lastChange(), 0)
		e, old := entry("a", "k"), entry("a", "old", expiring(start))
		f.put(e, old)
		f.save(e, "model", 2)
		f.save(old, "model", 1)
		f.equal(f.changesAfter(0), idsOf(e, old))
		last := f.lastChange()
		moved := changed(e, func(e *memory.Entry) { e.Store = "b" })
		f.put(moved)
		f.equal(f.changesAfter(last), idsOf(e))
		f.put(entry("b", "other"))
		f.save(moved, "model", 1)
		f.delete(moved, start)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(old), start) })
		f.equal(f.changesAfter(last), idsOf(e, e, e, old))
	}},

	{"Changes returns the changes after a position, oldest first, at most limit", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		for range 5 {
			f.save(e, "model", 1)
		}
		f.viewIndex(func(tx indexer.ReadTx) error {
			changes, reset, err := tx.Changes(f.ctx, 0, 2)
			f.ok(err)
			f.equal([]any{len(changes), reset}, []any{2, false})
			f.equal(changes[0].Position < changes[1].Position, true)
			rest, reset, err := tx.Changes(f.ctx, changes[1].Position, 100)
			f.ok(err)
			f.equal([]any{len(rest), reset}, []any{3, false})
			vectorChanges, err := tx.VectorChanges(f.ctx, 0, 0)
			f.equal(rest[2].Position, vectorChanges.Last)
			none, reset, err2 := tx.Changes(f.ctx, vectorChanges.Last, 100)
			f.equal([]any{len(none), reset}, []any{0, false})
			return errors.Join(err, err2)
		})
	}},

	{"reset reports that some changes after a position are no longer known", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		reset := func(after int64) (reset bool) {
			f.Helper()
			f.viewIndex(func(tx indexer.ReadTx) (err error) {
				_, reset, err = tx.Changes(f.ctx, after, 100)
				return err
			})
			return reset
		}
		for range 3 {
			f.save(e, "model", 1)
		}
		last := f.lastChange()
		// The storage's own clock has dated the changes, so all are between yesterday and
		// tomorrow at this time.
		f.updateIndex(func(tx indexer.Tx) error { return trimChanges(f.ctx, tx, time.Now().Add(-24*time.Hour)) })
		f.equal(reset(0), false)
		f.updateIndex(func(tx indexer.Tx) error { return trimChanges(f.ctx, tx, time.Now().Add(24*time.Hour)) })
		f.equal(f.lastChange(), last)
		f.equal([]bool{reset(0), reset(last - 1), reset(last), reset(last + 1)}, []bool{true, true, false, true})
		f.save(e, "model", 1)
		f.equal([]bool{reset(0), reset(last)}, []bool{true, false})
		f.equal(f.changesAfter(last), idsOf(e))
	}},

	{"a change of the future is trimmed with an old one that follows it", func(f *fixture) {
		dater, ok := f.storage.(ChangeDater)
		if !ok {
			f.Skip("the storage is no ChangeDater")
		}
		e := entry("a", "k")
		f.put(e)
		const hour = time.Hour
		for _, limit := range []int{1, 2, 1000} {
			first := f.lastChange() + 1
			for i, ago := range []time.Duration{3 * hour, -1000 * hour, -1000 * hour, 2 * hour, -1000 * hour, hour / 2, 2 * hour, 0} {
				f.save(e, "model", 1)
				f.ok(dater.DateChange(f.ctx, first+int64(i), start.Add(-ago)))
			}
			trim := func(now time.Time) (left int64) {
				f.Helper()
				for more := true; more; {
					f.updateIndex(func(tx indexer.Tx) (err error) {
						more, err = tx.TrimChanges(f.ctx, now.Add(-hour), now, limit)
						return err
					})
				}
				last := f.lastChange()
				for left = 0; ; left++ {
					reset := false
					f.viewIndex(func(tx indexer.ReadTx) (err error) {
						_, reset, err = tx.Changes(f.ctx, last-left-1, 1)
						return err
					})
					if reset {
						return left
					}
				}
			}
			f.equal(trim(start.Add(-hour)), 7) // removes the first: the fourth is recent
			f.equal(trim(start), 4)            // removes four: the fifth may be as recent as the sixth
			f.equal(trim(start.Add(hour/2)), 4)
			f.equal(trim(start.Add(hour)), 1)
			f.equal(trim(start.Add(2*hour)), 0)
		}
	}},

	{"Unembedded and CountUnembedded agree on the live searchable entries without vectors of their revision, by ID", func(f *fixture) {
		fresh, stale, done := entry("a", "1", expiring(after(time.Microsecond))), entry("a", "2"), entry("a", "3")
		gone, hidden, sealed := entry("a", "4"), entry("a", "5", outOfContext), entry("a", "6", encrypted)
		f.put(fresh, stale, done, gone, hidden, sealed, entry("a", "7", expiring(start)))
		f.delete(gone, start)
		f.save(stale, "model", 1)
		stale = edited(stale)
		f.put(stale)
		f.save(done, "model", 1)
		unembedded := func(fingerprint string, after uuid.UUID, limit int) (entries []memory.Entry) {
			f.Helper()
			f.viewIndex(func(tx indexer.ReadTx) (err error) {
				entries, err = tx.Unembedded(f.ctx, indexer.Unembedded{Fingerprint: fingerprint, Now: start}, after, limit)
				return err
			})
			return entries
		}
		count := func(fingerprint string) (n int64) {
			f.Helper()
			f.viewIndex(func(tx indexer.ReadTx) (err error) {
				n, err = tx.CountUnembedded(f.ctx, indexer.Unembedded{Fingerprint: fingerprint, Now: start})
				return err
			})
			return n
		}
		f.equal([]int64{count("model"), count("second")}, []int64{2, 3})
		for after, want := range map[uuid.UUID]int64{uuid.Nil: 4, done.ID: 1} { // including those that will expire
			f.view(func(tx memory.ReadTx) error {
				n, err := tx.CountSearchable(f.ctx, after)
				f.equal(n, want)
				return err
			})
		}
		f.equal(unembedded("model", uuid.Nil, 10), []memory.Entry{fresh, stale})
		f.equal(unembedded("model", fresh.ID, 10), []memory.Entry{stale})
		f.equal(unembedded("model", uuid.Nil, 1), []memory.Entry{fresh})
		f.equal(unembedded("second", uuid.Nil, 10), []memory.Entry{fresh, stale, done})
		// An entry lacks no vectors if it has those of the other model, and none of the replaced
		// one.
		lacking := func(other, replaced string) (entries []memory.Entry) {
			f.Helper()
			f.viewIndex(func(tx indexer.ReadTx) (err error) {
				without := indexer.Unembedded{Fingerprint: "second", Other: other, Replaced: replaced, Now: start}
				if entries, err = tx.Unembedded(f.ctx, without, uuid.Nil, 10); err != nil {
					return err
				}
				n, err := tx.CountUnembedded(f.ctx, without)
				f.equal(n, int64(len(entries)))
				return err
			})
			return entries
		}
		f.equal(lacking("model", "third"), []memory.Entry{fresh, stale})
		f.equal(lacking("third", ""), []memory.Entry{fresh, stale, done})
		f.save(done, "third", 1)
		f.equal(lacking("model", ""), []memory.Entry{fresh, stale})
		f.equal(lacking("model", "third"), []memory.Entry{fresh, stale, done})
		f.updateIndex(func(tx indexer.Tx) error { return tx.DropVectors(f.ctx, []string{"model", "second"}) })
		f.equal(lacking("model", "third"), []memory.Entry{fresh, stale})
		// A Ceiling excludes entries with higher labels.
		high := entry("a", "8", labelled(acl.Restricted))
		f.put(high)
		for ceiling, want := range map[acl.Label]int{0: 3, acl.Restricted: 3, acl.Confidential: 2} {
			f.viewIndex(func(tx indexer.ReadTx) error {
				without := indexer.Unembedded{Fingerprint: "model", Ceiling: ceiling, Now: start}
				entries, err := tx.Unembedded(f.ctx, without, uuid.Nil, 10)
				if err != nil {
					return err
				}
				n, err := tx.CountUnembedded(f.ctx, without)
				f.equal([]int{len(entries), int(n)}, []int{want, want})
				return err
			})
		}
		// UnembeddedAmong returns only entries that are asked for.
		for fingerprint, want := range map[string][]uuid.UUID{"model": idsOf(stale), "second": sorted(idsOf(stale, done))} {
			f.viewIndex(func(tx indexer.ReadTx) error {
				lacking := indexer.Unembedded{Fingerprint: fingerprint, Now: start}
				entries, err := tx.UnembeddedAmong(f.ctx, lacking, idsOf(stale, done, gone, hidden, sealed))
				f.equal(sorted(idsOf(entries...)), want)
				return err
			})
		}
	}},
}
