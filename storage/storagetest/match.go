package storagetest

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

func typed(t string) func(*memory.Entry) { return func(e *memory.Entry) { e.Type = t } }

func inNamespace(n string) func(*memory.Entry) { return func(e *memory.Entry) { e.Namespace = n } }

var matches = []clause{
	{"Matching filters by namespace, type and all tags", func(f *fixture) {
		one := entry("a", "1", tagged("x", "y"), typed("user"), inNamespace("n"))
		two := entry("a", "2", tagged("y"), typed("user"))
		three := entry("a", "3", tagged("x", "X", "%"), inNamespace("n"))
		f.put(one, two, three)
		scope := f.scope(reach{"a", acl.Public})
		for _, c := range []struct {
			filter memory.Filter
			want   []uuid.UUID
		}{
			{memory.Filter{}, idsOf(one, two, three)},
			{memory.Filter{Tags: []string{"x"}}, idsOf(one, three)},
			{memory.Filter{Tags: []string{"X"}}, idsOf(three)},
			{memory.Filter{Tags: []string{"%"}}, idsOf(three)},
			{memory.Filter{Tags: []string{"y", "x"}}, idsOf(one)},
			{memory.Filter{Tags: []string{"x", "x"}}, idsOf(one, three)},
			{memory.Filter{Tags: []string{"x", "none"}}, nil},
			{memory.Filter{Type: "user"}, idsOf(one, two)},
			{memory.Filter{Type: "user", Tags: []string{"x"}}, idsOf(one)},
			{memory.Filter{Namespace: ptr("n")}, idsOf(one, three)},
			{memory.Filter{Namespace: ptr("")}, idsOf(two)},
			{memory.Filter{Namespace: ptr(""), Type: "user"}, idsOf(two)},
			{memory.Filter{Namespace: ptr("n"), Type: "user", Tags: []string{"y"}}, idsOf(one)},
			{memory.Filter{Namespace: ptr("n"), Type: "none"}, nil},
		} {
			f.match(scope, c.filter, c.want...)
		}
	}},

	{"Matching returns in-context, undeleted entries of the scope, including encrypted and expired ones", func(f *fixture) {
		with := func(changes ...func(*memory.Entry)) func(*memory.Entry) {
			return func(e *memory.Entry) {
				for _, change := range append(changes, tagged("t"), typed("user"), inNamespace("n")) {
					change(e)
				}
			}
		}
		low, old := entry("a", "1", with()), entry("a", "2", with(expiring(after(-time.Hour))))
		high, hidden, sealed := entry("a", "3", with(labelled(acl.Restricted))), entry("a", "4", with(outOfContext)), entry("a", "5", with(encrypted))
		gone, elsewhere := entry("a", "6", with()), entry("b", "7", with())
		f.put(low, old, high, hidden, sealed, gone, elsewhere)
		gone = f.delete(gone, start)
		for _, filter := range []memory.Filter{{}, {Tags: []string{"t"}}, {Type: "user"}, {Namespace: ptr("n")}} {
			f.match(f.scope(reach{"a", acl.Confidential}), filter, low.ID, old.ID, sealed.ID)
			f.match(f.scope(reach{"a", acl.Restricted}, reach{"b", acl.Public}), filter, low.ID, old.ID, sealed.ID, high.ID, elsewhere.ID)
			f.match(f.scope(reach{"none", acl.Public}), filter)
			f.match(acl.Scope{}, filter)
		}
		f.put(changed(gone, restored))
		f.match(f.scope(reach{"a", acl.Public}), memory.Filter{Tags: []string{"t"}}, low.ID, old.ID, sealed.ID, gone.ID)
	}},

	{"Matching of ids returns those of them that pass the filter within the scope", func(f *fixture) {
		one, two := entry("a", "1", tagged("x")), entry("a", "2", tagged("x"), encrypted)
		other, hidden := entry("a", "3"), entry("a", "4", tagged("x"), outOfContext)
		high, gone, elsewhere := entry("a", "5", tagged("x"), labelled(acl.Restricted)), entry("a", "6", tagged("x")), entry("b", "7", tagged("x"))
		all := []memory.Entry{one, two, other, hidden, high, gone, elsewhere}
		f.put(all...)
		f.delete(gone, start)
		scope := f.scope(reach{"a", acl.Public})
		for _, c := range []struct{ ids, want []uuid.UUID }{
			{append(idsOf(all...), one.ID, uuid.Max), idsOf(one, two)},
			{idsOf(two, other), idsOf(two)},
			{[]uuid.UUID{}, nil},
		} {
			f.view(func(tx memory.ReadTx) error {
				found, more, err := tx.Matching(f.ctx, scope, memory.Filter{Tags: []string{"x"}}, c.ids, 100)
				f.equal([]any{sorted(found), more}, []any{sorted(c.want), false})
				return err
			})
		}
	}},

	{"Matching follows edits of tags and types", func(f *fixture) {
		e := entry("a", "k", tagged("x", "y"), typed("user"))
		f.put(e)
		f.put(edited(e, tagged("y", "z"), typed("project")))
		scope := f.scope(reach{"a", acl.Public})
		f.match(scope, memory.Filter{Tags: []string{"x"}})
		f.match(scope, memory.Filter{Tags: []string{"z", "y"}}, e.ID)
		f.match(scope, memory.Filter{Type: "user"})
		f.match(scope, memory.Filter{Type: "project"}, e.ID)
	}},

	{"Matching reports more, and returns no IDs, beyond its limit", func(f *fixture) {
		var all []memory.Entry
		for i := range 6 {
			all = append(all, entry("a", fmt.Sprint(i), tagged("t"), typed("user"), inNamespace("n")))
		}
		f.put(all...)
		scope := f.scope(reach{"a", acl.Public})
		for _, filter := range []memory.Filter{{}, {Tags: []string{"t"}}, {Type: "user"}, {Namespace: ptr("n")}} {
			f.view(func(tx memory.ReadTx) error {
				ids, more, err := tx.Matching(f.ctx, scope, filter, nil, 6)
				f.ok(err)
				f.equal([]any{len(ids), more}, []any{6, false})
				ids, more, err = tx.Matching(f.ctx, scope, filter, nil, 5)
				f.equal([]any{len(ids), more}, []any{0, true})
				return err
			})
		}
	}},
}

