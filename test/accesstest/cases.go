package accesstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/search"
)

// testCase is one operation with its expected outcome.
type testCase struct {
	name   string
	env    string // cases with the same env share an environment, and must not affect each other
	op     Operation
	before func(e *env)
	check  func(t *testing.T, got Outcome)
}

// The expected statuses.
const (
	ok       = 200
	created  = 201
	done     = 204
	denied   = 403
	absent   = 404
	conflict = 409
	invalid  = 422
)

// unchanged is the environment of the cases that only read. managed is that of cases that
// change the store without affecting each other.
const unchanged, managed = "unchanged", "managed"

func cases(r relation) []testCase {
	var all []testCase
	for _, label := range labels {
		for _, k := range kinds {
			all = append(all, onEntry(r, label, k)...)
		}
	}
	all = append(all, onStore(r)...)
	if r.trade != nil {
		offerToPay(all)
	}
	return append(all, onOffer(r)...)
}

// hidden reports whether an entry does not exist for the caller.
func hidden(r relation, label acl.Label, k kind) bool {
	return label > taint || k == internal && !r.self
}

// outcome returns the outcome that a search's explanation must report for an entry.
func outcome(r relation, label acl.Label, k kind) search.Outcome {
	switch {
	case hidden(r, label, k):
		return search.OutcomeNotFound
	case k == internal:
		return search.OutcomeNotInContext
	case k == encrypted:
		return search.OutcomeEncrypted
	}
	return search.OutcomeHit
}

// onEntry returns the cases of one entry.
func onEntry(r relation, label acl.Label, k kind) []testCase {
	key := keyOf(label, k)
	name := func(op string) string { return fmt.Sprintf("%s, %s %s", op, label, k) }
	op := func(o string) Operation { return Operation{Name: o, Store: r.store, Key: key} }

	get := pick(r.level < acl.Read, denied, hidden(r, label, k), absent, true, ok)
	change := pick( // needs readwrite, ownership and the session's own label
		r.level < acl.ReadWrite, denied, hidden(r, label, k), absent, !r.self, denied, label < taint, conflict, true, done)
	rename := pick(
		r.level < acl.ReadWrite, denied, hidden(r, label, k), absent, !r.self, denied, k == encrypted, invalid, label < taint, conflict, true, ok)
	// A caller with a grant cannot write entries that are not in context.
	renameStore := pick(
		r.level < acl.ReadWrite, denied, hidden(r, label, k), absent, !r.self || k == internal, denied, k == encrypted, invalid, label < taint, conflict, true, ok)
	revert := pick(
		r.level < acl.ReadWrite, denied, hidden(r, label, k), absent, label < taint, conflict, true, ok)
	put := pick( // properties that the write omits, such as in_context, stay
		r.level < acl.ReadWrite, denied, hidden(r, label, k) || label != taint, created, true, ok)

	put1 := op(Put)
	put1.Value = "written over " + word
	restore := op(Restore)
	restore.Version = new(1)
	move := op(Rename)
	move.To = "elsewhere/" + key
	moveSpace, moveStore, moveAway := op(RenameNamespace), op(RenameStore), op(RenameStore)
	moveSpace.To, moveSpace.ToNamespace = key, new("elsewhere")
	moveStore.To, moveStore.ToStore = "elsewhere/"+key, new("friend")
	moveAway.To, moveAway.ToStore = "elsewhere/"+key, new("resident")
	explain := op(RefinedSearch)
	explain.Query, explain.Option = word, ExplainEntry
	versions := pick(r.level < acl.Read, denied, hidden(r, label, k), absent, true, ok)
	return []testCase{
		{name: name(Get), env: unchanged, op: op(Get), check: func(t *testing.T, got Outcome) {
			status(t, got, get)
			if get == ok && (got.Value != valueOf(label, k) || got.Label != label) {
				t.Errorf("get returned another entry: label %v", got.Label)
			}
		}},
		{name: name(ExplainEntry), env: unchanged, op: explain, before: func(e *env) { e.Index() }, check: func(t *testing.T, got Outcome) {
			status(t, got, pick(r.level < acl.Read, denied, true, ok))
			if got.Status == ok && got.Explained != outcome(r, label, k) {
				t.Errorf("explained as %q, want %q", got.Explained, outcome(r, label, k))
			}
		}},
		{name: name(Versions), env: unchanged, op: op(Versions), check: want(versions)},
		{name: name(Put), env: Put, op: put1, check: want(put)},
		{name: name(Delete), env: Delete, op: op(Delete), check: want(change)},
		{name: name(Restore + " a version"), env: Restore, op: restore, check: want(revert)},
		{name: name(Rename), env: Rename, op: move, check: want(rename)},
		{name: name(RenameNamespace), env: RenameNamespace, op: moveSpace, check: want(rename)},
		{name: name(RenameStore), env: RenameStore, op: moveStore, before: func(e *env) {
			platform := principal("platform")
			platform.Platform = true
			e.must(platform, Operation{Name: Share, Store: "friend", Other: r.caller().Agent, Level: acl.ReadWrite, MaxLabel: acl.Restricted})
		}, check: want(renameStore)},
		{name: name(RenameStore + " of another agent"), env: Rename, op: moveAway, check: want(denied)},
		undelete(r, label, k, name),
	}
}

