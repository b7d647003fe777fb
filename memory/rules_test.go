package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/indexer"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

func TestCheckKey(t *testing.T) {
	good := []string{"a", "user/preferred-language", "日本語", "a.b", "...", "a b", "50%", strings.Repeat("k", 512), "ünïcode"}
	bad := []string{"", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "tab\t", "nul\x00", "line\u2028", "zero\u200bwidth",
		"rtl\u202e", "u\u0308", "\xff", strings.Repeat("k", 513)}
	for _, key := range good {
		if err := memory.CheckKey(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range bad {
		err := memory.CheckKey(key)
		if status(err) != 422 {
			t.Errorf("%q is allowed", key)
		} else if len(key) > 3 && strings.Contains(err.Error(), key) {
			t.Errorf("the error repeats the key %q", key)
		}
	}
}

func FuzzCheckKey(f *testing.F) {
	for _, seed := range []string{"a", "a/b", "..", "a//b", "\u200b", "\xff", "e\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if memory.CheckKey(key) != nil {
			return
		}
		if len(key) == 0 || len(key) > memory.MaxKey || strings.HasPrefix(key, "/") || strings.HasSuffix(key, "/") {
			t.Errorf("allowed: %q", key)
		}
		for _, segment := range strings.Split(key, "/") {
			if segment == "" || segment == "." || segment == ".." {
				t.Errorf("allowed: %q", key)
			}
		}
	})
}

func TestPutNamesTheInvalidField(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Value: 100})
		a := agent("a", acl.Public)
		str := func(s string) *string { return &s }
		for field, c := range map[string]struct {
			status int
			change func(*memory.PutRequest)
		}{
			"value too large":          {413, func(r *memory.PutRequest) { r.Value = text(strings.Repeat("x", 99)) }},
			"value missing":            {422, func(r *memory.PutRequest) { r.Value = nil }},
			"value not JSON":           {422, func(r *memory.PutRequest) { r.Value = []byte("{") }},
			"value not UTF-8":          {422, func(r *memory.PutRequest) { r.Value = []byte("\"\xff\"") }},
			"type unknown":             {422, func(r *memory.PutRequest) { r.Type = str("poem") }},
			"description long":         {422, func(r *memory.PutRequest) { r.Description = str(strings.Repeat("ä", 301)) }},
			"description 2 lines":      {422, func(r *memory.PutRequest) { r.Description = str("a\nb") }},
			"tags empty":               {422, func(r *memory.PutRequest) { r.Tags = &[]string{""} }},
			"tags many":                {422, func(r *memory.PutRequest) { tags := make([]string, 33); r.Tags = &tags }},
			"ttl negative":             {422, ttl(-time.Second)},
			"occurred_at no date":      {422, func(r *memory.PutRequest) { r.OccurredAt = str("yesterday") }},
			"occurred_at 30 February":  {422, func(r *memory.PutRequest) { r.OccurredAt = str("2023-02-30") }},
			"occurred_at month 13":     {422, func(r *memory.PutRequest) { r.OccurredAt = str("2023-13") }},
			"occurred_at 2 digits":     {422, func(r *memory.PutRequest) { r.OccurredAt = str("23") }},
			"occurred_at hour alone":   {422, func(r *memory.PutRequest) { r.OccurredAt = str("2023-05-08T13") }},
			"occurred_at year 0 there": {422, func(r *memory.PutRequest) { r.OccurredAt, r.Timezone = str("0001-01-01T01:00"), "+02:00" }},
			"timezone unknown":         {422, func(r *memory.PutRequest) { r.OccurredAt, r.Timezone = str("2023-05-08T13:56"), "Mars/Olympus" }},
			"timezone alone":           {422, func(r *memory.PutRequest) { r.Timezone = "Local" }},
			"occurred_at hour 9":       {422, func(r *memory.PutRequest) { r.OccurredAt = str("2023-05-08T9:56:00Z") }},
			"occurred_at NUL":          {422, func(r *memory.PutRequest) { r.OccurredAt = str("2023-05-08\x00") }},
			"occurred_at year 0":       {422, func(r *memory.PutRequest) { r.OccurredAt = str("0000-12-31") }},
			"occurred_at year 10000":   {422, func(r *memory.PutRequest) { r.OccurredAt = str("9999-12-31T23:59:59-01:00") }},
			"occurred_at no time":      {422, func(r *memory.PutRequest) { r.OccurredAt = str("0001-01-01T00:00:00Z") }},
			"namespace long":           {422, func(r *memory.PutRequest) { r.Path.Namespace = strings.Repeat("n", memory.MaxNamespace+1) }},
		} {
			r := memory.PutRequest{Path: path("a", "k"), Value: text("x")}
			c.change(&r)
			_, err := h.Put(background, a, r)
			if status(err) != c.status {
				t.Errorf("%s: status %d, want %d", field, status(err), c.status)
			}
			var broken *memory.RuleError
			if errors.As(err, &broken) && !strings.HasPrefix(field, broken.Field) {
				t.Errorf("%s: the error names %q", field, broken.Field)
			}
			// A caller without access is denied before the rules are checked, so it learns
			// nothing about them.
			r.Path.Store = "strange"
			if _, err := h.Put(background, a, r); status(err) != 403 {
				t.Errorf("%s, in a store without access: status %d, want 403", field, status(err))
			}
		}
		h.WantText(a, "a", "k", "")
		deep := strings.Repeat("[", 101) + strings.Repeat("]", 101)
		wide := open(t, b, memory.Limits{})
		_, err := wide.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: []byte(deep)})
		h.WantStatus(err, 422)
	})
}