func (f *fixture) match(scope acl.Scope, filter memory.Filter, want ...uuid.UUID) {
	f.Helper()
	f.view(func(tx memory.ReadTx) error {
		ids, more, err := tx.Matching(f.ctx, scope, filter, nil, 100)
		f.equal(sorted(ids), sorted(want))
		f.equal(more, false)
		return err
	})
}

var usages = []clause{
	{"Usage follows every kind of change", func(f *fixture) {
		check := func(step string, entries, bytes int64) {
			f.Helper()
			f.view(func(tx memory.ReadTx) error {
				got, err := tx.Usage(f.ctx, "a", "a", acl.Public, start)
				if want := (memory.Usage{Entries: entries, Bytes: bytes}); got != want {
					f.Errorf("%s: usage is %+v, want %+v", step, got, want)
				}
				return err
			})
		}
		size := func(entries ...memory.Entry) (n int64) {
			for _, e := range entries {
				n += int64(len(e.Value))
			}
			return n
		}
		e, hidden := entry("a", "k", says("four")), entry("a", "h", outOfContext, says("seven"))
		f.put(e, hidden, entry("a", "k", labelled(acl.Internal)), entry("a", "k", ownedBy("b")), entry("b", "k"))
		check("created", 2, size(e, hidden))
		e = edited(e, says("much longer than before"))
		f.put(e)
		check("edited", 2, size(e, hidden))
		e = f.delete(e, start)
		check("deleted", 1, size(hidden))
		e = changed(e, restored)
		f.put(e)
		check("restored", 2, size(e, hidden))
		e = changed(e, func(e *memory.Entry) { e.Store = "c" })
		f.put(e)
		check("moved away", 1, size(hidden))
		e = changed(e, func(e *memory.Entry) { e.Store = "a" })
		f.put(e)
		check("moved back", 2, size(e, hidden))
		e = changed(e, expiring(start))
		f.put(e)
		check("expired", 1, size(hidden))
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(e), start) })
		check("swept", 1, size(hidden))
		f.delete(hidden, start)
		check("all deleted", 0, 0)
		f.update(func(tx memory.Tx) error {
			_, err := tx.Purge(f.ctx, after(time.Hour), 100)
			return err
		})
		check("purged", 0, 0)
	}},

	{"at the zero time, Usage counts expired entries until they are swept", func(f *fixture) {
		e, old, new := entry("a", "k", says("four")), entry("a", "old", says("one"), expiring(start)), entry("a", "new", says("three"), expiring(start))
		check := func(tx memory.ReadTx, live, swept []memory.Entry) {
			f.Helper()
			for at, counted := range map[time.Time][]memory.Entry{start: live, {}: swept} {
				want := memory.Usage{Entries: int64(len(counted))}
				for _, e := range counted {
					want.Bytes += int64(len(e.Value))
				}
				got, err := tx.Usage(f.ctx, "a", "a", acl.Public, at)
				f.ok(err)
				f.equal(got, want)
			}
		}
		f.put(e, old)
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PrepareWrite(f.ctx, memory.WritePlan{Store: "a", Paths: []memory.Path{new.Path}, Label: acl.Public, Agent: "a"}))
			check(tx, []memory.Entry{e}, []memory.Entry{e, old})
			f.ok(put(f.ctx, tx, new))
			check(tx, []memory.Entry{e}, []memory.Entry{e, old, new})
			f.ok(tx.Sweep(f.ctx, idsOf(old), start))
			check(tx, []memory.Entry{e}, []memory.Entry{e, new})
			return nil
		})
		f.view(func(tx memory.ReadTx) error {
			check(tx, []memory.Entry{e}, []memory.Entry{e, new})
			return nil
		})
	}},

	{"an entry counts for the agent that wrote it last", func(f *fixture) {
		check := func(step string, a, b, c int64) {
			f.Helper()
			f.view(func(tx memory.ReadTx) error {
				for writer, want := range map[string]int64{"a": a, "b": b, "c": c} {
					got, err := tx.Usage(f.ctx, "a", writer, acl.Public, start)
					f.ok(err)
					if got.Entries != want || (got.Bytes > 0) != (want > 0) {
						f.Errorf("%s: usage of %s is %+v, want %d entries", step, writer, got, want)
					}
				}
				return nil
			})
		}
		e := entry("a", "k")
		f.put(e, entry("a", "k", ownedBy("c")))
		check("created", 1, 0, 1)
		e = edited(e, writtenBy("b"))
		f.put(e)
		check("edited by another", 0, 1, 1)
		e = f.delete(e, start)
		check("deleted by its owner", 0, 0, 1)
		e = edited(e, restored, writtenBy("c"))
		f.put(e)
		check("restored by a third", 0, 0, 2)
		e = edited(e, writtenBy("b"), expiring(start))
		f.put(e)
		check("expired", 0, 0, 1)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(e), start) })
		check("swept", 0, 0, 1)
		f.purge(after(time.Hour), 10)
		check("purged", 0, 0, 1)
	}},
}
