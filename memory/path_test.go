package memory_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

var background = context.Background()

func path(store, key string) memory.Path { return memory.Path{Store: store, Key: key} }

func TestPutTakesTheLabelOfTheSession(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		for _, label := range []acl.Label{acl.Public, acl.Internal, acl.Confidential, acl.Restricted} {
			if got := h.PutText(agent("a", label), "a", label.String(), "x", 201).Label; got != label {
				t.Errorf("a session at %s wrote %s", label, got)
			}
		}
	})
}

func TestHigherLabelShadowsLowerOneAtTheSameKey(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		low, high := agent("a", acl.Public), agent("a", acl.Internal)
		h.PutText(low, "a", "name", "public name", 201)
		h.WantText(high, "a", "name", "public name")
		if r := h.PutText(high, "a", "name", "internal name", 201); r.Version != 1 {
			t.Errorf("a create over a lower label has version %d", r.Version)
		}
		h.WantText(high, "a", "name", "internal name")
		h.WantText(low, "a", "name", "public name")
		h.PutText(low, "a", "name", "new public name", 200)
		h.WantText(high, "a", "name", "internal name")
		p, err := h.List(background, high, memory.ListRequest{Store: "a", Limit: 100})
		if err != nil || len(p.Items) != 1 || p.Items[0].Label != acl.Internal {
			t.Errorf("the list shows %d entries for one path (%v)", len(p.Items), err)
		}
	})
}

func TestListWithoutTextReturnsTheSameEntries(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		low, high := agent("a", acl.Public), agent("a", acl.Internal)
		kind, tags := "user", []string{"t"}
		for _, key := range []string{"x", "y", "z"} {
			h.PutText(low, "a", key, "low", 201, func(r *memory.PutRequest) {
				r.Type, r.Tags, r.Source = &kind, &tags, json.RawMessage(`{"tool":"test","session":"s","read":["`+uuid.NewString()+`"]}`)
			}, ttl(time.Hour))
		}
		h.PutText(high, "a", "y", "high", 201, func(r *memory.PutRequest) { r.Source = json.RawMessage(`{"session":"s"}`) })
		named, err := h.List(background, high, memory.ListRequest{Store: "a", Limit: 3, WithoutText: true, WithTool: true})
		must(h, err)
		for _, e := range named.Items {
			want := `{"tool":"test"}`
			if e.Key == "y" {
				want = ""
			}
			if e.Value != nil || string(e.Source) != want {
				t.Errorf("%s has value %s and source %s", e.Key, e.Value, e.Source)
			}
		}
		whole, bare := memory.ListRequest{Store: "a", Limit: 2}, memory.ListRequest{Store: "a", Limit: 2, WithoutText: true}
		for {
			p, err := h.List(background, high, whole)
			q, errBare := h.List(background, high, bare)
			if err != nil || errBare != nil || len(p.Items) != len(q.Items) || (p.Next == "") != (q.Next == "") {
				t.Fatalf("%d and %d entries: %v, %v", len(p.Items), len(q.Items), err, errBare)
			}
			for i := range p.Items {
				if q.Items[i].Value != nil || q.Items[i].Source != nil {
					t.Error("an entry has value or source")
				}
				if p.Items[i].Value, p.Items[i].Source, p.Items[i].Size = nil, nil, len(p.Items[i].Value); !reflect.DeepEqual(p.Items[i], q.Items[i]) {
					t.Errorf("%+v\nwithout text is %+v", p.Items[i], q.Items[i])
				}
			}
			if p.Next == "" {
				return
			}
			whole.Cursor, bare.Cursor = p.Next, q.Next
		}
	})
}

func TestPutKeepsFieldsThatItLeavesOut(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		kind, words, tags := "project", "what it is", []string{"x", "y", "x"}
		h.PutText(a, "a", "k", "one", 201, func(r *memory.PutRequest) {
			r.Type, r.Description, r.Tags = &kind, &words, &tags
		}, ttl(time.Hour))
		r := h.PutText(a, "a", "k", "two", 200)
		if r.Type != kind || r.Description != words || len(r.Tags) != 2 || r.ExpiresAt.IsZero() || r.Version != 2 {
			t.Errorf("a put changed fields that it left out: %+v", r.Entry)
		}
		if r = h.PutText(a, "a", "k", "three", 200, ttl(0)); !r.ExpiresAt.IsZero() {
			t.Error("ttl 0 does not remove the expiry")
		}
	})
}

