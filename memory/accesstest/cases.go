package accesstest

import (
	"fmt"
	"slices"
	"testing"

	"mneme/acl"
)

// attempt is one operation with what the rules say of it.
type attempt struct {
	name   string
	world  string // attempts of one world do not change what the others find
	op     Operation
	before func(w *world)
	check  func(t *testing.T, got Outcome)
}

// Statuses that the rules give.
const (
	ok       = 200
	created  = 201
	done     = 204
	denied   = 403
	absent   = 404
	clashes  = 409
	ruledOut = 422
)

// unchanged is the world of attempts that only read.
const unchanged = "unchanged"

func cases(r relation) []attempt {
	var all []attempt
	for _, label := range labels {
		for _, k := range kinds {
			all = append(all, onEntry(r, label, k)...)
		}
	}
	return append(all, onStore(r)...)
}

// hidden tells whether an entry does not exist for the caller.
func hidden(r relation, label acl.Label, k kind) bool {
	return label > taint || k == internal && !r.self
}

// onEntry tries what names one entry.
func onEntry(r relation, label acl.Label, k kind) []attempt {
	key := keyOf(label, k)
	name := func(op string) string { return fmt.Sprintf("%s, %s %s", op, label, k) }
	op := func(o string) Operation { return Operation{Name: o, Store: r.store, Key: key} }

	get := pick(r.level < acl.Read, denied, hidden(r, label, k), absent, true, ok)
	change := pick( // what takes readwrite, ownership and the session's own label
		r.level < acl.ReadWrite, denied, hidden(r, label, k), absent, !r.self, denied, label < taint, clashes, true, done)
	rename := pick(
		r.level < acl.ReadWrite, denied, hidden(r, label, k), absent, !r.self, denied, k == encrypted, ruledOut, label < taint, clashes, true, ok)
	revert := pick(
		r.level < acl.ReadWrite, denied, hidden(r, label, k), absent, label < taint, clashes, true, ok)
	put := pick( // a fixed property that is not named stays as it is
		r.level < acl.ReadWrite, denied, hidden(r, label, k) || label != taint, created, true, ok)

	put1 := op(Put)
	put1.Value = "written over " + word
	restore := op(Restore)
	restore.Version = 1
	move := op(Rename)
	move.To = "elsewhere/" + key
	versions := pick(r.level < acl.Read, denied, hidden(r, label, k), absent, true, ok)
	return []attempt{
		{name: name(Get), world: unchanged, op: op(Get), check: func(t *testing.T, got Outcome) {
			status(t, got, get)
			if get == ok && (got.Value != valueOf(label, k) || got.Label != label) {
				t.Errorf("get showed another entry: label %v", got.Label)
			}
		}},
		{name: name(Versions), world: unchanged, op: op(Versions), check: want(versions)},
		{name: name(Put), world: Put, op: put1, check: want(put)},
		{name: name(Delete), world: Delete, op: op(Delete), check: want(change)},
		{name: name(Restore + " a version"), world: Restore, op: restore, check: want(revert)},
		{name: name(Rename), world: Rename, op: move, check: want(rename)},
		undelete(r, label, k, name),
	}
}

// undelete tries to restore an entry that its writer deleted.
func undelete(r relation, label acl.Label, k kind, name func(string) string) attempt {
	writer := "resident"
	if r.store == "owner" {
		writer = "owner"
	}
	expect := pick(r.level < acl.ReadWrite, denied, label != taint || !r.self, absent, true, created)
	return attempt{
		name:  name(Restore + " from the trash"),
		world: Trash,
		op:    Operation{Name: Restore, Store: r.store, Key: keyOf(label, k)},
		before: func(w *world) {
			if r.store != "nowhere" {
				w.must(acl.Principal{Agent: writer, Taint: label}, Operation{Name: Delete, Store: r.store, Key: keyOf(label, k)})
			}
		},
		check: func(t *testing.T, got Outcome) {
			if expect == created && got.Status == ok {
				return // a surface may not tell the two apart
			}
			status(t, got, expect)
		},
	}
}

// onStore tries what names the store as a whole.
func onStore(r relation) []attempt {
	op := func(o string) Operation { return Operation{Name: o, Store: r.store} }
	read := pick(r.level < acl.Read, denied, true, ok)
	write := pick(r.level < acl.ReadWrite, denied, true, ok)
	manage := pick(r.level < acl.ReadWrite && r.name != "platform token", denied, true, ok)
	find := pick(r.level < acl.Search, denied, true, ok)

	search := op(Search)
	search.Query = word
	share := op(Share)
	share.Other, share.Level = "friend", acl.Read
	above := share
	above.MaxLabel = acl.Confidential
	itself := share
	itself.Other = r.caller().Agent
	no := false
	private := op(Put)
	private.Key, private.Value, private.InContext = "mine", "nothing of note", &no

	shows := func(expect int, keys []string) func(*testing.T, Outcome) {
		return func(t *testing.T, got Outcome) {
			status(t, got, expect)
			if expect != ok {
				return
			}
			have := slices.Sorted(slices.Values(got.Keys))
			if !slices.Equal(have, keys) {
				t.Errorf("showed %q, want %q", have, keys)
			}
		}
	}
	return []attempt{
		{name: List, world: unchanged, op: op(List), check: shows(read, listed(plain, encrypted))},
		{name: Export, world: unchanged, op: op(Export), check: shows(read, listed(plain, encrypted))},
		{name: Search, world: unchanged, op: search, before: func(w *world) { w.Index() }, check: func(t *testing.T, got Outcome) {
			shows(find, listed(plain))(t, got)
			if find == ok && got.Bare != (r.level == acl.Search) {
				t.Errorf("bare hits: %v at level %v", got.Bare, r.level)
			}
		}},
		{name: Trash, world: unchanged, op: op(Trash), check: shows(write, nil)},
		{name: Grants, world: unchanged, op: op(Grants), check: want(manage)},
		{name: Share, world: Share, op: share, check: want(manage)},
		{name: Share + " above the taint", world: "share above", op: above, check: want(denied)},
		{name: Share + " with itself", world: "share itself", op: itself, check: func(t *testing.T, got Outcome) {
			// A grantee of another's making is refused before its name is judged.
			if got.Status != denied && got.Status != ruledOut {
				t.Errorf("status %d, want %d or %d", got.Status, denied, ruledOut)
			}
		}},
		{name: Put + " not in context", world: "put private", op: private, check: want(pick(
			r.level < acl.ReadWrite || r.name == "readwrite grant", denied, true, created))},
	}
}

// pick returns the status behind the first condition that holds, in the order
// in which the product checks.
func pick(conditionThenStatus ...any) int {
	for i := 0; i < len(conditionThenStatus); i += 2 {
		if conditionThenStatus[i].(bool) {
			return conditionThenStatus[i+1].(int)
		}
	}
	panic("no condition holds")
}

func want(expect int) func(*testing.T, Outcome) {
	return func(t *testing.T, got Outcome) { status(t, got, expect) }
}

func status(t *testing.T, got Outcome, expect int) {
	t.Helper()
	if got.Status != expect && !(expect == done && got.Status == ok) {
		t.Errorf("status %d, want %d", got.Status, expect)
	}
}
