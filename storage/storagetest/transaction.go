package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"mneme/acl"
	"mneme/indexer"
	"mneme/memory"
)

var transactions = []clause{
	{"an acknowledged write is visible immediately", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		f.equal(f.get(e.ID), []memory.Entry{e})
	}},

	{"a view reads one snapshot despite concurrent writes", func(f *fixture) {
		e := entry("a", "k", says("first"))
		f.put(e)
		scope := f.scope(reach{"a", acl.Public})
		f.view(func(tx memory.ReadTx) error {
			if _, err := tx.Get(f.ctx, idsOf(e)); err != nil {
				return err
			}
			f.put(edited(e, says("second")), entry("a", "other", says("first")))
			got, err := tx.Get(f.ctx, idsOf(e))
			if err != nil {
				return err
			}
			f.equal(got, []memory.Entry{e})
			hits, _, err := tx.Lexical(f.ctx, scope, memory.LexicalQuery{Terms: terms("first second"), Limit: 10, Now: start})
			if err != nil {
				return err
			}
			f.equal(entriesOf(hits), idsOf(e))
			usage, err := tx.Usage(f.ctx, "a", "a", acl.Public, start)
			f.equal(usage, memory.Usage{Entries: 1, Bytes: int64(len(e.Value))})
			return err
		})
		f.equal(len(f.search(scope, "first second", 10)), 2)
	}},

	{"an update sees its own writes", func(f *fixture) {
		e := entry("a", "k", says("needle"))
		f.put(entry("a", "before", says("needle")))
		scope := f.scope(reach{"a", acl.Public})
		f.update(func(tx memory.Tx) error {
			count := func(want int) {
				f.Helper()
				hits, _, err := tx.Lexical(f.ctx, scope, memory.LexicalQuery{Terms: terms("needle"), Limit: 10, Now: start})
				f.ok(err)
				f.equal(len(hits), want)
				usage, err := tx.Usage(f.ctx, "a", "a", acl.Public, start)
				f.ok(err)
				f.equal(usage.Entries, want)
			}
			f.ok(put(f.ctx, tx, e))
			count(2)
			f.ok(put(f.ctx, tx, entry("a", "k2", says("needle")), entry("a", "k3", says("needle"))))
			count(4)
			f.ok(put(f.ctx, tx, changed(e, deletedAt(start))))
			count(3)
			return nil
		})
	}},

	{"an update whose function fails writes nothing and returns its error", func(f *fixture) {
		errStop := errors.New("stop")
		kept, lost := entry("a", "kept", says("kept")), entry("b", "lost", says("lost"))
		f.put(kept)
		err := f.storage.Update(f.ctx, func(tx memory.Tx) error {
			f.ok(writeEverything(f.ctx, tx, kept, lost))
			return errStop
		})
		f.wantError(err, errStop)
		f.nothingWritten(kept, lost)
	}},

	{"an update whose function panics writes nothing, and the storage remains usable", func(f *fixture) {
		kept, lost := entry("a", "kept", says("kept")), entry("b", "lost", says("lost"))
		f.put(kept)
		func() {
			defer func() {
				if recover() == nil {
					f.Error("Update recovered the panic")
				}
			}()
			_ = f.storage.Update(f.ctx, func(tx memory.Tx) error {
				f.ok(writeEverything(f.ctx, tx, kept, lost))
				panic("stop")
			})
		}()
		f.nothingWritten(kept, lost)
		f.put(entry("a", "after"))
	}},

	{"a cancelled context ends an update without effect", func(f *fixture) {
		ctx, cancel := context.WithCancel(f.ctx)
		e := entry("a", "k")
		err := f.storage.Update(ctx, func(tx memory.Tx) error {
			f.ok(put(ctx, tx, e))
			cancel()
			return put(ctx, tx, entry("a", "k2"))
		})
		f.wantError(err, context.Canceled)
		f.equal(len(f.get(e.ID)), 0)
	}},

	{"concurrent updates lose nothing", func(f *fixture) {
		const writers, each = 8, 12
		counter := entry("a", "counter", says("count"))
		f.put(counter)
		var group sync.WaitGroup
		errs := make(chan error, writers)
		for w := range writers {
			group.Go(func() {
				for i := range each {
					err := f.storage.Update(f.ctx, func(tx memory.Tx) error {
						rows, err := tx.Get(f.ctx, idsOf(counter))
						if err != nil {
							return err
						}
						return put(f.ctx, tx, edited(rows[0]), entry("a", fmt.Sprintf("w%d/%d", w, i), says("shared words")))
					})
					if err != nil {
						errs <- err
						return
					}
				}
			})
		}
		group.Wait()
		close(errs)
		f.ok(<-errs)
		f.equal(f.get(counter.ID)[0].Version, 1+writers*each)
		f.equal(len(f.search(f.scope(reach{"a", acl.Public}), "shared", 1)), writers*each)
		f.view(func(tx memory.ReadTx) error {
			usage, err := tx.Usage(f.ctx, "a", "a", acl.Public, start)
			f.equal(usage.Entries, 1+writers*each)
			return err
		})
	}},

	{"a writer does not block readers", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		f.update(func(tx memory.Tx) error {
			f.ok(put(f.ctx, tx, edited(e, says("not yet"))))
			f.equal(f.get(e.ID), []memory.Entry{e})
			return nil
		})
	}},

	{"a closed storage is unavailable, and may be closed again", func(f *fixture) {
		f.ok(f.storage.Close())
		f.ok(f.storage.Close())
		f.wantError(f.storage.View(f.ctx, func(memory.ReadTx) error { return nil }), memory.ErrUnavailable)
		f.wantError(f.storage.Update(f.ctx, func(memory.Tx) error { return nil }), memory.ErrUnavailable)
		index := f.storage.ForIndexer()
		f.wantError(index.View(f.ctx, func(indexer.ReadTx) error { return nil }), memory.ErrUnavailable)
		f.wantError(index.Update(f.ctx, func(indexer.Tx) error { return nil }), memory.ErrUnavailable)
	}},
}