func TestOccurredAtFollowsTheEntry(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		occurring := func(text string) func(*memory.PutRequest) {
			return func(r *memory.PutRequest) { r.OccurredAt = &text }
		}
		want := func(e memory.Entry, err error, want string) {
			t.Helper()
			must(h, err)
			if got := e.OccurredAt.String(); got != want {
				t.Errorf("it occurred at %q, want %q", got, want)
			}
		}
		at := path("a", "k")
		day := h.PutText(a, "a", "k", "one", 201, occurring("2023-05-08"))
		want(day.Entry, nil, "2023-05-08")
		if !day.OccurredAt.Time.Equal(time.Date(2023, 5, 8, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("the date compares as %v", day.OccurredAt.Time)
		}
		want(h.PutText(a, "a", "k", "two", 200).Entry, nil, "2023-05-08") // left out
		want(h.PutText(a, "a", "k", "three", 200, occurring("2023-05-08T15:56:00.1234567+02:00")).Entry, nil, "2023-05-08T13:56:00.123456Z")
		want(h.PutText(a, "a", "k", "four", 200, occurring("")).Entry, nil, "")
		zoned := func(text, zone string) func(*memory.PutRequest) {
			return func(r *memory.PutRequest) { r.OccurredAt, r.Timezone = &text, zone }
		}
		for _, c := range [][3]string{
			{"2023", "Asia/Tokyo", "2023"}, {"2023-05", "Asia/Tokyo", "2023-05"}, {"2023-05-08", "Asia/Tokyo", "2023-05-08"},
			{"2023-05-08T09:00", "Asia/Tokyo", "2023-05-08T00:00:00Z"}, {"2023-05-08T09:00:30.25", "-03:30", "2023-05-08T12:30:30.25Z"},
			{"2023-05-08T09:00", "", "2023-05-08T09:00:00Z"}, {"2023-05-08T09:00:00+01:00", "Asia/Tokyo", "2023-05-08T08:00:00Z"},
		} {
			at := path("a", "z/given")
			text := c[0]
			made, err := h.Put(background, a, memory.PutRequest{Path: at, Value: json.RawMessage(`"x"`), OccurredAt: &text, Timezone: c[1]})
			want(made.Entry, err, c[2])
			got, err := h.Get(background, a, at)
			want(got.Entry, err, c[2])
		}
		same := memory.PutRequest{Path: path("a", "z/imported"), Value: json.RawMessage(`"x"`)}
		zoned("2023-05-08T09:00", "Asia/Tokyo")(&same)
		for _, unchanged := range []bool{false, true} {
			outcomes, err := h.PutAll(background, a, []memory.PutRequest{same})
			must(h, err)
			if outcomes[0].Unchanged != unchanged {
				t.Errorf("a local time written twice: %+v", outcomes[0])
			}
		}
		back, err := h.Restore(background, a, memory.RestoreRequest{Path: at, Version: new(2)})
		want(back.Entry, err, "2023-05-08")
		moved, err := h.Rename(background, a, memory.RenameRequest{Path: at, To: "l"})
		want(moved.Entry, err, "2023-05-08")
		must(h, h.Delete(background, a, path("a", "l"), memory.Preconditions{}))
		back, err = h.Restore(background, a, memory.RestoreRequest{Path: path("a", "l")})
		want(back.Entry, err, "2023-05-08")
		page, err := h.List(background, a, memory.ListRequest{Store: "a", Limit: 1, WithoutText: true})
		must(h, err)
		want(page.Items[0].Entry, nil, "2023-05-08")

		// When a tool edits an entry at a higher label, the new entry inherits OccurredAt. In a
		// plain write it does not.
		high := agent("a", acl.Internal)
		want(h.PutText(high, "a", "l", "five", 201, func(r *memory.PutRequest) { r.Inherit = true }).Entry, nil, "2023-05-08")
		want(h.PutText(agent("a", acl.Restricted), "a", "l", "six", 201).Entry, nil, "")

		// An import leaves an entry as it is only if OccurredAt is equal too.
		for text, unchanged := range map[string]bool{"2023-05-08": true, "2023-05-08T00:00:00Z": false, "2023-05": false, "2023-05-09": false, "": false} {
			_, err := h.PutAll(background, high, []memory.PutRequest{{Path: path("a", "same"), Value: json.RawMessage(`"x"`), OccurredAt: new("2023-05-08")}})
			must(h, err)
			outcomes, err := h.PutAll(background, high, []memory.PutRequest{{Path: path("a", "same"), Value: json.RawMessage(`"x"`), OccurredAt: &text}})
			must(h, err)
			if outcomes[0].Unchanged != unchanged || outcomes[0].OccurredAt.String() != text {
				t.Errorf("%q: got %+v", text, outcomes[0])
			}
		}
	})
}

