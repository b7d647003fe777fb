package storagetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// unusualKeys are keys in byte order. A storage that searched them by LIKE, by inexact ranges or
// in the order of a collation would confuse some of them.
var unusualKeys = slices.Sorted(slices.Values([]string{
	"!", "%", "%%", "A", "Z", "\\", "\\x", "_", "_a", "a", "a!", "a%", "a%b", "a/b", "a\\b", "a_b", "aB", "ab",
	"é", "ß", "я", "鍵", "鍵/1", "\U0010ffff", "\U0010ffffx",
}))

var scans = []clause{
	{"Scan orders by namespace, key, label and owner, strings in byte order, and returns no values, and no sources unless asked for them", func(f *fixture) {
		var want []memory.Entry
		for _, namespace := range []string{"", "B", "a", "ä"} {
			for _, key := range []string{"K", "k", "k/1", "é"} {
				for _, label := range []acl.Label{acl.Public, acl.Internal, acl.Confidential, acl.Restricted} {
					for _, owner := range []string{"A", "a", "b"} {
						e := entry("a", key, labelled(label), ownedBy(owner))
						e.Namespace = namespace
						if owner != "A" {
							e.Source = text(key + owner)
						}
						want = append(want, e)
					}
				}
			}
		}
		backwards := slices.Clone(want)
		slices.Reverse(backwards)
		f.put(backwards...)
		for _, namespace := range []*string{nil, ptr("B")} {
			within := filtered(want, func(e memory.Entry) bool { return namespace == nil || e.Namespace == *namespace })
			query := memory.ScanQuery{Store: "a", Ceiling: acl.Restricted, Namespace: namespace, Limit: 1000}
			bare := withoutText(within...)
			f.equal(f.scan(query), bare)
			for i := range bare {
				bare[i].Source = within[i].Source
			}
			query.Sources = true
			f.equal(f.scan(query), bare)
		}
	}},

	{"Scan returns in-context, undeleted entries of the store up to the ceiling, including expired ones", func(f *fixture) {
		seen := []memory.Entry{entry("a", "1"), entry("a", "2", labelled(acl.Internal)), entry("a", "3", expiring(after(-1))), entry("a", "4", encrypted)}
		gone := entry("a", "5")
		f.put(append(seen, gone, entry("a", "6", labelled(acl.Confidential)), entry("a", "7", outOfContext), entry("b", "8"))...)
		f.delete(gone, start)
		f.equal(keysOf(f.scan(memory.ScanQuery{Store: "a", Ceiling: acl.Internal, Limit: 10})), keysOf(seen))
	}},

	{"Scan pages contain every path once, at any page size", func(f *fixture) {
		var want []memory.Entry
		for _, namespace := range []string{"", "n"} {
			for _, key := range unusualKeys {
				e := entry("a", key, labelled(acl.Label(1+len(key)%4)))
				e.Namespace = namespace
				want = append(want, e)
			}
		}
		f.put(want...)
		for _, namespace := range []*string{nil, ptr(""), ptr("n"), ptr("none")} {
			for _, size := range []int{1, 3, 100} {
				var got []memory.Entry
				query := memory.ScanQuery{Store: "a", Ceiling: acl.Restricted, Namespace: namespace, Limit: size}
				for {
					page := f.scan(query)
					got = append(got, page...)
					if len(page) < size {
						break
					}
					last := page[len(page)-1]
					query.After, query.AfterNamespace, query.AfterKey = true, last.Namespace, last.Key
				}
				f.equal(got, withoutText(filtered(want, func(e memory.Entry) bool {
					return namespace == nil || e.Namespace == *namespace
				})...))
			}
		}
	}},

	{"Scan continues after a path that no longer exists, and from before or after its namespace", func(f *fixture) {
		for _, namespace := range []string{"a", "c"} {
			e := entry("s", "k")
			e.Namespace = namespace
			f.put(e)
		}
		query := func(namespace *string, afterNamespace, afterKey string) int {
			return len(f.scan(memory.ScanQuery{Store: "s", Ceiling: acl.Public, Namespace: namespace, After: true,
				AfterNamespace: afterNamespace, AfterKey: afterKey, Limit: 10}))
		}
		f.equal(query(nil, "b", "z"), 1)
		f.equal(query(nil, "a", "j"), 2)
		f.equal(query(nil, "c", "k"), 0)
		f.equal(query(ptr("c"), "a", "z"), 1)
		f.equal(query(ptr("a"), "c", "a"), 0)
	}},

	{"a prefix is literal, whatever its characters", func(f *fixture) {
		var all []memory.Entry
		for _, key := range unusualKeys {
			all = append(all, entry("a", key))
		}
		f.put(all...)
		for _, prefix := range append(slices.Clone(unusualKeys), "a/", "鍵/", "none", "") {
			for _, namespace := range []*string{nil, ptr("")} {
				want := filtered(all, func(e memory.Entry) bool { return len(e.Key) >= len(prefix) && e.Key[:len(prefix)] == prefix })
				got := f.scan(memory.ScanQuery{Store: "a", Ceiling: acl.Public, Namespace: namespace, Prefix: prefix, Limit: 100})
				f.equal(keysOf(got), keysOf(want))
			}
		}
	}},

	{"Trash lists deleted entries of one label, of all or of one owner, latest deletion first, ties by descending ID, in pages", func(f *fixture) {
		var all []memory.Entry
		for i := range 12 {
			e := entry("a", fmt.Sprint(i))
			if i%4 > 0 {
				ownedBy("b")(&e)
			}
			f.put(e)
			all = append(all, f.delete(e, after(time.Duration(i/6)*time.Minute)))
		}
		slices.SortFunc(all, func(x, y memory.Entry) int {
			if c := y.DeletedAt.Compare(x.DeletedAt); c != 0 {
				return c
			}
			return slices.Compare(y.ID[:], x.ID[:])
		})
		f.put(entry("a", "live"))
		other, elsewhere := entry("a", "other", labelled(acl.Internal)), entry("b", "k")
		f.put(other, elsewhere)
		f.delete(other, start)
		f.delete(elsewhere, start)
		for _, owner := range []string{"", "a", "b"} {
			want := filtered(all, func(e memory.Entry) bool { return owner == "" || e.Owner == owner })
			for _, size := range []int{1, 2, 100} {
				var got []memory.Entry
				query := memory.TrashQuery{Store: "a", Label: acl.Public, Owner: owner, Limit: size}
				for {
					page := f.trash(query)
					got = append(got, page...)
					if len(page) < size {
						break
					}
					query.AfterTime, query.AfterID = page[len(page)-1].DeletedAt, page[len(page)-1].ID
				}
				f.equal(got, candidates(want...))
			}
		}
	}},

	{"Trash filters by owner and path, and includes entries that are out of context", func(f *fixture) {
		mine, hidden := entry("a", "k"), entry("a", "k", outOfContext)
		theirs, elsewhere := entry("a", "k", ownedBy("b")), entry("a", "k2")
		for i, e := range []memory.Entry{mine, hidden, theirs, elsewhere} {
			f.put(e)
			f.delete(e, after(time.Duration(i)*time.Minute))
		}
		path := memory.Path{Store: "a", Key: "k"}
		for _, c := range []struct {
			query memory.TrashQuery
			want  []uuid.UUID
		}{
			{memory.TrashQuery{}, idsOf(elsewhere, theirs, hidden, mine)},
			{memory.TrashQuery{Owner: "a"}, idsOf(elsewhere, hidden, mine)},
			{memory.TrashQuery{Owner: "b"}, idsOf(theirs)},
			{memory.TrashQuery{Path: &path}, idsOf(theirs, hidden, mine)},
			{memory.TrashQuery{Path: &path, Owner: "a"}, idsOf(hidden, mine)},
			{memory.TrashQuery{Path: &memory.Path{Store: "a", Namespace: "n", Key: "k"}}, nil},
		} {
			c.query.Store, c.query.Label, c.query.Limit = "a", acl.Public, 10
			f.equal(idsOf(f.trash(c.query)...), append([]uuid.UUID{}, c.want...))
		}
	}},

	{"Names lists the entries of every store, label and kind that are named by more than ASCII, deleted ones too, by ID, without text", func(f *fixture) {
		inNamespace := func(e *memory.Entry) { e.Namespace = "ä" }
		named := []memory.Entry{
			entry("a", "é"), entry("b", "e\u0301", labelled(acl.Restricted)), entry("a", "k", inNamespace), entry("a", "鍵", outOfContext),
			entry("a", "\U0010ffff", encrypted), entry("a", "ü", expiring(after(-time.Minute))), entry("a", "ö"),
		}
		f.put(append([]memory.Entry{entry("a", "plain\x7f~!/%"), entry("a", "value", says("é"))}, named...)...)
		named[6] = f.delete(named[6], start)
		want := withoutText(named...)
		slices.SortFunc(want, func(x, y memory.Entry) int { return slices.Compare(x.ID[:], y.ID[:]) })
		for _, size := range []int{1, 3, 100} {
			var got []memory.Entry
			after := uuid.Nil
			for {
				var page []memory.Entry
				f.view(func(tx memory.ReadTx) (err error) {
					page, err = tx.NonASCIINames(f.ctx, after, size)
					return err
				})
				got = append(got, page...)
				if len(page) < size {
					break
				}
				after = page[len(page)-1].ID
			}
			f.equal(got, want)
		}
	}},
}

func ptr(s string) *string { return &s }

func filtered(entries []memory.Entry, keep func(memory.Entry) bool) []memory.Entry {
	var kept []memory.Entry
	for _, e := range entries {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	return kept
}

func (f *fixture) scan(query memory.ScanQuery) (entries []memory.Entry) {
	f.Helper()
	f.view(func(tx memory.ReadTx) (err error) {
		entries, err = tx.Scan(f.ctx, query)
		return err
	})
	return entries
}

func (f *fixture) trash(query memory.TrashQuery) (entries []memory.Entry) {
	f.Helper()
	f.view(func(tx memory.ReadTx) (err error) {
		entries, err = tx.Trash(f.ctx, query)
		return err
	})
	return entries
}
