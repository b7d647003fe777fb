package storagetest

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/memory"
)

var expiries = []clause{
	{"Due lists entries that have expired and are not swept, including deleted ones, oldest first", func(f *fixture) {
		first, second := entry("a", "1", expiring(after(-2*time.Hour))), entry("a", "2", expiring(after(-time.Hour)), outOfContext)
		third := entry("a", "3", expiring(start))
		f.put(third, second, first, entry("a", "4", expiring(after(time.Microsecond))), entry("a", "5"))
		f.delete(second, after(-3*time.Hour))
		due := func(want []uuid.UUID, limit int) {
			f.Helper()
			f.update(func(tx memory.Tx) error {
				got, err := expiringIn(tx.Due(f.ctx, start, limit))
				f.equal(got, want)
				return err
			})
		}
		due(idsOf(first, second, third), 10)
		due(idsOf(first, second), 2)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(first, second), start) })
		due(idsOf(third), 10)
	}},

	{"Sweep hides expired entries for good and releases their paths", func(f *fixture) {
		e := entry("a", "k", expiring(start), says("needle"), tagged("t"))
		f.put(e)
		f.updateIndex(func(tx indexer.Tx) error {
			_, err := tx.SaveVectors(f.ctx, e.ID, 1, "model", records(e, 2))
			return err
		})
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(e), start) })
		f.assertInvisible(e)
		f.wantError(f.tryPut(edited(e)), memory.ErrStale)
		f.put(entry("a", "k"))
	}},

	{"Sweep ignores entries that have not expired, do not exist or are swept", func(f *fixture) {
		e, none := entry("a", "k", expiring(after(time.Microsecond)), says("needle")), entry("a", "k2")
		f.put(e)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(e, none), start) })
		f.equal(f.get(e.ID), []memory.Entry{e})
		f.update(func(tx memory.Tx) error {
			f.ok(tx.Sweep(f.ctx, idsOf(e, e), after(time.Hour)))
			return tx.Sweep(f.ctx, idsOf(e), after(time.Hour))
		})
		f.assertInvisible(e)
	}},

	{"a swept entry is queued, so that an index outside the database removes it", func(f *fixture) {
		e := entry("a", "k", expiring(start))
		f.put(e)
		f.drain()
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(e), start) })
		f.equal(f.pending(e.ID), true)
	}},

	{"Trim removes exactly the expired grants, memberships and idempotency records", func(f *fixture) {
		for i, at := range []time.Time{start, after(time.Microsecond), {}} {
			agent := fmt.Sprint("agent", i)
			f.update(func(tx memory.Tx) error {
				f.ok(tx.PutGrant(f.ctx, acl.Grant{Store: "a", Grantee: agent, Level: acl.Read, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: "a", ExpiresAt: at, CreatedAt: start}))
				f.ok(tx.PutMembership(f.ctx, acl.ViaChat, "chat", agent, acl.Membership{Present: true, ExpiresAt: at}))
				return tx.PutMembership(f.ctx, acl.ViaUser, "user", agent, acl.Membership{Present: true, ExpiresAt: at})
			})
		}
		later := idempotencyKey
		later.Key = "later"
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PutOutcome(f.ctx, idempotencyKey, memory.IdempotencyRecord{ExpiresAt: start}))
			f.ok(tx.PutOutcome(f.ctx, later, memory.IdempotencyRecord{ExpiresAt: after(1000)}))
			return sweepFacts(f.ctx, tx, start)
		})
		f.view(func(tx memory.ReadTx) error {
			for i, want := range []bool{false, true, true} {
				agent := fmt.Sprint("agent", i)
				grant, err := acl.GrantOf(f.ctx, tx, "a", agent, acl.Restricted)
				f.ok(err)
				f.equal(grant.Level != acl.None, want)
				participant, err := tx.Membership(f.ctx, acl.ViaChat, "chat", agent)
				f.ok(err)
				f.equal(participant.Present, want)
				session, err := tx.Membership(f.ctx, acl.ViaUser, "user", agent)
				f.ok(err)
				f.equal(session.Present, want)
			}
			removed, err := tx.IdempotencyRecord(f.ctx, idempotencyKey)
			f.ok(err)
			remaining, err := tx.IdempotencyRecord(f.ctx, later)
			f.equal([]bool{removed == nil, remaining == nil}, []bool{true, false})
			return err
		})
	}},

	{"Trim removes as many expired facts as its limit allows at a time, the first to expire first", func(f *fixture) {
		key := func(i int) memory.IdempotencyKey {
			key := idempotencyKey
			key.Key = fmt.Sprint(i)
			return key
		}
		f.update(func(tx memory.Tx) error {
			for i := range 5 {
				at, agent := after(time.Duration(-i)*time.Hour), fmt.Sprint("agent", i)
				f.ok(tx.PutGrant(f.ctx, acl.Grant{Store: "a", Grantee: agent, Level: acl.Read, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: "a", ExpiresAt: at, CreatedAt: start}))
				f.ok(tx.PutMembership(f.ctx, acl.ViaChat, "chat", agent, acl.Membership{Present: true, ExpiresAt: at}))
				f.ok(tx.PutMembership(f.ctx, acl.ViaUser, "user", agent, acl.Membership{Present: true, ExpiresAt: at}))
				f.ok(tx.PutOutcome(f.ctx, key(i), memory.IdempotencyRecord{ExpiresAt: at}))
			}
			return nil
		})
		for _, left := range []int{3, 1, 0} {
			f.update(func(tx memory.Tx) error {
				more, err := tx.TrimFacts(f.ctx, start, 2)
				f.equal(more, left > 0)
				return err
			})
			f.view(func(tx memory.ReadTx) error {
				for i := range 5 {
					agent := fmt.Sprint("agent", i)
					grant, err := acl.GrantOf(f.ctx, tx, "a", agent, acl.Restricted)
					f.ok(err)
					participant, err := tx.Membership(f.ctx, acl.ViaChat, "chat", agent)
					f.ok(err)
					session, err := tx.Membership(f.ctx, acl.ViaUser, "user", agent)
					f.ok(err)
					outcome, err := tx.IdempotencyRecord(f.ctx, key(i))
					f.ok(err)
					there := i < left
					f.equal([]bool{grant.Level != acl.None, participant.Present, session.Present, outcome != nil}, []bool{there, there, there, there})
				}
				n, err := tx.CountGrants(f.ctx, "a", acl.Public)
				f.equal(n, int64(left))
				return err
			})
		}
	}},

	{"Trim removes the expired grants of a store, and the outcome of a key if it has expired", func(f *fixture) {
		other := idempotencyKey
		other.Key = "other"
		f.update(func(tx memory.Tx) error {
			for _, store := range []string{"a", "b"} {
				for i, at := range []time.Time{start, after(time.Microsecond), {}} {
					f.ok(tx.PutGrant(f.ctx, acl.Grant{Store: store, Grantee: fmt.Sprint("agent", i), Level: acl.Read, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: store, ExpiresAt: at, CreatedAt: start}))
				}
			}
			f.ok(tx.PutOutcome(f.ctx, idempotencyKey, memory.IdempotencyRecord{ExpiresAt: start}))
			return tx.PutOutcome(f.ctx, other, memory.IdempotencyRecord{ExpiresAt: start})
		})
		for _, now := range []time.Time{after(-time.Microsecond), start} {
			f.update(func(tx memory.Tx) error {
				f.ok(tx.TrimGrants(f.ctx, "a", now))
				return tx.TrimOutcome(f.ctx, idempotencyKey, now)
			})
			f.view(func(tx memory.ReadTx) error {
				var counts []int64
				for _, store := range []string{"a", "b"} {
					n, err := tx.CountGrants(f.ctx, store, acl.Public)
					f.ok(err)
					counts = append(counts, n)
				}
				grant, err := acl.GrantOf(f.ctx, tx, "a", "agent0", acl.Restricted)
				f.ok(err)
				one, err := tx.IdempotencyRecord(f.ctx, idempotencyKey)
				f.ok(err)
				two, err := tx.IdempotencyRecord(f.ctx, other)
				there := now.Before(start)
				f.equal([]bool{grant.Level != acl.None, one != nil, two != nil}, []bool{there, there, true})
				if there {
					f.equal(counts, []int64{3, 3})
				} else {
					f.equal(counts, []int64{2, 3})
				}
				return err
			})
		}
	}},
}