func TestInContextAndEncryptedAreFixedAtCreation(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		h.PutText(a, "a", "plain", "x", 201)
		h.PutText(a, "a", "plain", "x", 409, notInContext)
		h.PutText(a, "a", "plain", "x", 409, sealed)
		h.PutText(a, "a", "sealed", "x", 201, sealed)
		h.PutText(a, "a", "sealed", "y", 200)
		no := false
		h.PutText(a, "a", "sealed", "y", 409, func(r *memory.PutRequest) { r.Encrypted = &no })
	})
}

func TestPutOfAnothersEntryKeepsItsOwner(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		h.PutText(agent("other", acl.Public), "room", "plan", "first", 201)
		r := h.PutText(agent("reader", acl.Public), "room", "plan", "second", 200)
		if r.Owner != "other" || r.UpdatedBy != "reader" || r.Version != 2 {
			t.Errorf("owner %s, updated by %s, version %d", r.Owner, r.UpdatedBy, r.Version)
		}
		h.PutText(agent("reader", acl.Public), "room", "plan", "third", 403, ttl(time.Hour))
		h.WantStatus(h.Delete(background, agent("reader", acl.Public), path("room", "plan"), memory.Preconditions{}), 403)
		v, err := h.Versions(background, agent("other", acl.Public), path("room", "plan"), 10, "")
		if err != nil || len(v.Items) != 2 || v.Items[0].UpdatedBy != "reader" || v.Items[1].UpdatedBy != "other" {
			t.Errorf("the history does not name the writers: %d versions, %v", len(v.Items), err)
		}
	})
}

// Only an entry's owner and the store's own agent may change its expiry. For another writer the
// write is denied or, with TTLIfAllowed, leaves the expiry unchanged.
func TestOnlyOwnersMayChangeAnExpiry(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		ifAllowed := func(r *memory.PutRequest) { r.TTLIfAllowed = true }
		h := open(t, b, memory.Limits{})
		owner, other, host := agent("owner", acl.Public), agent("other", acl.Public), agent("host", acl.Public)
		for _, grantee := range []string{"owner", "other"} {
			_, err := h.Share(background, host, memory.ShareRequest{Store: "host", Grantee: grantee, Level: acl.ReadWrite})
			must(h, err)
		}
		until := h.PutText(owner, "host", "plan", "first", 201, ttl(time.Hour)).ExpiresAt
		for _, d := range []time.Duration{0, time.Minute} {
			h.PutText(other, "host", "plan", "second", 403, ttl(d))
			if r := h.PutText(other, "host", "plan", "third", 200, ttl(d), ifAllowed); !r.ExpiresAt.Equal(until) {
				t.Errorf("ttl %s of another agent changed the expiry to %s", d, r.ExpiresAt)
			}
		}
		h.PutText(other, "host", "plan", "fourth", 422, ttl(-1), ifAllowed)
		if r := h.PutText(owner, "host", "plan", "fifth", 200, ttl(2*time.Hour), ifAllowed); !r.ExpiresAt.Equal(until.Add(time.Hour)) {
			t.Errorf("after the owner's put it expires at %s", r.ExpiresAt)
		}
		if r := h.PutText(host, "host", "plan", "sixth", 200, ttl(0), ifAllowed); !r.ExpiresAt.IsZero() {
			t.Errorf("after the put of the store's own agent it expires at %s", r.ExpiresAt)
		}
		if r := h.PutText(other, "host", "new", "first", 201, ttl(time.Hour), ifAllowed); r.ExpiresAt.IsZero() {
			t.Error("a new entry has no expiry")
		}
	})
}

