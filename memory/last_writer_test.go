package memory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/backendtest"
)

func TestAnEditTakesAnEntryOverIntoTheEditorsCount(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Keys: 2, Bytes: 40})
		alice, bob := agent("alice", acl.Public), agent("bob", acl.Public)
		share(h, "alice", "bob", acl.ReadWrite)
		h.PutText(alice, "alice", "1", "x", 201)
		h.PutText(alice, "alice", "2", "x", 201)
		h.PutText(alice, "alice", "3", "x", 429)
		h.PutText(bob, "alice", "1", "y", 200)
		h.PutText(alice, "alice", "3", "x", 201) // bob holds 1
		h.PutText(alice, "alice", "1", "x", 429) // alice has no room for it
		h.PutText(bob, "alice", "2", "y", 200)
		h.PutText(bob, "alice", "3", "y", 429)
		h.PutText(bob, "alice", "2", strings.Repeat("y", 36), 429)
		h.PutText(bob, "alice", "2", strings.Repeat("y", 30), 200)
		// A rename and a restore count as writes of the agent that performs them.
		h.PutText(alice, "alice", "4", "x", 201)
		_, err := h.Rename(background, alice, memory.RenameRequest{Path: path("alice", "1"), To: "5"})
		h.WantStatus(err, 429)
		h.WantStatus(h.Delete(background, alice, path("alice", "4"), memory.Preconditions{}), 200)
		_, err = h.Rename(background, alice, memory.RenameRequest{Path: path("alice", "1"), To: "5"})
		h.WantStatus(err, 200)
		_, err = h.Restore(background, alice, memory.RestoreRequest{Path: path("alice", "4")})
		h.WantStatus(err, 429)
		version := 1
		_, err = h.Restore(background, alice, memory.RestoreRequest{Path: path("alice", "2"), Version: &version})
		h.WantStatus(err, 429)
	})
}

// share grants an agent's own store at every label.
func share(h *harness, store, grantee string, level acl.Level) {
	h.t.Helper()
	h.Lend(store, grantee, level)
}

// The stored counts always equal a recount. A write is refused if and only if the caller's own
// live entries at its label leave no room: entries that others wrote, hidden or not, have no
// influence.
func TestQuotaDependsOnlyOnTheCallersOwnWrites(t *testing.T) {
	divisor := map[string]int{"sqlite+flat": 1, "postgres+flat": 5}
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			backendtest.Check(t, divisor[b.Name], func(t testing.TB, rt *rapid.T) { checkQuotas(rt, t, b) })
		})
	}
}

func checkQuotas(rt *rapid.T, t testing.TB, b backendtest.Backend) {
	const keys, bytes = 3, 60
	data := b.Open(t)
	var rows storage.Storage
	open := data.Storage
	data.Storage = func(t testing.TB) storage.Storage { rows = open(t); return rows }
	clock := backendtest.NewClock()
	h := openOver(t, data, memory.Options{Limits: memory.Limits{Keys: keys, Bytes: bytes, Retention: new(time.Duration)}, Now: clock.Now})
	share(h, "alice", "bob", acl.ReadWrite)
	share(h, "bob", "alice", acl.ReadWrite)

	somebody := rapid.SampledFrom([]string{"alice", "bob"})
	someLabel := rapid.SampledFrom([]acl.Label{acl.Public, acl.Internal})
	someKey := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
	type own struct {
		store, writer string
		label         acl.Label
	}
	recount := func() map[own]memory.Usage {
		usage := make(map[own]memory.Usage)
		must(h, rows.View(background, func(tx memory.ReadTx) error {
			return tx.Dump(background, func(r memory.DumpRecord) error {
				if e := r.Entry; e != nil && e.Live(clock.Now()) {
					k := own{e.Store, e.UpdatedBy, e.Label}
					usage[k] = memory.Usage{Entries: usage[k].Entries + 1, Bytes: usage[k].Bytes + int64(len(e.Value))}
				}
				return nil
			})
		}))
		return usage
	}
	for i := range rapid.IntRange(1, 25).Draw(rt, "steps") {
		store, who, label, key := somebody.Draw(rt, "store"), somebody.Draw(rt, "agent"), someLabel.Draw(rt, "label"), someKey.Draw(rt, "key")
		c, at := agent(who, label), path(store, key)
		before := recount()[own{store, who, label}]
		clock.Advance(time.Second)
		var err error
		switch rapid.IntRange(0, 9).Draw(rt, "kind") {
		default:
			r := memory.PutRequest{Path: at, Value: text(strings.Repeat("x", rapid.IntRange(0, 40).Draw(rt, "size")))}
			if store == who && rapid.IntRange(0, 3).Draw(rt, "hidden") == 0 {
				r.InContext = new(bool)
			}
			if store == who && rapid.IntRange(0, 3).Draw(rt, "expires") == 0 {
				r.TTL = new(3 * time.Second)
			}
			_, err = h.Put(background, c, r)
			if status(err) == 429 && before.Entries < keys && before.Bytes+int64(len(r.Value)) <= bytes {
				rt.Fatalf("step %d: refused although %s wrote only %+v", i, who, before)
			}
		case 5:
			err = h.Delete(background, c, at, memory.Preconditions{})
		case 6:
			_, err = h.Restore(background, c, memory.RestoreRequest{Path: at})
		case 7:
			_, err = h.Restore(background, c, memory.RestoreRequest{Path: at, Version: new(1)})
		case 8:
			to := somebody.Draw(rt, "to store")
			_, err = h.Rename(background, c, memory.RenameRequest{Path: at, To: someKey.Draw(rt, "to"), ToStore: to})
		case 9:
			_, err = h.Purge(background, caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true}), memory.PurgeRequest{Before: clock.Now()}, nil)
		}
		if status(err) == 500 {
			rt.Fatalf("step %d: %v", i, err)
		}
		counts := recount()
		for _, store := range []string{"alice", "bob"} {
			for _, writer := range []string{"alice", "bob"} {
				for _, label := range []acl.Label{acl.Public, acl.Internal} {
					k := own{store, writer, label}
					var got memory.Usage
					must(h, rows.View(background, func(tx memory.ReadTx) (err error) {
						got, err = tx.Usage(background, store, writer, label, clock.Now())
						return err
					}))
					if got != counts[k] || got.Entries > keys || got.Bytes > bytes {
						rt.Fatalf("step %d: usage of %v is %+v, counted again %+v", i, k, got, counts[k])
					}
				}
			}
		}
	}
}