// assertInvisible checks that no read returns an entry of store a whose text contained needle.
func (f *fixture) assertInvisible(e memory.Entry) {
	f.Helper()
	scope := f.scope(reach{"a", acl.Restricted})
	f.equal(len(f.get(e.ID)), 0)
	f.equal(len(f.search(scope, "needle", 10)), 0)
	f.equal(len(f.scan(memory.ScanQuery{Store: "a", Ceiling: acl.Restricted, Limit: 10})), 0)
	f.equal(len(f.trash(memory.TrashQuery{Store: "a", Label: e.Label, Limit: 10})), 0)
	f.match(scope, memory.Filter{})
	f.match(scope, memory.Filter{Tags: []string{"t"}})
	f.view(func(tx memory.ReadTx) error {
		at, err := tx.At(f.ctx, e.Path.At(acl.Restricted))
		f.ok(err)
		history, err := tx.History(f.ctx, memory.HistoryQuery{Entry: e.ID, Before: 0, Limit: 10})
		f.ok(err)
		siblings, err := tx.Siblings(f.ctx, scope, idsOf(e))
		f.ok(err)
		f.equal(len(at)+len(history)+len(siblings), 0)
		return tx.Dump(f.ctx, func(r memory.DumpRecord) error {
			if r.Entry != nil || r.Version != nil {
				f.Error("the dump contains the entry")
			}
			return nil
		})
	})
	f.equal(len(f.vectors("model", e.ID)), 0)
	f.viewIndex(func(tx indexer.ReadTx) error {
		unembedded, err := tx.Unembedded(f.ctx, indexer.Unembedded{Fingerprint: "model", Now: start}, uuid.Nil, 10)
		f.equal(len(unembedded), 0)
		return err
	})
}