// An export includes the expiry of each entry. When it is imported into the same store again,
// the import gives entries of others the expiry that they already have: that must be allowed.
func TestAnUnchangedExpiryIsNotAChange(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		owner, other, host := agent("owner", acl.Public), agent("other", acl.Public), agent("host", acl.Public)
		for _, grantee := range []string{"owner", "other"} {
			_, err := h.Share(background, host, memory.ShareRequest{Store: "host", Grantee: grantee, Level: acl.ReadWrite})
			must(h, err)
		}
		until := h.PutText(owner, "host", "plan", "first", 201, ttl(time.Hour)).ExpiresAt
		expires := func(at time.Time) func(*memory.PutRequest) {
			return func(r *memory.PutRequest) { r.ExpiresAt = &at }
		}
		for name, c := range map[string]struct {
			at     time.Time
			status int
		}{
			"the same instant":  {until, 200},
			"in another zone":   {until.In(time.FixedZone("", 3600)), 200},
			"a nanosecond more": {until.Add(time.Nanosecond), 200}, // rows have microseconds
			"another instant":   {until.Add(time.Microsecond), 403},
		} {
			same := memory.PutRequest{Path: path("host", "plan"), Value: text("first")}
			expires(c.at)(&same)
			outcomes, err := h.PutAll(background, other, []memory.PutRequest{same})
			must(h, err)
			if got := outcomes[0]; status(got.Err) != c.status || (c.status == 200) != got.Unchanged {
				t.Errorf("%s: unchanged %v, %v", name, got.Unchanged, got.Err)
			}
		}
		if r := h.PutText(other, "host", "plan", "second", 200, expires(until)); !r.ExpiresAt.Equal(until) {
			t.Errorf("another agent changed the expiry to %s", r.ExpiresAt)
		}
		h.PutText(other, "host", "plan", "third", 403, expires(until.Add(time.Hour)))
	})
}

func TestEntryNotInContextIsVisibleOnlyToItsOwner(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		other, reader := agent("other", acl.Public), agent("reader", acl.Public)
		h.PutText(reader, "room", "token", "for all", 201)
		h.PutText(other, "room", "token", "for me", 200) // updates what the path resolves to
		h.PutText(other, "room", "secret", "mine", 201, notInContext)
		h.WantText(other, "room", "secret", "mine")
		h.WantText(reader, "room", "secret", "")
		h.PutText(reader, "room", "secret", "public", 201)
		h.WantText(other, "room", "secret", "mine") // takes precedence over others at the path
		h.WantText(reader, "room", "secret", "public")

		tool := other
		tool.Internal = false
		h.WantText(tool, "room", "secret", "public")
		h.PutText(other, "other", "key", "mine", 201, notInContext)
		h.WantText(tool, "other", "key", "")
		h.PutText(tool, "other", "key", "overwritten", 409)
		h.WantStatus(h.Delete(background, tool, path("other", "key"), memory.Preconditions{}), 404)
		h.Index()
		for _, c := range []memory.Caller{other, reader} {
			a, err := h.Search(background, c, search.Request{Query: "mine", Limit: 10, Stores: []string{"room"}})
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range a.Hits {
				if !hit.InContext {
					t.Error("a search found an entry that is not in context")
				}
			}
		}
		_, err := h.Share(background, agent("lender", acl.Public), memory.ShareRequest{Store: "lender", Grantee: "other", Level: acl.ReadWrite})
		must(h, err)
		h.PutText(other, "lender", "k", "x", 403, notInContext)
	})
}