// askedUsage is a storage that records the parameter now of each call of Usage.
type askedUsage struct {
	storage.Storage
	times []time.Time
}

type askedTx struct {
	memory.Tx
	of *askedUsage
}

func (s *askedUsage) UpdateBatched(ctx context.Context, fn func(memory.Tx) error) error {
	return s.Storage.UpdateBatched(ctx, func(tx memory.Tx) error { return fn(askedTx{tx, s}) })
}

func (tx askedTx) Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (memory.Usage, error) {
	tx.of.times = append(tx.of.times, now)
	return tx.Tx.Usage(ctx, store, writer, label, now)
}

// A million entries may expire at one instant. Until they are swept, excluding them takes long,
// so it must be done only where they decide about a write.
func TestExpiredEntriesAreCountedOnlyWhereTheyWouldReachALimit(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		clock, rows := backendtest.NewClock(), &askedUsage{Storage: b.Open(t).Storage(t)}
		p := backendtest.OpenProcess(t, rows, backendtest.Options{Memory: memory.Options{Limits: memory.Limits{Keys: 2}, Now: clock.Now}})
		h, a := &harness{backendtest.Wrap(t, p), t}, agent("a", acl.Public)
		check := func(key string, want int, asked ...time.Time) {
			t.Helper()
			rows.times = nil
			h.PutText(a, "a", key, "v", want, ttl(time.Second))
			if !slices.Equal(rows.times, asked) {
				t.Errorf("%s: asked for the usage at %v, want %v", key, rows.times, asked)
			}
		}
		check("1", 201, time.Time{})
		check("2", 201, time.Time{})
		check("3", 429, time.Time{}, clock.Now())
		clock.Advance(time.Minute)
		check("3", 201, time.Time{}, clock.Now())
		check("4", 201, time.Time{}, clock.Now())
		check("5", 429, time.Time{}, clock.Now())
	})
}

// author is a simple model of who wrote a field: the text and its author, by version.
type author struct{ text, by string }

// The index of an agent's memories shows nothing that another agent wrote, after any sequence
// of writes, renames, deletions and restorations.
func TestAuthorsOfFieldsFollowTheText(t *testing.T) {
	divisor := map[string]int{"sqlite+flat": 1, "postgres+flat": 5}
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			backendtest.Check(t, divisor[b.Name], func(t testing.TB, rt *rapid.T) { checkAuthors(rt, t, b) })
		})
	}
}

