package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/indexer"
	"mneme/memory"
)

var readings = []clause{
	{"how a store is read is kept, with or without entries, and only what a fact names changes", func(f *fixture) {
		reading := func() choice.Reading {
			var known map[string]acl.StoreFacts
			f.view(func(tx memory.ReadTx) (err error) {
				known, err = tx.StoreFacts(f.ctx, []string{"a", "b"})
				return err
			})
			f.equal(choice.Of(known["b"].Detail) == choice.Reading{}, true)
			return choice.Of(known["a"].Detail)
		}
		want := func(want choice.Reading) { // JSON has no label 0
			f.Helper()
			if got := reading(); got != want {
				f.Errorf("%+v, want %+v", got, want)
			}
		}
		put := func(fact memory.ReadingChange) {
			fact.Store = "a"
			f.update(func(tx memory.Tx) error {
				if _, err := tx.StoreFacts(f.ctx, []string{"a"}); err != nil {
					return err
				}
				return tx.PutReading(f.ctx, fact)
			})
		}
		want(choice.Reading{})
		put(memory.ReadingChange{Asked: true})
		want(choice.Reading{Asked: true})
		f.put(entry("a", "k"), entry("b", "k"))
		put(memory.ReadingChange{Multilingual: acl.Confidential})
		want(choice.Reading{Asked: true, Multilingual: acl.Confidential})
		put(memory.ReadingChange{Multilingual: acl.Public})
		put(memory.ReadingChange{Multilingual: acl.Internal})
		want(choice.Reading{Asked: true, Multilingual: acl.Public})
		put(memory.ReadingChange{Language: new(choice.LanguageMultilingual)})
		want(choice.Reading{Language: choice.LanguageMultilingual, Multilingual: acl.Public})
		put(memory.ReadingChange{Asked: true})
		want(choice.Reading{Language: choice.LanguageMultilingual, Asked: true, Multilingual: acl.Public})
		put(memory.ReadingChange{Language: new(choice.LanguageAuto)})
		want(choice.Reading{Multilingual: acl.Public})
		put(memory.ReadingChange{Mixed: acl.Confidential})
		put(memory.ReadingChange{Mixed: acl.Restricted})
		want(choice.Reading{Multilingual: acl.Public, Mixed: acl.Confidential})
		put(memory.ReadingChange{Mixed: acl.Internal})
		put(memory.ReadingChange{Language: new(choice.LanguageAuto)})
		want(choice.Reading{Multilingual: acl.Public, Mixed: acl.Internal})
	}},

	{"a store is whole once what a fact had queued is indexed, label by label", func(f *fixture) {
		low, high, top := entry("a", "low"), entry("a", "high", labelled(acl.Confidential)), entry("a", "top", labelled(acl.Restricted))
		f.put(low, high, top, entry("a", "hidden", outOfContext), entry("b", "k"))
		f.drain()
		fact := func(fact memory.ReadingChange) {
			f.Helper()
			fact.Store = "a"
			f.update(func(tx memory.Tx) error { return tx.PutReading(f.ctx, fact) })
		}
		count := func(tx memory.ReadTx, unread bool, from, ceiling acl.Label) int64 {
			of := tx.CountRead
			if unread {
				of = tx.CountUnread
			}
			n, err := of(f.ctx, "a", from, ceiling)
			f.ok(err)
			return n
		}
		// want checks the lowest unread label, the number of all and of public entries still to
		// be read, and whether the store is listed as one in which no entry with that label
		// waits any more (Reread.Indexed).
		want := func(unread acl.Label, all, public int64, indexed bool) {
			f.Helper()
			f.view(func(tx memory.ReadTx) error {
				known, err := tx.StoreFacts(f.ctx, []string{"a"})
				if got := choice.Of(known["a"].Detail).Unread; got != unread {
					f.Errorf("unread from %q, want %q", got, unread)
				}
				f.equal(count(tx, true, acl.Public, acl.Restricted), all)
				f.equal(count(tx, true, acl.Public, acl.Public), public)
				f.equal(count(tx, false, acl.Public, acl.Restricted), int64(3))
				f.equal(count(tx, false, acl.Internal, acl.Confidential), int64(1))
				f.ok(err)
				n, err := tx.CountStoresUnread(f.ctx)
				f.equal(n == 1, unread > 0)
				return err
			})
			f.viewIndex(func(tx indexer.ReadTx) error {
				reread, err := tx.Reread(f.ctx)
				f.ok(err)
				f.equal(len(reread.Indexed) == 1, indexed)
				return nil
			})
		}
		finish := func(entries ...memory.Entry) {
			f.Helper()
			ids := idsOf(entries...)
			leases := f.lease(after(time.Hour), 10)
			f.updateIndex(func(tx indexer.Tx) error {
				for _, lease := range leases {
					var err error
					if slices.Contains(ids, lease.Entry) {
						err = tx.Finish(f.ctx, lease, nil)
					} else {
						err = tx.Renew(f.ctx, []indexer.Lease{lease}, start)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		fact(memory.ReadingChange{Mixed: acl.Confidential, QueuedAt: after(time.Second), Lacking: "model", From: acl.Confidential})
		f.equal(f.depth(start), int64(2))
		want(acl.Confidential, 2, 0, false)
		fact(memory.ReadingChange{Asked: true, QueuedAt: after(2 * time.Second), Lacking: "model"})
		want(acl.Public, 3, 1, false)
		finish(high)
		fact(memory.ReadingChange{Indexed: true}) // some entries of the lowest label still wait
		want(acl.Public, 2, 1, false)
		finish(low)
		want(acl.Public, 1, 0, true)
		fact(memory.ReadingChange{Indexed: true})
		want(acl.Restricted, 1, 0, false)
		finish(top)
		fact(memory.ReadingChange{Indexed: true})
		want(0, 0, 0, false)

		later := edited(low)
		later.UpdatedAt = after(time.Hour)
		f.put(later)
		fact(memory.ReadingChange{Indexed: true})
		want(0, 0, 0, false) // the entry that waits was written after the change
		f.drain()
		for _, e := range []memory.Entry{later, high, top} {
			f.save(e, "model", 1)
		}
		fact(memory.ReadingChange{Asked: true, QueuedAt: after(2 * time.Hour), Lacking: "model"})
		want(0, 0, 0, false) // all entries have vectors of the model
		fact(memory.ReadingChange{Language: new(choice.LanguageMultilingual), QueuedAt: after(2 * time.Hour)})
		want(acl.Public, 3, 1, false)
		fact(memory.ReadingChange{Language: new(choice.LanguageEnglish), QueuedAt: after(3 * time.Hour)})
		f.viewIndex(func(tx indexer.ReadTx) error {
			stores, err := tx.StoreFacts(f.ctx, []string{"a"})
			f.equal(choice.Of(stores["a"].Detail).Whole(), true)
			return err
		})
	}},

	{"foreign entries are those with vectors of one model and not of the other, by label", func(f *fixture) {
		foreign, both, english := entry("a", "foreign"), entry("a", "both"), entry("a", "english")
		hidden, stale, other := entry("a", "hidden", labelled(acl.Restricted)), entry("a", "stale"), entry("b", "k")
		f.put(foreign, both, english, hidden, stale, other, entry("a", "out", outOfContext))
		for _, e := range []memory.Entry{foreign, both, hidden, stale, other} {
			f.save(e, "multilingual", 2)
		}
		f.save(both, "english", 1)
		f.save(english, "english", 1)
		f.put(edited(stale))
		at := func(label acl.Label) indexer.ForeignAt {
			return indexer.ForeignAt{Store: "a", Label: label, Main: "english", Multilingual: "multilingual"}
		}
		errUndo := errors.New("undo")
		f.wantError(f.storage.ForIndexer().Update(f.ctx, func(tx indexer.Tx) error {
			_, err := tx.SaveVectors(f.ctx, english.ID, english.Revision, "english", nil)
			f.ok(err)
			_, err = tx.SaveVectors(f.ctx, english.ID, english.Revision, "multilingual", records(english, 1))
			f.ok(err)
			n, err := tx.CountForeign(f.ctx, at(acl.Public))
			f.equal(n, int64(2)) // the transaction's own writes count
			f.ok(err)
			return errUndo
		}), errUndo)
		f.viewIndex(func(tx indexer.ReadTx) error {
			for label, want := range map[acl.Label]int64{acl.Public: 1, acl.Internal: 0, acl.Restricted: 1} {
				n, err := tx.CountForeign(f.ctx, at(label))
				f.equal(n, want)
				f.ok(err)
			}
			return nil
		})
	}},

	{"stores are counted for each model that reads them", func(f *fixture) {
		want := make(map[string]int64)
		n := 0
		for _, language := range []choice.Language{choice.LanguageAuto, choice.LanguageEnglish, choice.LanguageMultilingual} {
			for _, asked := range []bool{false, true} {
				for _, multilingual := range []acl.Label{0, acl.Restricted} {
					store := fmt.Sprint("store-", n)
					n++
					f.put(entry(store, "k"))
					f.update(func(tx memory.Tx) error {
						return errors.Join(
							tx.PutReading(f.ctx, memory.ReadingChange{Store: store, Language: &language}),
							tx.PutReading(f.ctx, memory.ReadingChange{Store: store, Asked: asked, Multilingual: multilingual}))
					})
					for _, model := range (choice.Reading{Language: language, Asked: asked, Multilingual: multilingual}).Models() {
						want[model]++
					}
				}
			}
		}
		f.put(entry("plain", "k"))
		want["english"]++
		f.update(func(tx memory.Tx) error { // of a store without entries
			return tx.PutReading(f.ctx, memory.ReadingChange{Store: "empty", Asked: true})
		})
		f.view(func(tx memory.ReadTx) error {
			english, err := tx.CountStoresRead(f.ctx, choice.LanguageEnglish)
			f.ok(err)
			multilingual, err := tx.CountStoresRead(f.ctx, choice.LanguageMultilingual)
			f.equal(map[string]int64{"english": english, "multilingual": multilingual}, want)
			return err
		})
	}},

	{"a fact queues the searchable entries of its store", func(f *fixture) {
		short, long, other := entry("a", "short"), entry("a", "long", sized(12)), entry("b", "k")
		hidden, deleted := entry("a", "hidden", outOfContext), entry("a", "deleted")
		f.put(short, long, other, hidden, deleted)
		f.delete(deleted, start)
		f.drain()
		f.equal(f.depth(start), int64(0))
		f.update(func(tx memory.Tx) error {
			return tx.PutReading(f.ctx, memory.ReadingChange{Store: "a", Asked: true, QueuedAt: after(time.Second)})
		})
		for kind, want := range map[indexer.Work]memory.Entry{indexer.Short: short, indexer.Long: long} {
			leases, _ := f.turn(after(2*time.Second), indexer.Turn{Work: kind, Rows: 10, Chunks: 100})
			f.equal(len(leases), 1)
			f.equal(leases[0].Entry, want.ID)
		}
		f.equal(f.depth(after(time.Second)), int64(2))
		f.drain()
		f.save(short, "model", 1)
		f.update(func(tx memory.Tx) error {
			return tx.PutReading(f.ctx, memory.ReadingChange{Store: "a", QueuedAt: after(time.Second), Lacking: "model"})
		})
		leases := f.lease(after(2*time.Second), 10)
		f.equal(len(leases), 1)
		f.equal(leases[0].Entry, long.ID)
		f.put(edited(short)) // its new revision has no vectors
		f.equal(len(f.lease(after(2*time.Second), 10)), 1)
		f.update(func(tx memory.Tx) error {
			return tx.PutReading(f.ctx, memory.ReadingChange{Store: "a", QueuedAt: after(time.Second), Lacking: "model"})
		})
		f.equal(len(f.lease(after(2*time.Second), 10)), 2)
	}},

	{"a fact leaves a large store to be queued in steps, and the next one what is left of it", func(f *fixture) {
		entries := []memory.Entry{entry("a", "hidden", outOfContext)}
		for i := range 1000 {
			entries = append(entries, entry("a", fmt.Sprint(i)))
		}
		other, ids := entry("b", "k"), sorted(idsOf(entries...))
		f.put(entries...)
		f.put(other)
		f.drain()
		fact := func(fact memory.ReadingChange) {
			f.Helper()
			fact.Store = "a"
			f.update(func(tx memory.Tx) error { return tx.PutReading(f.ctx, fact) })
		}
		want := func(left []indexer.Unqueued, queued int64) {
			f.Helper()
			var got indexer.Reread
			f.viewIndex(func(tx indexer.ReadTx) (err error) {
				got, err = tx.Reread(f.ctx)
				return err
			})
			f.equal(got.Unqueued, left)
			f.equal(f.depth(start), queued)
		}
		queue := func(of indexer.Unqueued, ids ...uuid.UUID) (queued bool) {
			f.Helper()
			f.updateIndex(func(tx indexer.Tx) (err error) {
				queued, err = tx.QueueRest(f.ctx, of, ids)
				return err
			})
			return queued
		}
		want(nil, 0)
		f.save(entries[1], "model", 1)
		fact(memory.ReadingChange{Asked: true, QueuedAt: start, Lacking: "model"})
		left := indexer.Unqueued{Store: "a", QueuedAt: start, Lacking: "model"}
		want([]indexer.Unqueued{left}, 0)
		f.equal(queue(left, entries[0].ID, entries[1].ID, entries[2].ID, other.ID, uuid.New(), ids[9]), true)
		stale := left
		left.After = ids[9]
		want([]indexer.Unqueued{left}, 2)
		f.equal(queue(stale, ids[20]), false)
		want([]indexer.Unqueued{left}, 2)

		fact(memory.ReadingChange{Language: new(choice.LanguageMultilingual), QueuedAt: after(time.Second)})
		f.equal(queue(left, ids[20]), false)
		fact(memory.ReadingChange{QueuedAt: after(time.Second), Lacking: "model"}) // the choice before it still queues all, also those with vectors
		left = indexer.Unqueued{Store: "a", QueuedAt: after(time.Second)}
		want([]indexer.Unqueued{left}, 2)
		f.equal(queue(left, entries[1].ID), true)
		left.After = entries[1].ID
		want([]indexer.Unqueued{left}, 3)
		f.equal(queue(left), true)
		want(nil, 3)
		f.equal(queue(left, ids[20]), false)

		fact(memory.ReadingChange{QueuedAt: after(time.Second)})
		f.delete(entries[0], start)
		f.drain()
		fact(memory.ReadingChange{QueuedAt: after(time.Second), Lacking: "model"}) // the store is no longer large
		want(nil, 1000)
	}},

	{"what a fact queues again at the same revision is due, whatever becomes of the lease before", func(f *fixture) {
		for i := range 3 {
			f.put(entry("a", fmt.Sprint(i)))
		}
		later := after(time.Hour)
		for name, end := range map[string]func(tx indexer.Tx, old []indexer.Lease) error{
			"renewed":  func(tx indexer.Tx, old []indexer.Lease) error { return tx.Renew(f.ctx, old, later) },
			"done":     func(tx indexer.Tx, old []indexer.Lease) error { return tx.Finish(f.ctx, old[0], nil) },
			"all done": func(tx indexer.Tx, old []indexer.Lease) error { return finishAll(f, tx, old, nil) },
			"failed": func(tx indexer.Tx, old []indexer.Lease) error {
				return finishAll(f, tx, old, &indexer.Failure{Until: later, Reason: "timeout"})
			},
		} {
			old := f.lease(start, 10)
			f.equal(len(old), 3)
			f.update(func(tx memory.Tx) error {
				return tx.PutReading(f.ctx, memory.ReadingChange{Store: "a", Language: new(choice.LanguageMultilingual), QueuedAt: start})
			})
			f.updateIndex(func(tx indexer.Tx) error { return end(tx, old) })
			if again := f.lease(start, 10); len(again) != 3 || again[0].Attempts != 0 {
				f.Fatalf("%s: %v are due", name, again)
			}
			f.updateIndex(func(tx indexer.Tx) error { return tx.Renew(f.ctx, old, start) })
		}
	}},
}

func finishAll(f *fixture, tx indexer.Tx, leases []indexer.Lease, failure *indexer.Failure) error {
	for _, lease := range leases {
		if err := tx.Finish(f.ctx, lease, failure); err != nil {
			return err
		}
	}
	return nil
}
