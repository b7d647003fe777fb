// Package storagetest is the conformance suite for storages. It has a test for each clause of
// the contracts in the files storage*.go of packages memory, indexer and meter.
package storagetest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage"
)

// RowCounter is an optional interface of a storage, for tests of what a purge leaves.
type RowCounter interface {
	// Rows returns the number of rows by table. It excludes the tables of change records and of
	// the feed, which outlive their entries, and of store numbers.
	Rows(ctx context.Context) (map[string]int64, error)
}

// ChangeDater is an optional interface of a storage, for tests of wrong clocks.
type ChangeDater interface {
	// DateChange sets the time of a change record.
	DateChange(ctx context.Context, position int64, at time.Time) error
}

// clause is one rule of the contract and its test.
type clause struct {
	rule string
	test func(f *fixture)
}

// Run tests a storage. open returns a new, empty storage, which the suite closes.
func Run(t *testing.T, open func(t testing.TB) storage.Storage) {
	for _, group := range []struct {
		name    string
		clauses []clause
	}{
		{"Transaction", transactions},
		{"Batched", batched},
		{"Put", puts},
		{"Read", reads},
		{"Scan", scans},
		{"Match", matches},
		{"Where", wheres},
		{"Words", wordMatches},
		{"Usage", usages},
		{"History", histories},
		{"Expiry", expiries},
		{"Purge", purges},
		{"Feed", feeds},
		{"Lexical", lexicals},
		{"Known", knownDocuments},
		{"Score", scores},
		{"Vector", vectors},
		{"Dropped", droppedVectors},
		{"Queue", queues},
		{"Turn", turns},
		{"Lag", lags},
		{"Fact", facts},
		{"Kept", keptFacts},
		{"Reading", readings},
		{"Dump", dumps},
		{"Offer", offers},
		{"Ledger", ledgers},
		{"Charge", charges},
		{"Count", counts},
		{"Claim", claims},
		{"MeterDump", meterDumps},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel() // tests mostly wait for servers and disks
			for _, c := range group.clauses {
				t.Run(c.rule, func(t *testing.T) { c.test(newFixture(t, open)) })
			}
		})
	}
	t.Run("a dump loaded into another storage is dumped from it unchanged", func(t *testing.T) { testRoundTrip(t, open) })
	t.Run("records of the meter loaded into another storage are dumped from it unchanged", func(t *testing.T) { testMeterRoundTrip(t, open) })
	t.Run("Model", func(t *testing.T) { testModel(t, open) })
}

// start is the current time at the start of every test.
var start = time.Date(2030, 5, 17, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return start.Add(d) }

// stopped returns a clock that always shows t.
func stopped(t time.Time) func() time.Time { return func() time.Time { return t } }

// fixture is a test with its own storage.
type fixture struct {
	*testing.T
	storage storage.Storage
	ctx     context.Context
}

// large skips a test with -short, which the race detector runs with: a test on many entries with
// one goroutine finds nothing then that smaller tests do not.
func (f *fixture) large() {
	f.Helper()
	if testing.Short() {
		f.Skip("many entries and one goroutine: the full run has it")
	}
}

func newFixture(t *testing.T, open func(t testing.TB) storage.Storage) *fixture {
	s := open(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &fixture{T: t, storage: s, ctx: t.Context()}
}

// view and update run a transaction that must succeed.
func (f *fixture) view(fn func(tx memory.ReadTx) error) {
	f.Helper()
	f.ok(f.storage.View(f.ctx, fn))
}

func (f *fixture) update(fn func(tx memory.Tx) error) {
	f.Helper()
	f.ok(f.storage.Update(f.ctx, fn))
}

// viewIndex and updateIndex run a transaction of the storage's interface for package indexer. It
// must succeed.
func (f *fixture) viewIndex(fn func(tx indexer.ReadTx) error) {
	f.Helper()
	f.ok(f.storage.ForIndexer().View(f.ctx, fn))
}

func (f *fixture) updateIndex(fn func(tx indexer.Tx) error) {
	f.Helper()
	f.ok(f.storage.ForIndexer().Update(f.ctx, fn))
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatalf("unexpected error: %v", err)
	}
}

func (f *fixture) wantError(err, want error) {
	f.Helper()
	if !errors.Is(err, want) {
		f.Fatalf("error is %v, want %v", err, want)
	}
}

func (f *fixture) equal(got, want any) {
	f.Helper()
	if g, w := asJSON(got), asJSON(want); g != w {
		n := 0
		for n < min(len(g), len(w)) && g[n] == w[n] {
			n++
		}
		n = max(0, n-200)
		f.Fatalf("values differ; from byte %d:\ngot  %.600s\nwant %.600s", n, g[n:], w[n:])
	}
}