func TestLimitsCountLiveEntriesPerStoreOwnerAndLabel(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Keys: 2, Bytes: 20})
		low, high := agent("a", acl.Public), agent("a", acl.Internal)
		h.PutText(low, "a", "1", "x", 201, ttl(time.Minute))
		h.PutText(low, "a", "2", "x", 201)
		h.PutText(low, "a", "3", "x", 429)
		h.PutText(low, "a", "2", "y", 200)
		h.PutText(high, "a", "3", "x", 201) // another label has its own count
		h.Clock.Advance(time.Minute)
		h.PutText(low, "a", "3", "x", 201) // expired entries do not count
		h.PutText(low, "a", "4", "x", 429)
		h.WantStatus(h.Delete(background, low, path("a", "2"), memory.Preconditions{}), 200)
		h.PutText(low, "a", "4", strings.Repeat("x", 30), 429)
		h.PutText(low, "a", "4", "x", 201)
		_, err := h.Restore(background, low, memory.RestoreRequest{Path: path("a", "2")})
		h.WantStatus(err, 429)
	})
}

func TestShareGrantsNoMoreThanTheCallerHas(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		share := func(c memory.Caller, store, grantee string, level acl.Level, top acl.Label) error {
			_, err := h.Share(background, c, memory.ShareRequest{Store: store, Grantee: grantee, Level: level, MaxLabel: top})
			return err
		}
		reader, other := agent("reader", acl.Internal), agent("other", acl.Internal)
		h.WantStatus(share(reader, "lender", "friend", acl.Read, 0), 403) // read is not enough to share
		h.WantStatus(share(reader, "room", "reader", acl.Read, 0), 422)
		h.WantStatus(share(reader, "room", "friend", acl.ReadWrite, acl.Confidential), 403)
		h.WantStatus(share(reader, "room", "friend", acl.ReadWrite, 0), 200)
		h.WantStatus(share(other, "room", "friend", acl.Read, 0), 403) // another agent's grant
		h.WantStatus(h.Unshare(background, other, "room", "friend"), 403)
		h.PutText(agent("other", acl.Confidential), "room", "k", "secret", 201)
		h.WantText(agent("friend", acl.Restricted), "room", "k", "") // above the maker's taint when it made the grant
		friend := agent("friend", acl.Internal)
		h.WantStatus(share(friend, "room", "far", acl.Read, 0), 200)
		h.PutText(other, "room", "open", "text", 201)
		h.WantText(agent("far", acl.Internal), "room", "open", "text")

		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
		must(h, h.DeleteParticipant(background, platform, "room", "reader"))
		for _, c := range []memory.Caller{friend, agent("far", acl.Internal)} {
			_, err := h.Get(background, c, path("room", "open"))
			h.WantStatus(err, 403) // the reader's grant, and grants that depended on it, ended
		}
		h.WantStatus(share(other, "room", "friend", acl.Read, 0), 200)       // a grant that is not in effect can be replaced
		h.WantStatus(h.Unshare(background, platform, "room", "friend"), 404) // its session is below the grant's label
		platform.Taint = acl.Restricted
		h.WantStatus(h.Unshare(background, platform, "room", "friend"), 200)
	})
}