var purges = []clause{
	{"Purge erases entries that were deleted or expired before the cutoff, and returns their IDs", func(f *fixture) {
		deletedBefore, deletedAfter := entry("a", "1"), entry("a", "2")
		expired, swept, later := entry("a", "3", expiring(after(-1000))), entry("a", "4", expiring(after(-2000))), entry("a", "5", expiring(start))
		alive := entry("a", "6")
		both := entry("a", "7", expiring(after(time.Hour)))
		f.put(deletedBefore, deletedAfter, expired, swept, later, alive, both)
		f.delete(deletedBefore, after(-1000))
		f.delete(deletedAfter, start)
		f.delete(both, after(-1000))
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(swept), after(-1000)) })
		f.equal(f.countErasable(start), int64(4))
		f.equal(sorted(f.purge(start, 100)), sorted(idsOf(deletedBefore, expired, swept, both)))
		f.equal(f.countErasable(start), int64(0))
		f.equal(len(f.purge(start, 100)), 0)
		f.equal(len(f.get(idsOf(deletedBefore, deletedAfter, expired, swept, later, alive, both)...)), 3)
	}},

	{"Purge erases at most limit entries at a time", func(f *fixture) {
		seen := make(map[uuid.UUID]bool)
		for i := range 7 {
			e := entry("a", fmt.Sprint(i), expiring(after(time.Duration(i-3)*time.Hour)))
			f.put(e)
			if i%2 == 0 {
				f.delete(e, after(-time.Hour))
			}
		}
		for _, want := range []int{3, 2, 0} {
			ids := f.purge(start, 3)
			f.equal(len(ids), want)
			for _, id := range ids {
				f.equal(seen[id], false)
				seen[id] = true
			}
		}
	}},

	{"Scrub says when no file held what was purged, or that this is not known", func(f *fixture) {
		left, err := f.storage.Unscrubbed(f.ctx)
		f.wantError(err, nil)
		f.equal(left, memory.Unscrubbed{})
		at, err := f.storage.Scrub(f.ctx, stopped(start))
		f.wantError(err, nil)
		f.equal(at.IsZero() || at.Equal(start), true)
		e := entry("a", "1", expiring(after(-1000)))
		f.put(e)
		f.equal(len(f.purge(start, 100)), 1)
		left, err = f.storage.Unscrubbed(f.ctx)
		f.wantError(err, nil)
		f.equal(left, memory.Unscrubbed{Pending: left.Pending, Urgent: left.Pending})
		at, err = f.storage.Scrub(f.ctx, stopped(after(time.Hour)))
		f.wantError(err, nil)
		f.equal(at.IsZero(), !left.Pending)
		if left.Pending {
			f.equal(at, after(time.Hour))
		}
		left, err = f.storage.Unscrubbed(f.ctx)
		f.wantError(err, nil)
		f.equal(left, memory.Unscrubbed{Last: at})
	}},

	{"Purge leaves no row behind in any table", func(f *fixture) {
		counter, ok := f.storage.(RowCounter)
		if !ok {
			f.Skip("the storage is no RowCounter")
		}
		kept := entry("a", "kept", says("needle in hay"), tagged("t"))
		f.put(kept)
		f.updateIndex(func(tx indexer.Tx) error {
			_, err := tx.SaveVectors(f.ctx, kept.ID, 1, "model", records(kept, 1))
			return err
		})
		before, err := counter.Rows(f.ctx)
		f.ok(err)
		var purged []memory.Entry
		for i, change := range []func(*memory.Entry){says("needle"), expiring(after(-time.Hour)), expiring(after(-time.Hour)), outOfContext, encrypted} {
			e := entry("a", fmt.Sprint(i), says("needle and thread"), tagged("t", "u"), typed("user"), change)
			purged = append(purged, e)
			f.put(e)
			f.put(edited(e, says("another needle")))
			f.updateIndex(func(tx indexer.Tx) error {
				_, err := tx.SaveVectors(f.ctx, e.ID, 2, "model", records(e, 3))
				return err
			})
			f.update(func(tx memory.Tx) error {
				key := idempotencyKey
				key.Key = fmt.Sprint(i)
				return tx.PutOutcome(f.ctx, key, memory.IdempotencyRecord{IDs: []uuid.UUID{kept.ID, e.ID}, ExpiresAt: after(time.Hour)})
			})
		}
		for _, i := range []int{0, 3, 4} {
			f.delete(edited(purged[i]), after(-time.Hour))
		}
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(purged[1]), start) })
		f.equal(sorted(f.purge(start, 100)), sorted(idsOf(purged...)))
		rows, err := counter.Rows(f.ctx)
		f.ok(err)
		f.equal(rows, before)
		f.equal(entriesOf(f.search(f.scope(reach{"a", acl.Public}), "needle", 10)), idsOf(kept))
	}},

	{"Purge removes exactly the idempotency records that name a purged entry", func(f *fixture) {
		purged, kept := entry("a", "1"), entry("a", "2")
		f.put(purged, kept)
		f.delete(purged, after(-1000))
		other := idempotencyKey
		other.Key = "other"
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PutOutcome(f.ctx, idempotencyKey, memory.IdempotencyRecord{IDs: idsOf(kept, purged), ExpiresAt: after(1000)}))
			return tx.PutOutcome(f.ctx, other, memory.IdempotencyRecord{IDs: idsOf(kept), ExpiresAt: after(1000)})
		})
		f.purge(start, 10)
		f.view(func(tx memory.ReadTx) error {
			removed, err := tx.IdempotencyRecord(f.ctx, idempotencyKey)
			f.ok(err)
			remaining, err := tx.IdempotencyRecord(f.ctx, other)
			f.equal([]bool{removed == nil, remaining == nil}, []bool{true, false})
			return err
		})
	}},

	{"Purge of an entry that was never swept records a change of its vectors", func(f *fixture) {
		e := entry("a", "k", expiring(after(-1000)))
		f.put(e)
		var before int64
		f.updateIndex(func(tx indexer.Tx) (err error) {
			_, err = tx.SaveVectors(f.ctx, e.ID, 1, "model", records(e, 1))
			f.ok(err)
			changes, err := tx.VectorChanges(f.ctx, 0, 0)
			before = changes.Last
			return err
		})
		f.purge(start, 10)
		f.viewIndex(func(tx indexer.ReadTx) error {
			changes, reset, err := tx.Changes(f.ctx, before, 10)
			f.equal([]any{len(changes), reset}, []any{1, false})
			f.equal(changes[0].Entry, e.ID)
			return err
		})
	}},
}

// countErasable counts the entries that a purge would erase.
func (f *fixture) countErasable(cutoff time.Time) (n int64) {
	f.Helper()
	f.update(func(tx memory.Tx) (err error) {
		n, err = tx.CountErasable(f.ctx, cutoff)
		return err
	})
	return n
}

func (f *fixture) purge(cutoff time.Time, limit int) (ids []uuid.UUID) {
	f.Helper()
	f.update(func(tx memory.Tx) (err error) {
		ids, err = tx.Purge(f.ctx, cutoff, limit)
		return err
	})
	return ids
}
