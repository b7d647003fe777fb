package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage"
)

// dump collects a storage's dump.
func (f *fixture) dump(storage memory.Storage) (records []memory.DumpRecord) {
	f.Helper()
	f.ok(storage.View(f.ctx, func(tx memory.ReadTx) error {
		records = nil
		return tx.Dump(f.ctx, func(r memory.DumpRecord) error {
			records = append(records, r)
			return nil
		})
	}))
	return records
}

func (f *fixture) load(storage memory.Storage, records ...memory.DumpRecord) error {
	return storage.Update(f.ctx, func(tx memory.Tx) error {
		for _, r := range records {
			var doc lexical.Document
			if r.Entry != nil {
				doc = words(*r.Entry)
			}
			if err := tx.Load(f.ctx, r, doc); err != nil {
				return err
			}
		}
		return nil
	})
}

// seed fills a storage with at least one of each kind of dump record, and returns a live, a
// deleted and an expired entry.
func (f *fixture) seed() (live, gone, old memory.Entry) {
	live, gone, old = entry("a", "live", says("needle one"), tagged("t")), entry("a", "gone", says("needle two")), entry("b", "old", says("needle three"), expiring(start))
	f.put(live, gone, old, entry("a", "high", labelled(acl.Restricted)), entry("a", "hidden", outOfContext), entry("c", "sealed", encrypted))
	for i := range 2 {
		live = edited(live, says("needle four"), describedBy(fmt.Sprint("a", i), "a"), occurring(fmt.Sprint("2023-05-0", 1+i)))
		f.put(live)
	}
	gone = f.delete(gone, start)
	f.update(func(tx memory.Tx) error {
		return errors.Join(
			tx.PutGrant(f.ctx, acl.Grant{Store: "a", Grantee: "b", Level: acl.Read, MaxLabel: acl.Internal, Label: acl.Public, Accepted: acl.Public, ExpiresAt: after(time.Hour), Maker: "a", CreatedAt: start}),
			tx.PutMembership(f.ctx, acl.ViaChat, "chat", "a", acl.Membership{Present: true, ExpiresAt: after(time.Hour)}),
			tx.PutMembership(f.ctx, acl.ViaUser, "user", "a", acl.Membership{Present: true}),
			tx.PutSettings(f.ctx, "a", acl.Settings{Self: true, DefaultTTL: time.Hour}),
			tx.ClaimName(f.ctx, "chat", memory.KindChat),
			tx.PutReading(f.ctx, memory.ReadingChange{Store: "a", Asked: true, Multilingual: acl.Internal}),
			tx.PutReading(f.ctx, memory.ReadingChange{Store: "b", Language: new(choice.LanguageEnglish)}),
			tx.PutReading(f.ctx, memory.ReadingChange{Store: "c", Multilingual: acl.Public}),
			tx.PutReading(f.ctx, memory.ReadingChange{Store: "d", Multilingual: acl.Public, Mixed: acl.Confidential}))
	})
	return live, gone, old
}