func TestChatsAndCallersDoNotShareIDs(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
		must(h, h.RegisterCaller(background, acl.Principal{Agent: "known", Taint: acl.Public}))
		h.WantStatus(h.PutParticipant(background, platform, "known", "x", nil), 409)
		if err := h.RegisterCaller(background, acl.Principal{Agent: "room", Taint: acl.Public}); !errors.Is(err, memory.ErrNotCaller) {
			t.Errorf("a chat's id was registered as a caller: %v", err)
		}
	})
}

func TestSettingsTurnStoreKindsOff(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		h.SetUpAccess()
		a := agent("reader", acl.Public)
		h.PutText(a, "reader", "k", "lighthouse", 201)
		h.PutText(a, "room", "k", "lighthouse", 201)
		h.Index()
		off := acl.DefaultSettings()
		off.Chat, off.DefaultTTL = false, time.Hour
		must(h, h.PutSettings(background, a, "reader", off))
		h.PutText(a, "room", "k", "x", 403)
		if r := h.PutText(a, "reader", "new", "x", 201); r.ExpiresAt.IsZero() {
			t.Error("the default ttl was not applied")
		}
		answer, err := h.Search(background, caller(acl.Principal{Agent: "reader", Taint: acl.Public, Chat: "room"}), search.Request{Query: "lighthouse", Limit: 10})
		must(h, err)
		for _, hit := range answer.Hits {
			if hit.Store == "room" {
				t.Error("a search covered a store kind that is off")
			}
		}
		h.WantStatus(h.PutSettings(background, agent("other", acl.Public), "reader", off), 403)
		off.Enabled = false
		must(h, h.PutSettings(background, a, "reader", off))
		h.PutText(a, "reader", "k", "x", 403)
	})
}

func TestCursorsAreBoundToTheirCall(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Internal)
		for i := range 7 {
			h.PutText(a, "a", fmt.Sprint("k", i), "x", 201)
		}
		list := func(c memory.Caller, r memory.ListRequest) (memory.Page, error) {
			r.Store, r.Limit = "a", 3
			return h.List(background, c, r)
		}
		first, err := list(a, memory.ListRequest{})
		must(h, err)
		var keys []string
		h.PutText(a, "a", "k0/later", "x", 201) // before the cursor: must neither be listed nor shift the pages
		for p := first; ; {
			for _, item := range p.Items {
				keys = append(keys, item.Key)
			}
			if p.Next == "" {
				break
			}
			p, err = list(a, memory.ListRequest{Cursor: p.Next})
			must(h, err)
		}
		if strings.Join(keys, " ") != "k0 k1 k2 k3 k4 k5 k6" {
			t.Errorf("the pages hold %v", keys)
		}
		for name, try := range map[string]func() error{
			"another taint": func() error {
				_, err := list(agent("a", acl.Public), memory.ListRequest{Cursor: first.Next})
				return err
			},
			"another filter": func() error { _, err := list(a, memory.ListRequest{Cursor: first.Next, Prefix: "k"}); return err },
			"not a cursor":   func() error { _, err := list(a, memory.ListRequest{Cursor: "AAAA"}); return err },
			"another call": func() error {
				_, err := h.Trash(background, a, memory.TrashRequest{Store: "a", Limit: 3, Cursor: first.Next})
				return err
			},
		} {
			if err := try(); !errors.Is(err, memory.ErrCursor) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestRepeatedCallIsAnsweredLikeTheFirst(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		h.PutText(a, "a", "k", "one", 201)
		h.PutText(a, "a", "k", "two", 200)
		call := memory.RestoreRequest{Path: path("a", "k"), Version: new(1), Idempotency: &memory.Idempotency{Operation: "restore", Path: "p", Key: "key", Digest: "d"}}
		for range 2 {
			r, err := h.Restore(background, a, call)
			must(h, err)
			if r.Version != 3 {
				t.Fatalf("version %d, want 3 both times", r.Version)
			}
		}
		other := call
		other.Idempotency = &memory.Idempotency{Operation: "restore", Path: "p", Key: "key", Digest: "another body"}
		if _, err := h.Restore(background, a, other); !errors.Is(err, memory.ErrKeyReused) {
			t.Errorf("another body under the same key: %v", err)
		}
		h.Clock.Advance(25 * time.Hour)
		if r, err := h.Restore(background, a, call); err != nil || r.Version != 4 {
			t.Errorf("after the key expired: version %d, %v", r.Version, err)
		}
	})
}

