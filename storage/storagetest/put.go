package storagetest

import (
	"errors"
	"time"

	"mneme/acl"
	"mneme/memory"
)

var puts = []clause{
	{"every field is returned as it was written, the value byte for byte", func(f *fixture) {
		e := full()
		f.equal(unset(e), []string{"DescriptionBy", "Size"}) // no author is known; only listed rows have a Size
		f.put(e)
		f.equal(f.get(e.ID), []memory.Entry{e})
		next := edited(e, says("another"))
		f.put(next)
		records := []memory.DumpRecord{{Entry: &next}, {Version: &e}}
		f.equal(f.dump(f.storage), records)
		f.equal(f.purge(after(time.Hour), 10), idsOf(e))
		f.ok(f.load(f.storage, records...))
		f.equal(f.dump(f.storage), records)
	}},

	{"Prepare changes no result of what follows in its transaction", func(f *fixture) {
		first, second := entry("a", "k"), entry("a", "k")
		other := entry("a", "k", ownedBy("other"))
		taken := first
		taken.Key = "k2"
		prefetch := func(tx memory.Tx) {
			f.ok(tx.PrepareWrite(f.ctx, memory.WritePlan{Store: "a", Paths: []memory.Path{first.Path, taken.Path, first.Path}, Label: acl.Public, Agent: "a"}))
		}
		f.update(func(tx memory.Tx) error {
			prefetch(tx)
			f.ok(put(f.ctx, tx, first))
			f.wantError(put(f.ctx, tx, second), memory.ErrExists)
			at, err := tx.At(f.ctx, first.Path.At(acl.Public))
			f.ok(err)
			f.equal(idsOf(at...), idsOf(first))
			usage, err := tx.Usage(f.ctx, "a", "a", acl.Public, start)
			f.equal(usage, memory.Usage{Entries: 1, Bytes: int64(len(first.Value))})
			return err
		})
		f.update(func(tx memory.Tx) error {
			prefetch(tx)
			f.wantError(put(f.ctx, tx, second), memory.ErrExists)
			return put(f.ctx, tx, other)
		})
		f.wantError(f.storage.Update(f.ctx, func(tx memory.Tx) error { // the ID is taken
			prefetch(tx)
			return put(f.ctx, tx, taken)
		}), memory.ErrStale)
		f.equal(len(f.get(first.ID, second.ID, other.ID)), 2)
	}},

	{"fields that are not set are returned as zero", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		f.equal(unset(f.get(e.ID)[0]), unset(e))
	}},

	{"when it occurred is returned by every read, and follows the versions", func(f *fixture) {
		for _, text := range []string{"0001-01-01", "1066-10-14", "2023-05-08", "0001-01-01T00:00:00.000001Z", "2023-05-08T00:00:00Z", "9999-12-31T23:59:59.999999Z", "0001", "0001-01", "2023", "2023-05", "9999-12"} {
			dated := entry("a", "k"+text, occurring(text))
			none := edited(dated, occurring(""))
			f.put(dated)
			scope := f.scope(reach{"a", acl.Public})
			f.view(func(tx memory.ReadTx) error {
				at, err := tx.At(f.ctx, dated.Path.At(acl.Public))
				f.ok(err)
				siblings, err := tx.Siblings(f.ctx, scope, idsOf(dated))
				f.ok(err)
				scanned, err := tx.Scan(f.ctx, memory.ScanQuery{Store: "a", Ceiling: acl.Public, Prefix: dated.Key, Limit: 1})
				f.ok(err)
				for _, got := range [][]memory.Entry{at, siblings, scanned} {
					f.equal(got[0].OccurredAt, dated.OccurredAt)
				}
				return nil
			})
			f.put(none)
			f.put(edited(none, occurring("2024-01-01")))
			deleted := f.delete(edited(none, occurring("2024-01-01")), start)
			f.view(func(tx memory.ReadTx) error {
				history, err := tx.History(f.ctx, memory.HistoryQuery{Entry: dated.ID, Before: 0, Limit: 10})
				f.ok(err)
				f.equal([]memory.Moment{history[0].OccurredAt, history[1].OccurredAt, history[2].OccurredAt},
					[]memory.Moment{moment("2024-01-01"), {}, dated.OccurredAt})
				for _, path := range []*memory.Path{nil, &dated.Path} {
					trash, err := tx.Trash(f.ctx, memory.TrashQuery{Store: "a", Label: acl.Public, Path: path, Limit: 1})
					f.ok(err)
					f.equal(trash[0].OccurredAt, moment("2024-01-01"))
				}
				return nil
			})
			f.update(func(tx memory.Tx) error {
				purged, err := tx.Purge(f.ctx, after(time.Second), 10)
				f.equal(purged, idsOf(deleted))
				return err
			})
		}
	}},

	{"a revision other than the row's plus one is ErrStale", func(f *fixture) {
		e := entry("a", "k")
		for _, wrong := range []int64{0, 2, -1} {
			f.wantError(f.tryPut(changedTo(e, wrong)), memory.ErrStale)
		}
		f.put(e)
		for _, wrong := range []int64{0, 1, 3} {
			f.wantError(f.tryPut(changedTo(e, wrong)), memory.ErrStale)
		}
		f.put(edited(e))
	}},

	{"a second undeleted entry of the same path, owner and label is ErrExists", func(f *fixture) {
		f.put(entry("a", "k"))
		f.wantError(f.tryPut(entry("a", "k")), memory.ErrExists)
		f.wantError(f.tryPut(entry("a", "k", outOfContext)), memory.ErrExists)
		f.put(entry("a", "k", labelled(acl.Internal)), entry("a", "k", ownedBy("b")), entry("b", "k"), entry("a", "K"),
			entry("a", "k", func(e *memory.Entry) { e.Namespace = "n" }))
	}},

	{"ErrExists writes nothing, and the transaction may continue", func(f *fixture) {
		first, second := entry("a", "k", says("one")), entry("a", "k", says("two"))
		f.put(first)
		f.update(func(tx memory.Tx) error {
			f.wantError(put(f.ctx, tx, second), memory.ErrExists)
			return put(f.ctx, tx, edited(first, says("three")))
		})
		f.equal(len(f.get(second.ID)), 0)
		f.equal(len(f.search(f.scope(reach{"a", acl.Public}), "one two", 10)), 0)
	}},

	{"an expired entry keeps its path until it is swept", func(f *fixture) {
		f.put(entry("a", "k", expiring(after(-time.Hour))))
		f.wantError(f.tryPut(entry("a", "k")), memory.ErrExists)
	}},

	{"a deleted entry releases its path, and cannot be restored to one that is taken", func(f *fixture) {
		first := entry("a", "k")
		f.put(first)
		first = f.delete(first, start)
		f.put(entry("a", "k"))
		f.wantError(f.tryPut(changed(first, restored)), memory.ErrExists)
	}},

	{"an entry can be renamed, even into another store, and is found only there", func(f *fixture) {
		e := entry("a", "k", says("needle"), tagged("t"))
		f.put(e, entry("a", "stays", says("needle")), entry("b", "stays", says("needle")))
		moved := changed(e, func(e *memory.Entry) { e.Path = memory.Path{Store: "b", Namespace: "n", Key: "k2"} })
		f.put(moved)
		f.equal(f.get(e.ID), []memory.Entry{moved})
		a, b := f.scope(reach{"a", acl.Public}), f.scope(reach{"b", acl.Public})
		f.equal(len(f.search(a, "needle", 10)), 1)
		f.equal(len(f.search(b, "needle", 10)), 2)
		f.view(func(tx memory.ReadTx) error {
			ids, _, err := tx.Matching(f.ctx, a, memory.Filter{Tags: []string{"t"}}, nil, 10)
			f.ok(err)
			f.equal(len(ids), 0)
			ids, _, err = tx.Matching(f.ctx, b, memory.Filter{Tags: []string{"t"}}, nil, 10)
			f.equal(ids, idsOf(e))
			return err
		})
	}},

	{"the former state becomes history only if the version increases", func(f *fixture) {
		first := entry("a", "k", says("first"))
		second := edited(first, says("second"), func(e *memory.Entry) { e.UpdatedBy = "b" })
		moved := changed(second, func(e *memory.Entry) { e.Key = "k2" })
		gone := changed(moved, deletedAt(after(time.Hour)))
		back := edited(gone, restored)
		for _, e := range []memory.Entry{first, second, moved, gone, back} {
			f.put(e)
		}
		f.view(func(tx memory.ReadTx) error {
			history, err := tx.History(f.ctx, memory.HistoryQuery{Entry: first.ID, Before: 0, Limit: 10})
			f.equal(history, []memory.Entry{back, gone, first})
			return err
		})
	}},

	{"large values and many tags are stored", func(f *fixture) {
		big := make([]byte, 300_000)
		for i := range big {
			big[i] = 'a' + byte(i%7)
		}
		e := entry("a", "k", says(string(big)))
		for i := range 32 {
			e.Tags = append(e.Tags, string(rune('a'+i%26))+string(big[:60]))
		}
		f.put(e)
		f.equal(f.get(e.ID), []memory.Entry{e})
	}},
}

func changedTo(e memory.Entry, revision int64) memory.Entry {
	e.Revision = revision
	return e
}

// tryPut puts an entry in its own transaction and returns the error.
func (f *fixture) tryPut(e memory.Entry) error {
	err := f.storage.Update(f.ctx, func(tx memory.Tx) error { return put(f.ctx, tx, e) })
	if err == nil {
		return errors.New("no error")
	}
	return err
}
