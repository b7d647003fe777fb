package compose_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/markdown"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/storage/postgres"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlite"
	"mneme/test/backendtest"
)

// A database that the first version of mneme wrote opens, and everything in it is
// found and counted by the rules of today.
func TestDatabasesOfTheFirstVersionOpen(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) storage.Storage{"sqlite": openFirstSQLite, "postgres": openFirstPostgres} {
		t.Run(name, func(t *testing.T) {
			f := firstFixture(t, open(t))
			f.checkSearch()
			f.checkFacts()
			f.checkIndex()
			f.checkUsage()
			f.checkEntries()
			f.checkHistory()
			f.checkUsage()
		})
	}
}

func TestDumpsOfTheFirstVersionLoad(t *testing.T) {
	backendtest.Each(t, backendtest.Storages(), func(t *testing.T, b backendtest.Backend) {
		f := firstFixture(t, b.Open(t).Storage(t))
		if _, err := f.LoadDump(t.Context(), bytes.NewReader(unpack(t, firstDump)), nil); err != nil {
			t.Fatal(err)
		}
		f.Index()
		f.checkFacts()
		f.checkIndex()
		f.checkUsage()
		f.checkEntries()
		f.checkHistory()
	})
}

type first struct {
	*backendtest.Fixture
	t       *testing.T
	storage storage.Storage
}

func firstFixture(t *testing.T, rows storage.Storage) first {
	t.Helper()
	data := backendtest.Embedded().Open(t)
	data.Storage = func(testing.TB) storage.Storage { return rows }
	return first{backendtest.OpenOver(t, data, backendtest.Options{}, backendtest.MustEncoder(t)), t, rows}
}

func unpack(t *testing.T, path string) []byte {
	t.Helper()
	packed, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func openFirstSQLite(t *testing.T) storage.Storage {
	path := filepath.Join(t.TempDir(), "mneme.db")
	if err := os.WriteFile(path, unpack(t, firstSQLite), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	})
	return rows
}

func openFirstPostgres(t *testing.T) storage.Storage {
	dsn := postgrestest.Database(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	// Row-level security applies to the owner too.
	_, err = conn.Exec(t.Context(), "SET mneme.scope = '*';\n"+string(unpack(t, firstPostgres)), pgx.QueryExecModeSimpleProtocol)
	if err = errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	rows, err := postgres.Open(t.Context(), dsn, postgres.Options{MaxConns: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	})
	return rows
}

func agent(name string, taint acl.Label) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: name, Taint: taint}, Internal: true}
}

var platform = memory.Caller{Principal: acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true}}

func (f first) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// checkSearch searches by words and by the vectors that the first version made,
// then by those of entries that it had queued.
func (f first) checkSearch() {
	f.t.Helper()
	var degraded []string // what the answers say: alice's store has entries that were queued long ago
	search := func(c memory.Caller, query string) []search.Hit {
		answer, err := f.Search(f.t.Context(), c, search.Request{Query: query, Limit: 10, Explain: true})
		f.ok(err)
		if !slices.Equal(answer.Degraded, degraded) || len(answer.Hits) == 0 {
			f.t.Fatalf("%q: %d hits, degraded %v", query, len(answer.Hits), answer.Degraded)
		}
		return answer.Hits
	}
	degraded = []string{"vector_lag"}
	backendtest.Eventually(f.t, "the vectors of the first version are found", func() bool {
		hit := search(agent("alice", acl.Public), "what does she like to sip at breakfast: green tea?")[0]
		return hit.Key == "tea" && hit.Label == acl.Public && hit.Explain.Lexical != nil && hit.Explain.Vector != nil
	})
	match, err := memory.NewMatch([]string{"green tea"}, nil, []string{"coffee beans"})
	f.ok(err)
	page, err := f.List(f.t.Context(), agent("alice", acl.Public), memory.ListRequest{Store: "alice", Limit: 100, Filter: memory.Filter{Match: match}})
	f.ok(err)
	if !slices.ContainsFunc(page.Items, func(found memory.Found) bool { return found.Key == "tea" }) {
		f.t.Errorf("%d entries have the exact words", len(page.Items))
	}
	if hit := search(agent("alice", acl.Restricted), "allergic to penicillin")[0]; hit.Key != "doctor" {
		f.t.Errorf("found %s", hit.Key)
	}
	if hit := search(agent("bob", acl.Public), "green tea")[0]; hit.Store != "alice" {
		f.t.Errorf("found %s of %s", hit.Key, hit.Store)
	}
	f.Index()
	degraded = nil
	backendtest.Eventually(f.t, "queued entries are found by their vectors", func() bool {
		hit := search(agent("alice", acl.Public), "heavy parcels at the post office")[0]
		return strings.HasPrefix(hit.Key, "queued-") && hit.Explain.Vector != nil
	})
}

// checkFacts checks names and grants. Ids that were only named are free.
func (f first) checkFacts() {
	f.t.Helper()
	f.ok(f.storage.View(f.t.Context(), func(tx memory.ReadTx) error {
		got := make(map[string]memory.Kind)
		for _, id := range []string{"alice", "bob", "carol", "room", "room-2", "chat-100", "ghost", "silent", "user-1"} {
			var err error
			if got[id], err = tx.KindOf(f.t.Context(), id); err != nil {
				return err
			}
		}
		want := map[string]memory.Kind{
			"alice": memory.KindCaller, "bob": memory.KindCaller, "carol": memory.KindCaller, "room": memory.KindChat, "room-2": memory.KindChat,
			"chat-100": "", "ghost": "", "silent": "", "user-1": "",
		}
		if !maps.Equal(got, want) {
			f.t.Errorf("names are %v, want %v", got, want)
		}
		grants, err := tx.CountGrants(f.t.Context(), "alice")
		if grants != 3 {
			f.t.Errorf("%d grants", grants)
		}
		return err
	}))
	f.ok(f.PutParticipant(f.t.Context(), platform, "chat-100", "alice", nil))
	if err := f.PutParticipant(f.t.Context(), platform, "bob", "alice", nil); !errors.Is(err, memory.ErrKindClash) {
		f.t.Errorf("bob as a chat: %v", err)
	}
	if err := f.RegisterCaller(f.t.Context(), acl.Principal{Agent: "room", Taint: acl.Public}); !errors.Is(err, memory.ErrNotCaller) {
		f.t.Errorf("room as a caller: %v", err)
	}
}