// writeEverything calls every method that writes.
func writeEverything(ctx context.Context, tx memory.Tx, kept, lost memory.Entry) error {
	steps := []func() error{
		func() error { return put(ctx, tx, edited(kept, says("changed")), lost) },
		func() error {
			_, err := tx.(indexer.Tx).SaveVectors(ctx, lost.ID, 1, "model", records(lost, 1))
			return err
		},
		func() error {
			return tx.PutGrant(ctx, acl.Grant{Store: "b", Grantee: "g", Level: acl.Read, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: "b", CreatedAt: start})
		},
		func() error {
			return tx.PutMembership(ctx, acl.ViaChat, "chat", "g", acl.Membership{Present: true})
		},
		func() error {
			return tx.PutMembership(ctx, acl.ViaUser, "user", "g", acl.Membership{Present: true})
		},
		func() error { return tx.PutSettings(ctx, "g", acl.Settings{}) },
		func() error { return tx.ClaimName(ctx, "chat", memory.KindChat) },
		func() error { return tx.SetMeta(ctx, "name", []byte("value")) },
		func() error {
			return tx.PutOutcome(ctx, idempotencyKey, memory.IdempotencyRecord{ExpiresAt: start})
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// nothingWritten checks that writeEverything had no effect.
func (f *fixture) nothingWritten(kept, lost memory.Entry) {
	f.Helper()
	f.equal(f.get(kept.ID, lost.ID), []memory.Entry{kept})
	scope := f.scope(reach{"a", acl.Public}, reach{"b", acl.Public})
	f.equal(entriesOf(f.search(scope, "kept lost changed", 10)), idsOf(kept))
	f.equal(f.depth(start), 1)
	f.equal(f.lastChange(), 0)
	f.view(func(tx memory.ReadTx) error {
		usage, err := tx.Usage(f.ctx, "b", "b", acl.Public, start)
		f.ok(err)
		f.equal(usage, memory.Usage{})
		history, err := tx.History(f.ctx, memory.HistoryQuery{Entry: kept.ID, Before: 0, Limit: 10})
		f.ok(err)
		f.equal(len(history), 1)
		grants, err := tx.Grants(f.ctx, acl.GrantQuery{Store: "b"})
		f.ok(err)
		f.equal(len(grants), 0)
		numbers, err := numbersOf(f.ctx, tx, "b")
		f.ok(err)
		f.equal(len(numbers), 0)
		participant, err := tx.Membership(f.ctx, acl.ViaChat, "chat", "g")
		f.ok(err)
		session, err := tx.Membership(f.ctx, acl.ViaUser, "user", "g")
		f.ok(err)
		f.equal(participant.Present || session.Present, false)
		settings, err := tx.Settings(f.ctx, "g")
		f.ok(err)
		f.equal(settings, acl.DefaultSettings())
		kind, err := tx.KindOf(f.ctx, "chat")
		f.ok(err)
		f.equal(kind, memory.KindUnknown)
		meta, err := tx.Meta(f.ctx, "name")
		f.ok(err)
		f.equal(meta == nil, true)
		record, err := tx.IdempotencyRecord(f.ctx, idempotencyKey)
		f.equal(record == nil, true)
		return err
	})
}