func TestExpiredEntryIsAbsentForEveryOperation(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		first := h.PutText(a, "a", "brief", "about pelicans", 201, ttl(time.Minute))
		h.Index()
		h.Clock.Advance(time.Minute)
		h.WantText(a, "a", "brief", "")
		h.WantStatus(h.Delete(background, a, path("a", "brief"), memory.Preconditions{}), 404)
		_, err := h.Versions(background, a, path("a", "brief"), 10, "")
		h.WantStatus(err, 404)
		_, err = h.Restore(background, a, memory.RestoreRequest{Path: path("a", "brief")})
		h.WantStatus(err, 404)
		_, err = h.Rename(background, a, memory.RenameRequest{Path: path("a", "brief"), To: "other"})
		h.WantStatus(err, 404)
		answer, err := h.Search(background, a, search.Request{Query: "pelicans", Limit: 10})
		if err != nil || len(answer.Hits) != 0 {
			t.Errorf("a search found an expired entry (%v)", err)
		}
		again := h.PutText(a, "a", "brief", "new", 201, ttl(0))
		if again.ID == first.ID || again.Version != 1 {
			t.Error("a put revived an expired entry")
		}
	})
}

func TestRestoreFromTheTrash(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Internal)
		for _, value := range []string{"older", "newer"} {
			h.PutText(a, "a", "k", value, 201)
			h.Clock.Advance(time.Second)
			h.WantStatus(h.Delete(background, a, path("a", "k"), memory.Preconditions{}), 200)
		}
		h.WantText(a, "a", "k", "")
		p, err := h.Trash(background, a, memory.TrashRequest{Store: "a", Limit: 10})
		if err != nil || len(p.Items) != 2 || string(p.Items[0].Value) != `"newer"` {
			t.Fatalf("the trash holds %d entries (%v)", len(p.Items), err)
		}
		if p, _ = h.Trash(background, agent("a", acl.Public), memory.TrashRequest{Store: "a", Limit: 10}); len(p.Items) != 0 {
			t.Error("the trash lists entries of another label")
		}
		r, err := h.Restore(background, a, memory.RestoreRequest{Path: path("a", "k")})
		h.WantStatus(err, 200)
		if r.Version != 2 || string(r.Value) != `"newer"` {
			t.Errorf("restored %s as version %d", r.Value, r.Version)
		}
		_, err = h.Restore(background, a, memory.RestoreRequest{Path: path("a", "k")})
		h.WantStatus(err, 409)
		h.WantStatus(h.Delete(background, agent("a", acl.Confidential), path("a", "k"), memory.Preconditions{}), 409)
	})
}

func TestTheTrashOfAPathHoldsTheLatestEntryOfEachLabel(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		for _, label := range []acl.Label{acl.Confidential, acl.Internal, acl.Public, acl.Internal} {
			a := agent("a", label)
			h.PutText(a, "a", "k", "x", 201)
			h.PutText(a, "a", "other", "x", 201)
			h.Clock.Advance(time.Second)
			h.WantStatus(h.Delete(background, a, path("a", "other"), memory.Preconditions{}), 200)
			h.WantStatus(h.Delete(background, a, path("a", "k"), memory.Preconditions{}), 200)
		}
		latest := h.Clock.Now()
		request := memory.TrashRequest{Store: "a", Path: new(path("a", "k"))}
		p, err := h.Trash(background, agent("a", acl.Internal), request)
		if err != nil || len(p.Items) != 2 || p.Next != "" {
			t.Fatalf("the trash holds %d entries (%v)", len(p.Items), err)
		}
		for i, e := range p.Items {
			if e.Key != "k" || e.Label != []acl.Label{acl.Public, acl.Internal}[i] || len(e.Value) > 0 || e.ETag == "" {
				t.Errorf("entry %d is %s at %s with the value %s", i, e.Key, e.Label, e.Value)
			}
		}
		if !p.Items[1].DeletedAt.Equal(latest) {
			t.Errorf("the entry was deleted at %v, the latest at %v", p.Items[1].DeletedAt, latest)
		}
		request.Store = "b"
		if p, err := h.Trash(background, agent("b", acl.Internal), request); err != nil || len(p.Items) > 0 {
			t.Errorf("by a path of another store the trash holds %d entries (%v)", len(p.Items), err)
		}
	})
}