// asJSON formats values for comparison and printing. Times must be equal including their
// location, JSON values byte by byte.
func asJSON(v any) string {
	if entries, ok := v.([]memory.Entry); ok {
		var b strings.Builder
		for _, e := range entries {
			b.WriteString(string(e.Value) + "|" + string(e.Source) + "|")
			e.Value, e.Source = nil, nil
			b.WriteString(asJSON(e) + "\n")
		}
		return b.String()
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func put(ctx context.Context, tx memory.Tx, entries ...memory.Entry) error {
	for _, e := range entries {
		if err := tx.Put(ctx, e, words(e)); err != nil {
			return err
		}
	}
	return nil
}

// put writes entries in one transaction.
func (f *fixture) put(entries ...memory.Entry) {
	f.Helper()
	f.update(func(tx memory.Tx) error { return put(f.ctx, tx, entries...) })
}

// delete deletes an entry, and returns the revision that is marked as deleted.
func (f *fixture) delete(e memory.Entry, at time.Time) memory.Entry {
	f.Helper()
	e = changed(e, deletedAt(at))
	f.put(e)
	return e
}

func (f *fixture) get(ids ...uuid.UUID) (entries []memory.Entry) {
	f.Helper()
	f.view(func(tx memory.ReadTx) (err error) {
		entries, err = tx.Get(f.ctx, ids)
		return err
	})
	sortByID(entries)
	return entries
}

func sortByID(entries []memory.Entry) {
	slices.SortFunc(entries, func(a, b memory.Entry) int { return slices.Compare(a.ID[:], b.ID[:]) })
}

func idsOf(entries ...memory.Entry) []uuid.UUID {
	ids := make([]uuid.UUID, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	return ids
}

func keysOf(entries []memory.Entry) []string {
	keys := make([]string, len(entries))
	for i, e := range entries {
		keys[i] = e.Key
	}
	return keys
}

// sorted returns IDs in order, never nil.
func sorted(ids []uuid.UUID) []uuid.UUID {
	ids = append([]uuid.UUID{}, ids...)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// reach is a store with the highest label that a scope includes there.
type reach struct {
	store   string
	ceiling acl.Label
}

// scope returns a scope of stores, with their numbers in the storage.
func (f *fixture) scope(reaches ...reach) acl.Scope {
	f.Helper()
	return scopeOf(f, f.storage, reaches...)
}

func scopeOf(t testing.TB, s storage.Storage, reaches ...reach) acl.Scope {
	t.Helper()
	known := acltest.Facts{AgentSettings: map[string]acl.Settings{"reader": {Enabled: true}}}
	var stores []string
	for _, r := range reaches {
		stores = append(stores, r.store)
		known.GrantList = append(known.GrantList, acl.Grant{Store: r.store, Grantee: "reader", Level: acl.Search, MaxLabel: r.ceiling, Label: acl.Public, Accepted: acl.Public, ByPlatform: true})
	}
	err := s.View(context.Background(), func(tx memory.ReadTx) (err error) {
		known.Numbers, err = numbersOf(context.Background(), tx, stores...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return known.Scope(t, acl.Principal{Agent: "reader", Taint: acl.Restricted}, acl.ScopeRequest{})
}

// search runs Lexical with the words of text as the query, at time start.
func (f *fixture) search(scope acl.Scope, text string, limit int) []lexical.Hit {
	f.Helper()
	return f.lexical(scope, memory.LexicalQuery{Terms: terms(text), Limit: limit, Now: start})
}

// lexical runs a query of Lexical, and orders hits with equal scores by ID.
func (f *fixture) lexical(scope acl.Scope, query memory.LexicalQuery) (hits []lexical.Hit) {
	f.Helper()
	f.view(func(tx memory.ReadTx) (err error) {
		hits, _, err = tx.Lexical(f.ctx, scope, query)
		return err
	})
	for i := 1; i < len(hits); i++ {
		if hits[i-1].Score < hits[i].Score {
			f.Fatalf("hit %d scores above the one before it", i)
		}
	}
	sortTies(hits)
	return hits
}

// sortTies orders hits by score, and those with equal scores by ID.
func sortTies(hits []lexical.Hit) {
	slices.SortStableFunc(hits, func(a, b lexical.Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return slices.Compare(a.Entry[:], b.Entry[:])
	})
}

func entriesOf(hits []lexical.Hit) []uuid.UUID {
	ids := make([]uuid.UUID, len(hits))
	for i, h := range hits {
		ids[i] = h.Entry
	}
	return ids
}