// checkIndex checks MEMORY.md: no text that bob wrote, however it was carried
// on.
func (f first) checkIndex() {
	f.t.Helper()
	for _, taint := range []acl.Label{acl.Public, acl.Internal, acl.Restricted} {
		page, err := f.List(f.t.Context(), agent("alice", taint), memory.ListRequest{Store: "alice", Limit: 100, WithoutText: true})
		f.ok(err)
		var index strings.Builder
		for i := range page.Items {
			index.WriteString(markdown.IndexLine("alice", &page.Items[i].Entry))
		}
		want := "- [kept](kept.md) — of alice\n"
		if taint == acl.Public { // above it the path is another entry's, without a description
			want += "- [tea](tea.md) — what she drinks\n"
		}
		if got := index.String(); got != want {
			f.t.Errorf("at %s MEMORY.md is\n%swant\n%s", taint, got, want)
		}
	}
}

// checkUsage counts again what the storage has counted.
func (f first) checkUsage() {
	f.t.Helper()
	type key struct {
		store, writer string
		label         acl.Label
	}
	f.ok(f.storage.View(f.t.Context(), func(tx memory.ReadTx) error {
		want, now := make(map[key]memory.Usage), time.Now()
		err := tx.Dump(f.t.Context(), func(r memory.DumpRecord) error {
			if e := r.Entry; e != nil {
				k := key{e.Store, e.UpdatedBy, e.Label}
				u := want[k]
				if e.Live(now) {
					u.Entries, u.Bytes = u.Entries+1, u.Bytes+int64(len(e.Value))
				}
				want[k] = u
			}
			return nil
		})
		for k, u := range want {
			got, readErr := tx.Usage(f.t.Context(), k.store, k.writer, k.label, now)
			if err = errors.Join(err, readErr); got != u {
				f.t.Errorf("usage of %v is %+v, want %+v", k, got, u)
			}
		}
		if n := want[key{"alice", "bob", acl.Public}].Entries; n == 0 {
			f.t.Error("bob wrote nothing last in alice's store")
		}
		return err
	}))
}

// checkEntries reads entries of each kind.
func (f first) checkEntries() {
	f.t.Helper()
	for _, c := range []struct {
		taint      acl.Label
		key, value string
	}{
		{acl.Public, "tea", `"Alice drinks green tea in the morning"`}, {acl.Internal, "tea", `"At work Alice drinks black coffee"`},
		{acl.Public, "private", `"not in context"`}, {acl.Public, "sealed", `"c2VhbGVk"`}, {acl.Public, "back", `"deleted and restored"`},
		{acl.Internal, "above", `"Bob was here"`}, {acl.Public, "moved", `"bob was here"`},
	} {
		found, err := f.Get(f.t.Context(), agent("alice", c.taint), memory.Path{Store: "alice", Key: c.key})
		if err != nil || string(found.Value) != c.value {
			f.t.Errorf("%s at %s is %s, %v", c.key, c.taint, found.Value, err)
		}
	}
	for _, key := range []string{"brief", "gone", "doctor"} {
		if _, err := f.Get(f.t.Context(), agent("alice", acl.Public), memory.Path{Store: "alice", Key: key}); !errors.Is(err, memory.ErrNotFound) {
			f.t.Errorf("%s: %v", key, err)
		}
	}
	trash, err := f.Trash(f.t.Context(), agent("alice", acl.Public), "alice", 10, "")
	if err != nil || len(trash.Items) != 1 || trash.Items[0].Key != "gone" {
		f.t.Errorf("trash: %v, %v", trash.Items, err)
	}
}

// checkHistory checks that the service erases the versions beyond the limits in
// the background, and that a restored version keeps its author.
func (f first) checkHistory() {
	f.t.Helper()
	alice, diary := agent("alice", acl.Public), memory.Path{Store: "alice", Key: "diary"}
	versions := func() (all []int) {
		for cursor := ""; ; {
			next, err := f.EachVersion(f.t.Context(), alice, diary, 100, cursor, func(v memory.Found) error {
				all = append(all, v.Version)
				return nil
			})
			f.ok(err)
			if cursor = next; cursor == "" {
				return all
			}
		}
	}
	if n := len(versions()); n != 130 {
		f.t.Errorf("%d versions before", n)
	}
	ctx, cancel := context.WithCancel(f.t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Service.Run(ctx) }()
	backendtest.Eventually(f.t, "the history is trimmed", func() bool { return len(versions()) == 100 })
	cancel()
	f.ok(<-done)
	if all := versions(); all[0] != 130 || all[99] != 31 || !slices.IsSortedFunc(all, func(a, b int) int { return b - a }) {
		f.t.Errorf("versions are %v", all)
	}
	_, err := f.Put(f.t.Context(), alice, memory.PutRequest{Path: diary, Value: []byte(fmt.Sprintf("%q", "another day"))})
	f.ok(err)
	if all := versions(); len(all) != 100 || all[0] != 131 {
		f.t.Errorf("%d versions from %d", len(all), all[0])
	}
}