func TestADeletionCanHaveOccurredBefore(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{History: memory.HistoryLimits{Versions: 2}})
		a := agent("a", acl.Internal)
		h.PutText(a, "a", "k", "one", 201)
		happened := "2025-05-08"
		first, err := h.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: json.RawMessage(`"two"`), OccurredAt: &happened})
		h.WantStatus(err, 200)
		h.Clock.Advance(time.Minute)
		at := memory.Moment{Time: h.Clock.Now().Add(-time.Hour)}
		for c, want := range map[memory.Caller]int{agent("b", acl.Internal): 403, agent("a", acl.Confidential): 409} {
			h.WantStatus(h.DeleteOccurred(background, c, path("a", "k"), memory.Preconditions{}, at), want)
		}
		h.WantStatus(h.DeleteOccurred(background, a, path("a", "k"), memory.Preconditions{Match: []string{"x"}}, at), 412)
		trashOf := memory.TrashRequest{Store: "a", Path: new(path("a", "k"))}
		trashed := func(c memory.Caller, version int, at memory.Moment) {
			t.Helper()
			found, err := h.Trash(background, c, trashOf)
			if err != nil || len(found.Items) != min(version, 1) || found.Next != "" {
				t.Fatalf("the trash holds %d entries (%v)", len(found.Items), err)
			}
			for _, e := range found.Items {
				if e.ID != first.ID || e.Version != version || !e.OccurredAt.Equal(at) || !e.DeletedAt.Equal(h.Clock.Now()) || !e.UpdatedAt.Equal(e.DeletedAt) {
					t.Errorf("the trash holds version %d of %v, updated %v, deleted %v", e.Version, e.OccurredAt, e.UpdatedAt, e.DeletedAt)
				}
			}
		}
		trashed(a, 0, at)
		h.WantStatus(h.DeleteOccurred(background, a, path("a", "k"), memory.Preconditions{Match: []string{first.ETag}}, at), 200)
		h.WantText(a, "a", "k", "")
		h.WantStatus(h.DeleteOccurred(background, a, path("a", "k"), memory.Preconditions{}, at), 404)
		trashed(a, 3, at)
		trashed(agent("a", acl.Confidential), 3, at)
		trashed(agent("a", acl.Public), 0, at)
		_, err = h.Trash(background, agent("b", acl.Internal), trashOf)
		h.WantStatus(err, 403)
		// A later deletion replaces it.
		h.Clock.Advance(time.Minute)
		later := memory.Moment{Time: at.Time.Add(time.Minute)}
		h.WantStatus(h.DeleteOccurred(background, a, path("a", "k"), memory.Preconditions{Match: []string{first.ETag}}, later), 412)
		h.WantStatus(h.DeleteOccurred(background, agent("a", acl.Confidential), path("a", "k"), memory.Preconditions{}, later), 404)
		h.WantStatus(h.DeleteOccurred(background, a, path("a", "k"), memory.Preconditions{NoneMatch: []string{"*"}}, later), 200)
		trashed(a, 3, later)
		restored := func(version int, value string) {
			t.Helper()
			r, err := h.Restore(background, a, memory.RestoreRequest{Path: path("a", "k")})
			h.WantStatus(err, 200)
			if versions, err := h.Versions(background, a, path("a", "k"), 10, ""); err != nil || r.Version != version || len(versions.Items) != 2 || string(r.Value) != value {
				t.Errorf("restored %s as version %d of %d (%v)", r.Value, r.Version, len(versions.Items), err)
			}
			if r.OccurredAt.String() != happened {
				t.Errorf("restored as of %v", r.OccurredAt)
			}
		}
		restored(4, `"two"`)
		h.Clock.Advance(time.Minute)
		h.WantStatus(h.Delete(background, a, path("a", "k"), memory.Preconditions{}), 200)
		h.Clock.Advance(time.Minute)
		later = memory.Moment{Time: h.Clock.Now()}
		h.WantStatus(h.DeleteOccurred(background, a, path("a", "k"), memory.Preconditions{}, later), 200)
		trashed(a, 5, later)
		restored(6, `"two"`)
		// If an entry is deleted in the same batch that wrote it, the deletion has no time of
		// its own.
		happened = "2025-05-09T10:00:00Z"
		_, err = h.Batch(background, a, memory.BatchRequest{Store: "a", Items: []memory.BatchItem{
			{Op: memory.BatchPut, PutRequest: memory.PutRequest{Path: path("a", "k"), Value: json.RawMessage(`"three"`), OccurredAt: &happened}},
			{Op: memory.BatchDelete, PutRequest: memory.PutRequest{Path: path("a", "k")}},
		}})
		h.WantStatus(err, 200)
		restored(8, `"three"`)
	})
}