// undelete returns the case of restoring an entry that its writer deleted.
func undelete(r relation, label acl.Label, k kind, name func(string) string) testCase {
	writer := "resident"
	if r.store == "owner" {
		writer = "owner"
	}
	expect := pick(r.level < acl.ReadWrite, denied, label != taint || !r.self, absent, true, created)
	return testCase{
		name: name(Restore + " from the trash"),
		env:  Trash,
		op:   Operation{Name: Restore, Store: r.store, Key: keyOf(label, k)},
		before: func(e *env) {
			if r.store != "nowhere" {
				e.must(acl.Principal{Agent: writer, Taint: label}, Operation{Name: Delete, Store: r.store, Key: keyOf(label, k)})
			}
		},
		check: func(t *testing.T, got Outcome) {
			if expect == created && got.Status == ok {
				return // some surfaces do not distinguish the two
			}
			status(t, got, expect)
		},
	}
}

// onStore returns the cases for the store as a whole.
func onStore(r relation) []testCase {
	op := func(o string) Operation { return Operation{Name: o, Store: r.store} }
	where := func(o string) Operation { return Operation{Name: o, Store: r.store, Option: "where"} }
	read := pick(r.level < acl.Read, denied, true, ok)
	write := pick(r.level < acl.ReadWrite, denied, true, ok)
	manage := pick(r.level < acl.ReadWrite && !r.platform, denied, true, ok)
	// While an offer is open, only the store's own agent can share it.
	give := pick(r.trade != nil && !r.self, denied, true, manage)
	find := pick(r.level < acl.Search, denied, true, ok)

	search := op(Search)
	search.Query = word
	pages := op(PagedSearch)
	pages.Query = word
	ranked, relevant := op(RankedSearch), op(RelevantSearch)
	ranked.Query, ranked.Ranking = word, "rrf"
	relevant.Query, relevant.MinRelevance = word, 0.01
	share := op(Share)
	share.Other, share.Level = "friend", acl.Read
	above := share
	above.MaxLabel = acl.Confidential
	itself := share
	itself.Other = r.caller().Agent
	end := op(EndGrant)
	end.Other = r.caller().Agent
	no := false
	private := op(Put)
	private.Key, private.Value, private.InContext = "mine", "a private note", &no

	var refined []testCase
	for _, option := range slices.Concat(Options, OpenOptions) {
		search := op(RefinedSearch)
		search.Query, search.Option = word, option
		expect := read
		if slices.Contains(OpenOptions, option) {
			expect = find
		}
		refined = append(refined, testCase{
			name: "search with " + option, env: unchanged, op: search, before: func(e *env) { e.Index() }, check: shows(expect, listed(plain)),
		})
	}
	return append(refined, []testCase{
		{name: List, env: unchanged, op: op(List), check: shows(read, listed(plain, encrypted))},
		{name: Changes, env: unchanged, op: op(Changes), check: shows(read, nil)},
		{name: Export, env: unchanged, op: op(Export), check: shows(read, listed(plain, encrypted))},
		{name: "list with a condition", env: unchanged, op: where(List), check: shows(read, listed(plain, encrypted))},
		{name: "export with a condition", env: unchanged, op: where(Export), check: shows(read, listed(plain, encrypted))},
		{name: Search, env: unchanged, op: search, before: func(e *env) { e.Index() }, check: func(t *testing.T, got Outcome) {
			shows(find, listed(plain))(t, got)
			charged(t, r, got)
			if find == ok && got.Bare != (r.level == acl.Search) {
				t.Errorf("bare hits: %v at level %v", got.Bare, r.level)
			}
			if find == ok && got.Coarse != (r.level == acl.Search) {
				t.Errorf("coarse hits: %v at level %v", got.Coarse, r.level)
			}
		}},
		{name: RankedSearch, env: unchanged, op: ranked, before: func(e *env) { e.Index() }, check: shows(pick(r.level < acl.Read, denied, true, ok), listed(plain))},
		{name: RelevantSearch, env: unchanged, op: relevant, before: func(e *env) { e.Index() }, check: shows(find, listed(plain))},
		{name: PagedSearch, env: unchanged, op: pages, before: func(e *env) { e.Index() }, check: func(t *testing.T, got Outcome) {
			if r.level != acl.Search {
				shows(find, listed(plain))(t, got)
				return
			}
			// Only the first page has hits of a store at level search.
			if status(t, got, ok); len(got.Keys) != 1 {
				t.Errorf("showed %q, want one of %q", got.Keys, listed(plain))
			}
		}},
		lagging(r, search, acl.Internal, find == ok && r.level >= acl.Read),
		lagging(r, search, acl.Confidential, false),
		{name: Trash, env: unchanged, op: op(Trash), check: shows(write, nil)},
		{name: Grants, env: unchanged, op: op(Grants), check: want(manage)},
		{name: Share, env: managed, op: share, check: want(give)},
		{name: AcceptGrant, env: AcceptGrant, op: op(AcceptGrant), check: want(pick(r.level == acl.None, denied, !r.byGrant(), conflict, true, ok))},
		{name: EndGrant, env: EndGrant, op: end, check: want(pick(
			r.lower, conflict, r.byGrant() || r.sleeps, done, r.level == acl.None && !r.platform, denied, true, absent))},
		{name: SetLanguage, env: managed, op: op(SetLanguage), check: want(pick(
			!r.platform && strings.HasPrefix(r.name, "readwrite grant"), denied, !r.platform && manage == ok, conflict, true, manage))},
		{name: Share + " above the taint", env: managed, op: above, check: want(denied)},
		{name: Share + " with itself", env: managed, op: itself, check: func(t *testing.T, got Outcome) {
			// Access is checked before the grantee's name.
			if got.Status != denied && got.Status != invalid {
				t.Errorf("status %d, want %d or %d", got.Status, denied, invalid)
			}
		}},
		{name: Put + " not in context", env: managed, op: private, check: want(pick(
			r.level < acl.ReadWrite || strings.HasPrefix(r.name, "readwrite grant"), denied, true, created))},
	}...)
}