func TestPurgeErasesWhatWasDeletedBeforeTheCutoff(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Retention: new(24 * time.Hour)})
		a := agent("a", acl.Public)
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
		old := h.PutText(a, "a", "old", "x", 201)
		h.WantStatus(h.Delete(background, a, path("a", "old"), memory.Preconditions{}), 200)
		brief := h.PutText(a, "a", "brief", "x", 201, ttl(time.Minute))
		h.Clock.Advance(48 * time.Hour)
		h.PutText(a, "a", "young", "x", 201)
		h.WantStatus(h.Delete(background, a, path("a", "young"), memory.Preconditions{}), 200)
		h.PutText(a, "a", "live", "x", 201)
		h.Index()
		cutoff := h.Clock.Now().Add(-24 * time.Hour)

		_, err := h.Purge(background, a, memory.PurgeRequest{Before: cutoff}, nil)
		h.WantStatus(err, 403)
		_, err = h.Purge(background, platform, memory.PurgeRequest{Before: h.Clock.Now()}, nil)
		h.WantStatus(err, 422)
		result, err := h.Purge(background, platform, memory.PurgeRequest{Before: cutoff}, nil)
		must(h, err)
		if len(result.IDs) != 2 || result.IDs[0] == result.IDs[1] {
			t.Errorf("purged %d entries, want 2", len(result.IDs))
		}
		for _, id := range result.IDs {
			if id != old.ID && id != brief.ID {
				t.Error("purged another entry")
			}
		}
		p, err := h.Trash(background, a, memory.TrashRequest{Store: "a", Limit: 10})
		if err != nil || len(p.Items) != 1 {
			t.Errorf("the trash holds %d entries after the purge (%v)", len(p.Items), err)
		}
		h.WantText(a, "a", "live", "x")
		h.Index()
		if held, err := h.Reconcile(background); err != nil || held != (indexer.Reconciled{Rows: 1, Indexed: 1}) {
			t.Errorf("not only the live entry has a vector: %+v, %v", held, err)
		}
	})
}

func TestALongQueryIsRefused(t *testing.T) {
	for limit, most := range map[int]int{0: 16_000, 100: 100} {
		h := open(t, backendtest.Embedded(), memory.Limits{Query: limit})
		a := agent("a", acl.Public)
		_ = h.MustSearch(a, search.Request{Query: strings.Repeat("x", most)})
		_, err := h.Search(background, a, search.Request{Query: strings.Repeat("x", most+1), Limit: 10})
		var broken *memory.RuleError
		if !errors.As(err, &broken) || broken.Field != "query" || !strings.Contains(broken.Rule, fmt.Sprint(most)) {
			t.Errorf("limit %d: %v", limit, err)
		}
		_, err = h.Search(background, a, search.Request{Query: strings.Repeat("x", most+1), Limit: 10, Stores: []string{"b"}})
		h.WantStatus(err, 403) // access is checked first
	}
}
