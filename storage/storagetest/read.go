package storagetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

var reads = []clause{
	{"reads of absent rows are empty", func(f *fixture) {
		f.view(func(tx memory.ReadTx) error {
			at, err := tx.At(f.ctx, memory.Path{Store: "none", Key: "k"}.At(acl.Restricted))
			f.ok(err)
			got, err := tx.Get(f.ctx, []uuid.UUID{uuid.Must(uuid.NewV7())})
			f.ok(err)
			none, err := tx.Get(f.ctx, nil)
			f.ok(err)
			history, err := tx.History(f.ctx, memory.HistoryQuery{Entry: uuid.Must(uuid.NewV7()), Before: 0, Limit: 10})
			f.ok(err)
			scan, err := tx.Scan(f.ctx, memory.ScanQuery{Store: "none", Ceiling: acl.Restricted, Limit: 10})
			f.ok(err)
			trash, err := tx.Trash(f.ctx, memory.TrashQuery{Store: "none", Label: acl.Public, Limit: 10})
			f.ok(err)
			usage, err := tx.Usage(f.ctx, "none", "none", acl.Public, start)
			f.ok(err)
			f.equal(len(at)+len(got)+len(none)+len(history)+len(scan)+len(trash)+int(usage.Entries), 0)
			return nil
		})
	}},

	{"At returns every undeleted entry of a path, without text: all owners and labels up to the ceiling, in context or not, expired or not", func(f *fixture) {
		here := []memory.Entry{
			entry("a", "k"), entry("a", "k", labelled(acl.Restricted)), entry("a", "k", ownedBy("b")),
			entry("a", "k", ownedBy("c"), outOfContext), entry("a", "k", ownedBy("d"), expiring(after(-time.Hour))),
		}
		gone := entry("a", "k", ownedBy("e"))
		f.put(append(here, gone, entry("a", "k/x"), entry("a", "K"), entry("b", "k"),
			entry("a", "k", func(e *memory.Entry) { e.Namespace = "n" }))...)
		f.delete(gone, start)
		f.view(func(tx memory.ReadTx) error {
			got, err := tx.At(f.ctx, memory.Path{Store: "a", Key: "k"}.At(acl.Restricted))
			f.ok(err)
			sortByID(got)
			f.equal(got, withoutText(here...))
			got, err = tx.At(f.ctx, memory.Path{Store: "a", Key: "k"}.At(acl.Confidential))
			sortByID(got)
			f.equal(got, withoutText(slices.Delete(slices.Clone(here), 1, 2)...))
			return err
		})
	}},

	{"Get returns live and deleted entries, each once, and no swept ones", func(f *fixture) {
		kept, gone, old := entry("a", "kept"), entry("a", "gone"), entry("a", "old", expiring(start))
		f.put(kept, gone, old)
		gone = f.delete(gone, start)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(old), start) })
		f.equal(f.get(kept.ID, gone.ID, kept.ID, old.ID), []memory.Entry{kept, gone})
	}},

	{"contents are those of live and deleted entries, each once, and of no swept ones", func(f *fixture) {
		kept, gone, old := entry("a", "kept", describedBy("typist", "")), entry("a", "gone", describedBy("", "gone")), entry("a", "old", expiring(start))
		own := entry("a", "own")
		f.put(kept, gone, old, own)
		gone = f.delete(gone, start)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(old), start) })
		var want []memory.Entry
		for _, e := range []memory.Entry{kept, gone, own} {
			want = append(want, memory.Entry{ID: e.ID, Value: e.Value, TypeBy: e.TypeBy, DescriptionBy: e.DescriptionBy})
		}
		sortByID(want)
		read := func(tx memory.EntryReader) error {
			got, err := tx.Contents(f.ctx, idsOf(kept, gone, kept, old, own))
			sortByID(got)
			f.equal(fmt.Sprint(got), fmt.Sprint(want))
			none, _ := tx.Contents(f.ctx, nil)
			f.equal(len(none), 0)
			return err
		}
		f.view(func(tx memory.ReadTx) error { return read(tx) })
		f.update(func(tx memory.Tx) error { return read(tx) })
	}},

	{"Get accepts a thousand IDs", func(f *fixture) {
		var all []memory.Entry
		for i := range 1000 {
			all = append(all, entry("a", fmt.Sprint(i)))
		}
		f.put(all...)
		f.equal(len(f.get(idsOf(all...)...)), len(all))
	}},

	{"History until a time leaves out what was written later", func(f *fixture) {
		first := entry("a", "k", says("v1"))
		second := edited(first, says("v2"))
		second.UpdatedAt = first.UpdatedAt.Add(2 * time.Second)
		third := edited(second, says("v3"))
		third.UpdatedAt = second.UpdatedAt.Add(2 * time.Second)
		f.put(first)
		f.put(second)
		f.put(third)
		for _, c := range []struct {
			until time.Time
			want  []memory.Entry
		}{
			{first.UpdatedAt.Add(-time.Microsecond), []memory.Entry{}},
			{first.UpdatedAt, []memory.Entry{first}},
			{second.UpdatedAt.Add(-time.Microsecond), []memory.Entry{first}},
			{second.UpdatedAt, []memory.Entry{second}},
			{third.UpdatedAt, []memory.Entry{third}},
		} {
			f.view(func(tx memory.ReadTx) error {
				got, err := tx.History(f.ctx, memory.HistoryQuery{Entry: first.ID, Until: c.until, Limit: 1})
				f.ok(err)
				f.equal(len(got), len(c.want))
				if len(got) > 0 {
					f.equal(got, c.want)
				}
				return nil
			})
		}
	}},

	{"History is newest first, before a version, at most limit", func(f *fixture) {
		versions := []memory.Entry{entry("a", "k", says("v1"))}
		for i := 2; i <= 5; i++ {
			versions = append(versions, edited(versions[i-2], says(fmt.Sprintf("v%d", i))))
		}
		for _, v := range versions {
			f.put(v)
		}
		other := entry("a", "other")
		f.put(other)
		f.put(edited(other))
		for _, c := range []struct {
			before, limit int
			want          []int
		}{
			{0, 10, []int{5, 4, 3, 2, 1}},
			{0, 2, []int{5, 4}},
			{5, 2, []int{4, 3}},
			{4, 10, []int{3, 2, 1}},
			{1, 10, []int{}},
			{9, 1, []int{5}},
			{6, 1, []int{5}},
		} {
			f.view(func(tx memory.ReadTx) error {
				got, err := tx.History(f.ctx, memory.HistoryQuery{Entry: versions[0].ID, Before: c.before, Limit: c.limit})
				f.ok(err)
				f.equal(len(got), len(c.want))
				for i, v := range c.want {
					f.equal(got[i:i+1], versions[v-1:v])
				}
				return nil
			})
		}
	}},

	{"Siblings returns the entries of the scope at the paths of IDs, without text, each once", func(f *fixture) {
		low, high := entry("a", "k"), entry("a", "k", labelled(acl.Confidential))
		other := entry("a", "k", ownedBy("b"), expiring(after(-time.Hour)))
		elsewhere := entry("b", "k")
		gone, hidden := entry("a", "k", ownedBy("c")), entry("a", "k", ownedBy("d"), outOfContext)
		f.put(low, high, other, elsewhere, gone, hidden, entry("a", "k2"))
		f.delete(gone, start)
		siblings := func(scope acl.Scope, want []memory.Entry, ids ...uuid.UUID) {
			f.Helper()
			f.view(func(tx memory.ReadTx) error {
				got, err := tx.Siblings(f.ctx, scope, ids)
				sortByID(got)
				f.equal(got, candidates(want...))
				return err
			})
		}
		siblings(f.scope(reach{"a", acl.Internal}), []memory.Entry{low, other}, low.ID, other.ID, low.ID, elsewhere.ID)
		siblings(f.scope(reach{"a", acl.Restricted}), []memory.Entry{low, high, other}, high.ID)
		siblings(f.scope(reach{"a", acl.Internal}), nil, high.ID)
		siblings(f.scope(reach{"a", acl.Internal}, reach{"b", acl.Public}), []memory.Entry{low, other, elsewhere}, low.ID, elsewhere.ID)
		siblings(f.scope(reach{"a", acl.Internal}), []memory.Entry{low, other}, gone.ID, hidden.ID)
		siblings(acl.Scope{}, nil, low.ID)
		siblings(f.scope(reach{"a", acl.Public}), nil)
	}},

	{"Siblings of any IDs are those that a scan of all rows finds", func(f *fixture) {
		r := rand.New(rand.NewPCG(1, 2))
		stores, ceilings := []string{"a", "b", "c"}, []acl.Label{acl.Public, acl.Internal, acl.Confidential, acl.Restricted}
		rows := make(map[uuid.UUID]memory.Entry)
		taken := make(map[string]bool)
		var all []memory.Entry
		for range 150 {
			e := entry(stores[r.IntN(3)], fmt.Sprint("k", r.IntN(12)), labelled(ceilings[r.IntN(4)]), ownedBy(stores[r.IntN(3)]))
			e.InContext = r.IntN(8) > 0
			if unique := fmt.Sprint(e.Path, e.Label, e.Owner); !taken[unique] {
				taken[unique] = true
				all, rows[e.ID] = append(all, e), e
			}
		}
		f.put(all...)
		for _, e := range all[:len(all)/6] {
			f.delete(e, start)
			delete(rows, e.ID)
		}
		for range 60 {
			var reaches []reach
			highest := make(map[string]acl.Label)
			same := ceilings[r.IntN(4)]
			for _, store := range stores[:1+r.IntN(3)] {
				if highest[store] = same; r.IntN(3) == 0 {
					highest[store] = ceilings[r.IntN(4)]
				}
				reaches = append(reaches, reach{store, highest[store]})
			}
			var ids []uuid.UUID
			paths := make(map[memory.Path]bool)
			for range 1 + r.IntN(10) {
				e := all[r.IntN(len(all))]
				if ids = append(ids, e.ID); e.Label <= highest[e.Path.Store] {
					paths[e.Path] = true
				}
			}
			var want []memory.Entry
			for _, e := range rows {
				if e.InContext && paths[e.Path] && e.Label <= highest[e.Path.Store] {
					want = append(want, e)
				}
			}
			sortByID(want)
			f.view(func(tx memory.ReadTx) error {
				got, err := tx.Siblings(f.ctx, f.scope(reaches...), ids)
				sortByID(got)
				f.equal(got, candidates(want...))
				return err
			})
		}
	}},
}

// candidates returns entries without text and authors, as a search reads them.
func candidates(entries ...memory.Entry) []memory.Entry {
	bare := withoutText(entries...)
	for i := range bare {
		bare[i].TypeBy, bare[i].DescriptionBy = "", ""
	}
	return bare
}

// withoutText returns entries without value and source but with the size of the value, as
// listings do.
func withoutText(entries ...memory.Entry) []memory.Entry {
	var bare []memory.Entry
	for _, e := range entries {
		e.Value, e.Source, e.Size = nil, nil, len(e.Value)
		bare = append(bare, e)
	}
	return bare
}