// byGrant reports whether the caller's level comes from a grant.
func (r relation) byGrant() bool { return r.level != acl.None && r.store == "owner" && !r.self }

// lagging returns the case of a search while an entry with a label waits for its
// vectors, long enough for answers to report it.
func lagging(r relation, search Operation, label acl.Label, want bool) testCase {
	name := fmt.Sprintf("%s while an entry of %s waits for its vectors", Search, label)
	return testCase{name: name, env: "lag", op: search, before: func(e *env) {
		e.Index() // the entry of the previous case
		writer := "resident"
		if r.store == "owner" {
			writer = "owner"
		}
		if r.store != "nowhere" {
			e.must(acl.Principal{Agent: writer, Taint: label}, Operation{Name: Put, Store: r.store, Key: "waiting", Value: "a note"})
		}
		e.Advance(6 * time.Second)
	}, check: func(t *testing.T, got Outcome) {
		if got.Lags != (want && !got.NoVectors) {
			t.Errorf("the answer reports vector_lag: %v, want %v", got.Lags, want)
		}
	}}
}

// pick takes pairs of a condition and a status, in the order in which mneme checks
// them, and returns the status of the first true condition.
func pick(conditionThenStatus ...any) int {
	for i := 0; i < len(conditionThenStatus); i += 2 {
		if conditionThenStatus[i].(bool) {
			return conditionThenStatus[i+1].(int)
		}
	}
	panic("no condition holds")
}

// shows checks the status of an answer and, if it is ok, the answer's keys in any order.
func shows(expect int, keys []string) func(*testing.T, Outcome) {
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

func want(expect int) func(*testing.T, Outcome) {
	return func(t *testing.T, got Outcome) { status(t, got, expect) }
}

func status(t *testing.T, got Outcome, expect int) {
	t.Helper()
	if got.Status != expect && !(expect == done && got.Status == ok) {
		t.Errorf("status %d, want %d", got.Status, expect)
	}
}
