package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/search/cache"
	"mneme/test/backendtest"
)

// TestCachedCandidatesEqualTheRows compares the answers of a process that caches rows of
// candidates with those of one that does not, over the same database, while both write.
func TestCachedCandidatesEqualTheRows(t *testing.T) {
	divisor := map[string]int{"sqlite+flat": 1, "postgres+flat": 5}
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			backendtest.Check(t, divisor[b.Name], func(t testing.TB, rt *rapid.T) { checkCandidates(rt, t, b) })
		})
	}
}

// answered formats the answer to a search of the store alice.
func answered(h *harness, c memory.Caller) string {
	answer, err := h.Search(context.Background(), c, search.Request{Query: "x", Limit: 100, Stores: []string{"alice"}})
	shown := fmt.Sprintln(err, answer.Label, answer.Incomplete)
	for _, hit := range answer.Hits {
		shown += fmt.Sprintf("%+v %x %x\n", hit.Entry, hit.Score, hit.Relevance)
	}
	return shown
}

// candidates returns the rows of all candidates in the store alice within a caller's scope,
// in one snapshot: those from a cache, and those from the storage.
func candidates(s memory.Storage, rows *cache.Rows, by cache.Reader, c memory.Caller, now time.Time) (cached, read []*memory.Entry, err error) {
	err = s.View(background, func(tx memory.ReadTx) error {
		scope, err := acl.NewScope(background, tx, c.Principal, acl.ScopeRequest{Stores: []string{"alice"}}, now)
		if err != nil {
			return err
		}
		a, _ := scope.Access("alice")
		scanned, err := tx.Scan(background, memory.ScanQuery{Store: "alice", Ceiling: a.Ceiling, Limit: 1000})
		if err != nil {
			return err
		}
		ids := make([]uuid.UUID, len(scanned))
		for i := range scanned {
			ids[i] = scanned[i].ID
		}
		if cached, err = rows.Siblings(background, tx, by, scope, ids); err != nil {
			return err
		}
		siblings, err := tx.Siblings(background, scope, ids)
		for i := range siblings {
			read = append(read, &siblings[i])
		}
		return err
	})
	return cached, read, err
}

func checkCandidates(rt *rapid.T, t testing.TB, b backendtest.Backend) {
	data, clock := b.Open(t), backendtest.NewClock()
	options := backendtest.Options{Memory: memory.Options{Now: clock.Now, Limits: memory.Limits{Retention: new(time.Duration)}}}
	caching := openOver(t, data, options)
	options.Search.CandidateCache = 1 // too small for any row
	reading := openOver(t, data, options)
	snapshots, numbered := data.Storage(t), cache.NewReaders()
	rows := cache.NewRows(numbered, 64<<20)
	share(caching, "alice", "bob", acl.ReadWrite)
	for i, label := range []acl.Label{acl.Public, acl.Public, acl.Public, acl.Public, acl.Public, acl.Public, acl.Internal, acl.Internal} {
		caching.PutText(agent("alice", label), "alice", fmt.Sprint("other", i), "x", 201)
	}
	readers := []memory.Caller{agent("alice", acl.Public), agent("alice", acl.Restricted), agent("bob", acl.Internal)}
	shown := func(entries []*memory.Entry) string {
		lines := make([]string, len(entries))
		for i, e := range entries {
			lines[i] = fmt.Sprintf("%+v", *e)
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	compare := func(what string) {
		for _, c := range readers {
			cached, read, err := candidates(snapshots, rows, numbered.Of(c), c, clock.Now())
			if err != nil && !errors.Is(err, acl.ErrDenied) {
				rt.Fatal(err)
			}
			if got, want := shown(cached), shown(read); got != want {
				rt.Fatalf("after %s, %s at %v has the candidates\n%s\nthe rows are\n%s", what, c.Agent, c.Taint, got, want)
			}
			if got, want := answered(caching, c), answered(reading, c); got != want {
				rt.Fatalf("after %s, %s at %v finds\n%s\nwithout cached rows\n%s", what, c.Agent, c.Taint, got, want)
			}
		}
	}
	compare("the first writes")
	for i, change := range rapid.SliceOfN(rapid.Custom(backendtest.DrawChange), 1, 12).Draw(rt, "changes") {
		if err := change([]*harness{caching, reading}[i%2].Fixture, clock); status(err) == 500 {
			rt.Fatal(err)
		}
		if i%3 != 2 { // also several changes between two searches
			compare(fmt.Sprint("change ", i))
		}
	}
	var working sync.WaitGroup
	for i, changes := range rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(backendtest.DrawChange), 0, 6), 2, 2).Draw(rt, "changes at a time") {
		working.Go(func() {
			for _, change := range changes {
				if err := change([]*harness{caching, reading}[i].Fixture, clock); status(err) == 500 {
					t.Error(err)
				}
			}
		})
	}
	for _, c := range readers {
		working.Go(func() {
			for range 3 {
				answered(caching, c)
				if _, _, err := candidates(snapshots, rows, numbered.Of(c), c, clock.Now()); err != nil && !errors.Is(err, acl.ErrDenied) {
					t.Error(err)
				}
			}
		})
	}
	working.Wait()
	compare("changes and searches at a time")
}