func TestRestoreOfAnOlderVersionWritesANewOne(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		h.PutText(a, "a", "k", "one", 201)
		h.PutText(a, "a", "k", "two", 200)
		r, err := h.Restore(background, a, memory.RestoreRequest{Path: path("a", "k"), Version: new(1)})
		h.WantStatus(err, 200)
		if r.Version != 3 {
			t.Errorf("version %d, want 3", r.Version)
		}
		h.WantText(a, "a", "k", "one")
		_, err = h.Restore(background, a, memory.RestoreRequest{Path: path("a", "k"), Version: new(9)})
		h.WantStatus(err, 404)
	})
}

func TestRenameMovesOneEntry(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		a := agent("reader", acl.Public)
		first := h.PutText(a, "reader", "from", "text", 201)
		h.PutText(a, "reader", "taken", "x", 201)
		_, err := h.Rename(background, a, memory.RenameRequest{Path: path("reader", "from"), To: "taken"})
		h.WantStatus(err, 409)
		f, err := h.Rename(background, a, memory.RenameRequest{Path: path("reader", "from"), To: "to"})
		h.WantStatus(err, 200)
		if f.ID != first.ID || f.Version != 2 {
			t.Errorf("a rename within a store must keep the id and add a version")
		}
		h.WantText(a, "reader", "from", "")
		h.WantText(a, "reader", "to", "text")

		there := "place"
		f, err = h.Rename(background, a, memory.RenameRequest{Path: path("reader", "to"), To: "to", ToNamespace: &there})
		h.WantStatus(err, 200)
		h.WantText(a, "reader", "to", "")
		if f.ID != first.ID || f.Version != 3 || f.Namespace != there {
			t.Errorf("another namespace: %+v", f.Entry)
		}
		_, err = h.Rename(background, a, memory.RenameRequest{Path: f.Path, To: "to", ToNamespace: new("a\u200b")})
		h.WantStatus(err, 422)
		_, err = h.Rename(background, a, memory.RenameRequest{Path: f.Path, To: "to", ToNamespace: new("")})
		h.WantStatus(err, 200)

		moved, err := h.Rename(background, a, memory.RenameRequest{Path: path("reader", "to"), To: "to", ToStore: "room"})
		h.WantStatus(err, 200)
		if moved.ID == first.ID || moved.Version != 1 {
			t.Error("a rename into another store kept id or history")
		}
		h.WantText(a, "reader", "to", "")
		h.WantText(agent("other", acl.Public), "room", "to", "text")
		h.PutText(a, "reader", "sealed", "blob", 201, sealed)
		_, err = h.Rename(background, a, memory.RenameRequest{Path: path("reader", "sealed"), To: "x"})
		h.WantStatus(err, 422)
		_, err = h.Rename(background, a, memory.RenameRequest{Path: path("reader", "taken"), To: "a//b"})
		h.WantStatus(err, 422)
	})
}

func TestPreconditionsApplyToWhatGetReturns(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		low, high := agent("a", acl.Public), agent("a", acl.Internal)
		match := func(tag string) func(*memory.PutRequest) {
			return func(r *memory.PutRequest) { r.If.Match = []string{tag} }
		}
		none := func(r *memory.PutRequest) { r.If.NoneMatch = []string{"*"} }
		h.PutText(low, "a", "k", "x", 412, match("*"))
		one := h.PutText(low, "a", "k", "one", 201, none)
		h.PutText(low, "a", "k", "x", 412, none)
		h.PutText(low, "a", "k", "x", 412, match("something else"))
		h.PutText(high, "a", "k", "x", 412, none)
		h.PutText(high, "a", "k", "above", 201, match(one.ETag))
		two := h.PutText(low, "a", "k", "two", 200, match(one.ETag))
		h.PutText(low, "a", "k", "x", 412, match(one.ETag))
		h.WantStatus(h.Delete(background, low, path("a", "k"), memory.Preconditions{Match: []string{one.ETag}}), 412)
		h.WantStatus(h.Delete(background, low, path("a", "k"), memory.Preconditions{Match: []string{two.ETag}}), 200)
	})
}