func checkAuthors(rt *rapid.T, t testing.TB, b backendtest.Backend) {
	h := open(t, b, memory.Limits{History: memory.HistoryLimits{Versions: 6}})
	alice, bob := agent("alice", acl.Public), agent("bob", acl.Public)
	share(h, "alice", "bob", acl.ReadWrite)
	at := path("alice", "note")
	h.PutText(alice, "alice", "note", "x", 201)
	descriptions, types := []author{{"", "alice"}}, []author{{"", "alice"}} // by version
	somebody := rapid.SampledFrom([]memory.Caller{alice, bob})
	give := func(of []author, who, text string) author {
		last := of[len(of)-1]
		if text != last.text || who == "alice" {
			return author{text, who}
		}
		return last
	}
	for i := range rapid.IntRange(1, 20).Draw(rt, "steps") {
		h.Clock.Advance(time.Second)
		c := somebody.Draw(rt, "agent")
		description, kind := descriptions[len(descriptions)-1], types[len(types)-1]
		switch rapid.IntRange(0, 6).Draw(rt, "kind") {
		case 0: // deleted and restored by the store's own agent
			must(h, h.Delete(background, alice, at, memory.Preconditions{}))
			_, err := h.Restore(background, alice, memory.RestoreRequest{Path: at})
			must(h, err)
		case 1:
			to := fmt.Sprint("note-", i)
			_, err := h.Rename(background, alice, memory.RenameRequest{Path: at, To: to})
			must(h, err)
			at.Key = to
		case 2: // an older version
			first := max(1, len(descriptions)-5)
			version := rapid.IntRange(first, len(descriptions)).Draw(rt, "version")
			_, err := h.Restore(background, c, memory.RestoreRequest{Path: at, Version: &version})
			must(h, err)
			description, kind = descriptions[version-1], types[version-1]
		default:
			r := memory.PutRequest{Path: at, Value: text(fmt.Sprint(i))}
			if rapid.Bool().Draw(rt, "with description") {
				r.Description = new(rapid.SampledFrom([]string{"", "one", "two"}).Draw(rt, "description"))
				description = give(descriptions, c.Agent, *r.Description)
			}
			if rapid.Bool().Draw(rt, "with type") {
				r.Type = new(rapid.SampledFrom([]string{"user", "project"}).Draw(rt, "type"))
				kind = give(types, c.Agent, *r.Type)
			}
			_, err := h.Put(background, c, r)
			must(h, err)
		}
		descriptions, types = append(descriptions, description), append(types, kind)
		found, err := h.Get(background, alice, at)
		must(h, err)
		if got := (author{found.Description, found.DescriptionBy}); got != description {
			rt.Fatalf("step %d: the description is %v, want %v", i, got, description)
		}
		if got := (author{found.Type, found.TypeBy}); got != kind {
			rt.Fatalf("step %d: the type is %v, want %v", i, got, kind)
		}
	}
	page, err := h.Versions(background, alice, at, 100, "")
	must(h, err)
	if len(page.Items) != min(6, len(descriptions)) {
		rt.Fatalf("%d versions of %d", len(page.Items), len(descriptions))
	}
	for _, v := range page.Items {
		if got := (author{v.Description, v.DescriptionBy}); got != descriptions[v.Version-1] {
			rt.Fatalf("version %d: the description is %v, want %v", v.Version, got, descriptions[v.Version-1])
		}
	}
}

func TestSharingNeitherClaimsNorAsksForTheGranteesKind(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Grants: 3})
		ctx := context.Background()
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true})
		must(h, h.PutParticipant(ctx, platform, "chat", "agent", nil))
		must(h, h.PutSession(ctx, platform, "user", "agent", nil))
		must(h, h.RegisterCaller(ctx, acl.Principal{Agent: "known", Taint: acl.Public}))
		for _, grantee := range []string{"chat", "known", "unknown"} {
			_, err := h.Share(ctx, agent("alice", acl.Public), memory.ShareRequest{Store: "alice", Grantee: grantee, Level: acl.ReadWrite})
			must(h, err)
		}
		_, err := h.Share(ctx, agent("alice", acl.Public), memory.ShareRequest{Store: "alice", Grantee: "fourth"})
		h.WantStatus(err, 429)
		for _, id := range []string{"unknown", "agent", "user"} { // named, but they never called
			h.WantStatus(h.PutParticipant(ctx, platform, id, "somebody", nil), 200)
		}
		h.WantStatus(h.PutParticipant(ctx, platform, "known", "somebody", nil), 409)
		h.WantStatus(h.PutParticipant(ctx, platform, "other", "chat", nil), 409)
		h.WantStatus(h.PutSession(ctx, platform, "chat", "somebody", nil), 409)
		if err := h.RegisterCaller(ctx, acl.Principal{Agent: "unknown", Taint: acl.Public}); err == nil {
			t.Error("a chat called")
		}
		// A grant to an id that is a chat's gives nothing to the chat's participants.
		h.WantStatus(h.Authorize(ctx, memory.Caller{Principal: acl.Principal{Agent: "agent", Taint: acl.Public, Chat: "chat"}}, "alice", acl.Read), 403)
	})
}

func TestExpiredGrantsMakeRoom(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Grants: 2})
		grant := func(grantee string, ttl time.Duration) error {
			_, err := h.Share(background, agent("alice", acl.Public), memory.ShareRequest{Store: "alice", Grantee: grantee, TTL: &ttl})
			return err
		}
		must(h, grant("a", time.Minute))
		must(h, grant("b", 0))
		h.WantStatus(grant("c", 0), 429)
		h.WantStatus(grant("a", time.Hour), 200) // an existing grant may be changed
		h.WantStatus(grant("a", time.Minute), 200)
		h.Clock.Advance(time.Minute)
		must(h, grant("a", 0))
		h.WantStatus(grant("c", 0), 429)
		h.WantStatus(h.Unshare(background, agent("alice", acl.Public), "alice", "b"), 200)
		must(h, grant("c", 0))
	})
}
