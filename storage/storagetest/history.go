package storagetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

var histories = []clause{
	{"TrimHistory keeps the last versions, the current one included", func(f *fixture) {
		e := f.edits(entry("a", "k"), 9)
		f.trim(e, memory.HistoryLimits{Versions: 4, Bytes: 1 << 30})
		f.equal(f.versions(e), []int{10, 9, 8, 7})
		f.trim(e, memory.HistoryLimits{Versions: 4, Bytes: 1 << 30})
		f.equal(f.versions(e), []int{10, 9, 8, 7})
	}},

	{"TrimHistory keeps as many bytes of former values and sources as it may", func(f *fixture) {
		e := entry("a", "k", says(strings.Repeat("x", 998))) // 1,000 bytes as JSON
		e = f.edits(e, 9)
		f.trim(e, memory.HistoryLimits{Versions: 100, Bytes: 4999})
		f.equal(f.versions(e), []int{10, 9, 8, 7, 6})
		e = edited(e, func(e *memory.Entry) { e.Source = text(strings.Repeat("s", 998)) })
		f.put(e)
		e = edited(e)
		f.put(e)
		f.trim(e, memory.HistoryLimits{Versions: 100, Bytes: 4000})
		f.equal(f.versions(e), []int{12, 11, 10, 9})
	}},

	{"TrimHistory always keeps the newest former version", func(f *fixture) {
		e := f.edits(entry("a", "k", says(strings.Repeat("x", 1000))), 3)
		f.trim(e, memory.HistoryLimits{Versions: 1, Bytes: 1})
		f.equal(f.versions(e), []int{4, 3})
	}},

	{"TrimHistory in the transaction of each write leaves no more than the limits, whatever the number of writes", func(f *fixture) {
		keep := memory.HistoryLimits{Versions: 5, Bytes: 1 << 30}
		e, other := entry("a", "k"), f.edits(entry("a", "other"), 7)
		f.put(e)
		for range 40 {
			e = edited(e)
			f.update(func(tx memory.Tx) error {
				f.ok(put(f.ctx, tx, e))
				return tx.TrimHistory(f.ctx, e.ID, keep)
			})
		}
		f.equal(f.versions(e), []int{41, 40, 39, 38, 37})
		f.equal(len(f.versions(other)), 8)
	}},

	{"TrimHistory of an absent entry, and of one without history, does nothing", func(f *fixture) {
		e := entry("a", "k")
		f.trim(e, memory.HistoryLimits{Versions: 2})
		f.put(e)
		f.trim(e, memory.HistoryLimits{Versions: 2})
		f.equal(f.versions(e), []int{1})
	}},

	{"Erase trims the entries that exceed the limits, page by page", func(f *fixture) {
		var want []uuid.UUID
		for i := range 5 {
			want = append(want, f.edits(entry("a", fmt.Sprint("long", i)), 4).ID)
			f.edits(entry("a", fmt.Sprint("short", i)), 2)
			f.put(entry("a", fmt.Sprint("new", i)))
		}
		keep := memory.HistoryLimits{Versions: 3, Bytes: 1 << 30}
		var got []uuid.UUID
		for last := uuid.Nil; ; last = got[len(got)-1] {
			var ids []uuid.UUID
			f.update(func(tx memory.Tx) (err error) {
				ids, err = tx.TrimHistories(f.ctx, last, keep, 2)
				return err
			})
			if len(ids) == 0 {
				break
			}
			f.equal(len(ids) <= 2, true)
			got = append(got, ids...)
		}
		f.equal(sorted(got), sorted(want))
	}},

	{"authors of type and description are kept with each version", func(f *fixture) {
		first := entry("a", "k")
		second := edited(first, writtenBy("b"), describedBy("b", "a"))
		third := edited(second, writtenBy("a"), describedBy("b", "c"))
		fourth := edited(third, describedBy("a", "a"))
		fifth := edited(fourth, describedBy("", ""))
		for _, e := range []memory.Entry{first, second, third, fourth, fifth} {
			f.put(e)
			f.equal(f.get(e.ID), []memory.Entry{e})
			f.equal(f.scan(memory.ScanQuery{Store: "a", Ceiling: acl.Public, Limit: 10}), withoutText(e))
		}
		f.view(func(tx memory.ReadTx) error {
			history, err := tx.History(f.ctx, memory.HistoryQuery{Entry: first.ID, Before: 0, Limit: 10})
			f.equal(history, []memory.Entry{fifth, fourth, third, second, first})
			return err
		})
	}},

	{"CountGrants follows grants made, replaced, revoked and swept", func(f *fixture) {
		check := func(step string, want int64) {
			f.Helper()
			f.view(func(tx memory.ReadTx) error {
				n, err := tx.CountGrants(f.ctx, "a", acl.Public)
				f.ok(err)
				other, err := tx.CountGrants(f.ctx, "b", acl.Public)
				if n != want || other != 1 {
					f.Errorf("%s: %d grants, want %d; of the other store %d", step, n, want, other)
				}
				return err
			})
		}
		grant := func(store, grantee string, until time.Time) {
			f.update(func(tx memory.Tx) error {
				return tx.PutGrant(f.ctx, acl.Grant{Store: store, Grantee: grantee, Level: acl.Read, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: store, ExpiresAt: until, CreatedAt: start})
			})
		}
		grant("b", "x", time.Time{})
		for i := range 4 {
			grant("a", fmt.Sprint(i), after(time.Duration(i-1)*time.Hour))
		}
		check("made", 4)
		grant("a", "0", after(-time.Minute))
		check("replaced", 4)
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PutGrant(f.ctx, acl.Grant{Store: "a", Grantee: "3", Label: acl.Public}))
			return tx.PutGrant(f.ctx, acl.Grant{Store: "a", Grantee: "3", Label: acl.Public})
		})
		check("revoked", 3)
		f.update(func(tx memory.Tx) error { return sweepFacts(f.ctx, tx, start) })
		check("swept", 1)
		f.update(func(tx memory.Tx) error { return sweepFacts(f.ctx, tx, start) })
		check("swept again", 1)
	}},
}

// edits puts an entry and n new versions of it, and returns the last.
func (f *fixture) edits(e memory.Entry, n int) memory.Entry {
	f.Helper()
	f.put(e)
	for range n {
		e = edited(e)
		f.put(e)
	}
	return e
}

// trim trims an entry's history.
func (f *fixture) trim(e memory.Entry, keep memory.HistoryLimits) {
	f.Helper()
	f.update(func(tx memory.Tx) error { return tx.TrimHistory(f.ctx, e.ID, keep) })
}

// versions returns the versions of an entry, newest first.
func (f *fixture) versions(e memory.Entry) (versions []int) {
	f.Helper()
	f.view(func(tx memory.ReadTx) error {
		history, err := tx.History(f.ctx, memory.HistoryQuery{Entry: e.ID, Before: 0, Limit: 1000})
		versions = nil
		for _, v := range history {
			versions = append(versions, v.Version)
		}
		return err
	})
	return versions
}