var dumps = []clause{
	{"a swept entry is not dumped", func(f *fixture) {
		_, _, old := f.seed()
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(old), start) })
		for _, r := range f.dump(f.storage) {
			if r.Entry != nil && r.Entry.ID == old.ID {
				f.Error("the swept entry was dumped")
			}
		}
	}},

	{"each record has one field, and an entry precedes its versions", func(f *fixture) {
		live, _, _ := f.seed()
		versions, seen := 0, make(map[uuid.UUID]bool)
		for _, r := range f.dump(f.storage) {
			n := 0
			for _, set := range []bool{r.Entry != nil, r.Version != nil, r.Grant != nil, r.Participant != nil, r.Session != nil, r.Settings != nil, r.Name != nil, r.Reading != nil} {
				if set {
					n++
				}
			}
			f.equal(n, 1)
			if r.Entry != nil {
				seen[r.Entry.ID] = true
			}
			if r.Version != nil {
				versions++
				f.equal(seen[live.ID], true)
			}
		}
		f.equal([]int{len(seen), versions}, []int{6, 2})
	}},

	{"an entry is followed by its own former versions, oldest first, however many it and its neighbours have", func(f *fixture) {
		want := make(map[uuid.UUID][]int)
		f.update(func(tx memory.Tx) error {
			clear(want)
			for i, n := range []int{1, 150, 60, 1, 250, 2, 3} {
				e := entry("a", fmt.Sprint("k", i))
				f.ok(put(f.ctx, tx, e))
				want[e.ID] = nil
				for version := 1; version < n; version++ {
					e = edited(e)
					f.ok(put(f.ctx, tx, e))
					want[e.ID] = append(want[e.ID], version)
				}
			}
			return nil
		})
		var last uuid.UUID
		got := make(map[uuid.UUID][]int)
		for _, r := range f.dump(f.storage) {
			switch {
			case r.Entry != nil:
				last = r.Entry.ID
				got[last] = nil
			case r.Version != nil:
				f.equal(r.Version.ID, last)
				got[last] = append(got[last], r.Version.Version)
			}
		}
		f.equal(got, want)
	}},

	{"a dump has how stores are read, but not what follows from their entries", func(f *fixture) {
		f.seed()
		var readings []memory.DumpReading
		for _, r := range f.dump(f.storage) {
			if r.Reading != nil {
				readings = append(readings, *r.Reading)
			}
		}
		f.equal(readings, []memory.DumpReading{{Store: "a", Asked: true}, {Store: "b", Language: choice.LanguageEnglish}, {Store: "d", Mixed: acl.Confidential}})
	}},

	{"an error of yield ends a dump and is returned", func(f *fixture) {
		f.seed()
		errStop := errors.New("stop")
		n := 0
		f.wantError(f.storage.View(f.ctx, func(tx memory.ReadTx) error {
			return tx.Dump(f.ctx, func(memory.DumpRecord) error {
				n++
				return errStop
			})
		}), errStop)
		f.equal(n, 1)
	}},

	{"loading an existing record is ErrExists", func(f *fixture) {
		f.seed()
		for _, r := range f.dump(f.storage) {
			f.wantError(f.load(f.storage, r), memory.ErrExists)
		}
		taken := entry("a", "live")
		f.wantError(f.load(f.storage, memory.DumpRecord{Entry: &taken}), memory.ErrExists)
	}},

	{"a version without its entry, and an empty record, are errors", func(f *fixture) {
		e := entry("a", "k")
		if f.load(f.storage, memory.DumpRecord{Version: &e}) == nil || f.load(f.storage, memory.DumpRecord{}) == nil {
			f.Error("no error")
		}
	}},
}

// testRoundTrip loads the dump of one storage into another. The dump of the other one must be
// equal, and searches must find its entries, usage count them, and the queue contain them.
func testRoundTrip(t *testing.T, open func(t testing.TB) storage.Storage) {
	from, to := newFixture(t, open), newFixture(t, open)
	live, _, _ := from.seed()
	records := from.dump(from.storage)
	to.ok(to.load(to.storage, records...))
	to.equal(to.dump(to.storage), records)
	to.equal(entriesOf(to.search(to.scope(reach{"a", acl.Public}), "needle", 10)), idsOf(live))
	to.match(to.scope(reach{"a", acl.Public}), memory.Filter{Tags: []string{"t"}}, live.ID)
	to.view(func(tx memory.ReadTx) error {
		usage, err := tx.Usage(to.ctx, "a", "a", acl.Public, start)
		to.equal(usage.Entries, 2)
		return err
	})
	to.equal(to.pending(live.ID), true)
	to.equal(len(to.trash(memory.TrashQuery{Store: "a", Label: acl.Public, Limit: 10})), 1)
	next := edited(live, says("needle five"))
	to.put(next)
	to.equal(to.get(live.ID), []memory.Entry{next})
	to.trim(live, memory.HistoryLimits{Versions: 3, Bytes: 1 << 30}) // the loaded versions are counted
	to.equal(to.versions(live), []int{4, 3, 2})
	to.view(func(tx memory.ReadTx) error {
		grants, err := tx.CountGrants(to.ctx, "a", acl.Public)
		to.equal(grants, 1)
		return err
	})
}
