package compose_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/markdown"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/storage/postgres"
	"mneme/test/backendtest"
)

// checkSearch searches by words and by the vectors that the previous version made,
// then by those of entries that it had queued.
func (f previous) checkSearch() {
	f.t.Helper()
	// Answers report vector_lag until the long-queued entries of alice's store have vectors.
	var degraded []string
	search := func(c memory.Caller, query string) []search.Hit {
		answer, err := f.Search(f.t.Context(), c, search.Request{Query: query, Limit: 10, Explain: true})
		f.ok(err)
		if !slices.Equal(answer.Degraded, degraded) || len(answer.Hits) == 0 {
			f.t.Fatalf("%q: %d hits, degraded %v", query, len(answer.Hits), answer.Degraded)
		}
		return answer.Hits
	}
	degraded = []string{"vector_lag"}
	backendtest.Eventually(f.t, "the vectors of the previous version are found", func() bool {
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

// checkFacts checks the kinds of IDs, and the grants. An ID that calls only mentioned, such
// as ghost, has no kind, so a chat can have it.
func (f previous) checkFacts() {
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
		grants, err := tx.CountGrants(f.t.Context(), "alice", acl.Public)
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

// checkIndex checks that MEMORY.md has no text that bob wrote, whichever later write
// preserved it.
func (f previous) checkIndex() {
	f.t.Helper()
	for _, taint := range []acl.Label{acl.Public, acl.Internal, acl.Restricted} {
		page, err := f.List(f.t.Context(), agent("alice", taint), memory.ListRequest{Store: "alice", Limit: 100, WithoutText: true})
		f.ok(err)
		var index strings.Builder
		for i := range page.Items {
			index.WriteString(markdown.IndexLine("alice", &page.Items[i].Entry))
		}
		want := "- [kept](kept.md) — of alice\n"
		// Sessions above PUBLIC see another entry at this path, without a description.
		if taint == acl.Public {
			want += "- [tea](tea.md) — what she drinks\n"
		}
		if got := index.String(); got != want {
			f.t.Errorf("at %s MEMORY.md is\n%swant\n%s", taint, got, want)
		}
	}
}

// checkUsage compares the usage that the storage has counted with the entries.
func (f previous) checkUsage() {
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
func (f previous) checkEntries() {
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
	trash, err := f.Trash(f.t.Context(), agent("alice", acl.Public), memory.TrashRequest{Store: "alice", Limit: 10})
	if err != nil || len(trash.Items) != 1 || trash.Items[0].Key != "gone" {
		f.t.Errorf("trash: %v, %v", trash.Items, err)
	}
}

// checkDump checks that the dump of the database has the records that the previous version
// dumped: the same records on SQLite, and as many of each kind on PostgreSQL.
func (f previous) checkDump() {
	f.t.Helper()
	var dump bytes.Buffer
	f.ok(f.Dump(f.t.Context(), &dump))
	want := withLabels(unpack(f.t, previousDump))
	_, records, _ := bytes.Cut(dump.Bytes(), []byte("\n")) // after the header, which has the version
	_, wanted, _ := bytes.Cut(want, []byte("\n"))
	if _, rebuilt := f.storage.(*postgres.Storage); !rebuilt && !bytes.Equal(records, wanted) {
		f.t.Errorf("the dump is\n%swant\n%s", records, wanted)
	}
	if got, want := recordKinds(f.t, dump.Bytes()), recordKinds(f.t, want); !maps.Equal(got, want) || len(got) < 14 {
		f.t.Errorf("the dump has %v, want %v", got, want)
	}
}

// withLabels returns a dump of the previous version in the form of this one: grants of the
// previous version had no labels, and needed no acceptance.
func withLabels(dump []byte) []byte {
	var lines [][]byte
	for line := range bytes.Lines(dump) {
		if bytes.HasPrefix(line, []byte(`{"grant":`)) {
			line = bytes.Replace(line, []byte(`,"Caps":`), []byte(`,"Label":"PUBLIC","Accepted":"PUBLIC","Caps":`), 1)
		}
		lines = append(lines, line)
	}
	return bytes.Join(lines, nil)
}

// recordKinds counts the records of a dump by kind. Records of the meter are counted by
// their own kinds.
func recordKinds(t *testing.T, dump []byte) map[string]int {
	t.Helper()
	kinds := make(map[string]int)
	for line := range bytes.Lines(dump) {
		var record map[string]json.RawMessage
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		var ofMeter map[string]json.RawMessage
		if raw, ok := record["meter"]; ok {
			if err := json.Unmarshal(raw, &ofMeter); err != nil {
				t.Fatal(err)
			}
		}
		for kind := range maps.Keys(record) {
			kinds[kind]++
		}
		for kind := range maps.Keys(ofMeter) {
			kinds["meter "+kind]++
		}
	}
	return kinds
}

// checkMarket checks balances, charges and the ledger.
func (f previous) checkMarket() {
	f.t.Helper()
	for name, want := range map[string]int64{"erin": 1_000_000 - 2000, "dora": 2000 - 100} {
		account, err := f.market.Account(f.t.Context(), agent(name, acl.Public))
		f.ok(err)
		if account.Balance != want {
			f.t.Errorf("the balance of %s is %d, want %d", name, account.Balance, want)
		}
	}
	usage, err := f.market.Usage(f.t.Context(), agent("erin", acl.Public), 10, "")
	f.ok(err)
	states := make(map[meter.ChargeState]int)
	for _, used := range usage.Items {
		states[used.State]++
	}
	if states["done"] != 1 || states["refunded"] != 1 {
		f.t.Errorf("charges are %v", states)
	}
	f.ok(f.storage.ForMeter().View(f.t.Context(), func(tx meter.ReadTx) error {
		_, err := meter.VerifyLedger(f.t.Context(), tx)
		return err
	}))
}

// checkHistory checks that former versions are kept, and that a further one takes the
// place of the oldest.
func (f previous) checkHistory() {
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
	if all := versions(); len(all) != 100 || all[0] != 110 {
		f.t.Errorf("%d versions", len(all))
	}
	_, err := f.Put(f.t.Context(), alice, memory.PutRequest{Path: diary, Value: []byte(fmt.Sprintf("%q", "another day"))})
	f.ok(err)
	if all := versions(); len(all) != 100 || all[0] != 111 {
		f.t.Errorf("%d versions from %d", len(all), all[0])
	}
}
