package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
)

// asOfHarness writes entries a minute apart, and reads them as of times in between.
type asOfHarness struct{ *harness }

// step returns an instant after the last write, and advances the clock by a minute.
func (h asOfHarness) step() string {
	h.Clock.Advance(30 * time.Second)
	at := h.Clock.Now().Format(time.RFC3339)
	h.Clock.Advance(30 * time.Second)
	return at
}

// wantAt checks the text at a key as of a time ("" for none), and that a list as of that time
// agrees.
func (h asOfHarness) wantAt(c memory.Caller, at, key, want string) {
	h.t.Helper()
	found, err := h.GetAsOf(background, c, memory.Path{Store: "alice", Key: key}, at, "")
	got := strings.Trim(string(found.Value), `"`)
	if wanted := map[bool]int{true: 404, false: 200}[want == ""]; status(err) != wanted || got != want {
		h.t.Errorf("%s as of %s is %q (%v), want %q", key, at, got, err, want)
	}
	listed := h.listAt(c, at, 100)
	if line := key + "=" + want; want != "" != slices.Contains(listed, line) {
		h.t.Errorf("the list as of %s is %q, %s is %q", at, listed, key, want)
	}
}

// listAt lists entries as of a time, in pages.
func (h asOfHarness) listAt(c memory.Caller, at string, limit int, filter ...memory.Filter) (lines []string) {
	h.t.Helper()
	r := memory.ListRequest{Store: "alice", AsOf: at, Limit: limit}
	if len(filter) > 0 {
		r.Filter = filter[0]
	}
	for {
		page, err := h.List(background, c, r)
		must(h.harness, err)
		for _, e := range page.Items {
			lines = append(lines, e.Key+"="+strings.Trim(string(e.Value), `"`))
		}
		if r.Cursor = page.Next; r.Cursor == "" {
			return lines
		}
	}
}

func TestAsOfShowsThePast(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := asOfHarness{open(t, b, memory.Limits{})}
		me := agent("alice", acl.Public)
		before := h.step()
		h.PutText(me, "alice", "a", "one", 201)
		h.PutText(me, "alice", "still", "same", 201)
		h.PutText(me, "alice", "short", "lived", 201, ttl(90*time.Second))
		first := h.step()
		h.PutText(me, "alice", "a", "two", 200)
		second := h.step()
		_, err := h.Rename(background, me, memory.RenameRequest{Path: memory.Path{Store: "alice", Key: "a"}, To: "b"})
		must(h.harness, err)
		renamed := h.step()
		must(h.harness, h.Delete(background, me, memory.Path{Store: "alice", Key: "b"}, memory.Preconditions{}))
		deleted := h.step()
		h.wantAt(me, renamed, "b", "two") // from the trash
		_, err = h.Restore(background, me, memory.RestoreRequest{Path: memory.Path{Store: "alice", Key: "b"}})
		must(h.harness, err)
		h.PutText(me, "alice", "a", "another", 201)
		restored := h.step()

		for _, c := range []struct{ at, a, b, still string }{
			{before, "", "", ""}, {first, "one", "", "same"}, {second, "two", "", "same"},
			{renamed, "", "two", "same"}, {deleted, "", "", "same"}, {restored, "another", "two", "same"},
		} {
			h.wantAt(me, c.at, "a", c.a)
			h.wantAt(me, c.at, "b", c.b)
			h.wantAt(me, c.at, "still", c.still)
			h.wantAt(me, c.at, "short", "") // it has expired permanently
		}
		if got := fmt.Sprint(h.listAt(me, second, 1)); got != "[a=two still=same]" {
			t.Errorf("in pages the list is %s", got)
		}
		if got := fmt.Sprint(h.listAt(me, second, 100, memory.Filter{Where: where(`{"updated_at": {"gt": "` + first + `"}}`)})); got != "[a=two]" {
			t.Errorf("with a condition on the version of then the list is %s", got)
		}
		if got := fmt.Sprint(h.listAt(me, second, 100, memory.Filter{Match: match(`{"all": ["one"]}`)})); got != "[]" {
			t.Errorf("with the word of before the list is %s", got)
		}
		day := h.Clock.Now().Format(time.DateOnly) // today, which is not over yet
		h.wantAt(me, day, "a", "another")
		page, err := h.List(background, me, memory.ListRequest{Store: "alice", AsOf: second, Limit: 1})
		must(h.harness, err)
		_, err = h.List(background, me, memory.ListRequest{Store: "alice", AsOf: first, Limit: 1, Cursor: page.Next})
		h.WantStatus(err, 400)

		// A purged entry is not found any more, as of any time.
		must(h.harness, h.Delete(background, me, memory.Path{Store: "alice", Key: "b"}, memory.Preconditions{}))
		h.wantAt(me, first, "a", "one")
		h.Clock.Advance(365 * 24 * time.Hour)
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
		_, err = h.Purge(background, platform, memory.PurgeRequest{Before: h.Clock.Now().Add(-30 * 24 * time.Hour)}, nil)
		must(h.harness, err)
		h.wantAt(me, first, "a", "")
		h.wantAt(me, first, "still", "same")
	})
}

// An entry that has expired by now, but had not at the time in question, existed then. One that
// had expired at that time did not exist, even if a later version is live now.
func TestAsOfAppliesTheFormerExpiry(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := asOfHarness{open(t, b, memory.Limits{})}
		me := agent("alice", acl.Public)
		h.PutText(me, "alice", "k", "one", 201, ttl(2*time.Minute))
		lived := h.step()
		h.PutText(me, "alice", "k", "two", 200, ttl(0))
		h.step()
		h.step()
		h.step()
		h.wantAt(me, lived, "k", "one")
	})
}

func TestAsOfAppliesCurrentRights(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := asOfHarness{open(t, b, memory.Limits{})}
		me, above, reader := agent("alice", acl.Public), agent("alice", acl.Confidential), agent("bob", acl.Public)
		h.Lend("alice", "bob", acl.Read)
		h.PutText(me, "alice", "k", "low", 201)
		h.PutText(me, "alice", "gone", "text", 201)
		low := h.step()
		h.PutText(above, "alice", "k", "high", 201)
		high := h.step()
		h.PutText(above, "alice", "k", "higher", 200)
		must(h.harness, h.Delete(background, me, memory.Path{Store: "alice", Key: "gone"}, memory.Preconditions{}))
		h.step()
		h.wantAt(above, low, "k", "low")
		h.wantAt(above, high, "k", "high")
		for _, at := range []string{low, high} {
			h.wantAt(me, at, "k", "low")
			h.wantAt(reader, at, "k", "low")
			h.wantAt(me, at, "gone", "text")
			h.wantAt(above, at, "gone", "text")
			h.wantAt(reader, at, "gone", "") // the reader may not see deleted entries
		}
		for label := acl.Public; label <= acl.Restricted; label++ {
			must(h.harness, h.Unshare(background, agent("alice", label), "alice", "bob"))
		}
		_, err := h.GetAsOf(background, reader, memory.Path{Store: "alice", Key: "k"}, low, "")
		h.WantStatus(err, 403)
		_, err = h.List(background, reader, memory.ListRequest{Store: "alice", AsOf: low, Limit: 1})
		h.WantStatus(err, 403)
	})
}

func TestAsOfReachesAsFarAsHistory(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := asOfHarness{open(t, b, memory.Limits{History: memory.HistoryLimits{Versions: 2}})}
		me := agent("alice", acl.Public)
		before := h.step()
		h.PutText(me, "alice", "notes/k", "0", 201)
		h.PutText(me, "alice", "other", "text", 201)
		first := h.step()
		h.PutText(me, "alice", "notes/k", "1", 200)
		second := h.step()
		h.PutText(me, "alice", "notes/k", "2", 200)
		h.step()
		h.wantAt(me, before, "notes/k", "")
		h.wantAt(me, second, "notes/k", "1")
		_, err := h.GetAsOf(background, me, memory.Path{Store: "alice", Key: "notes/k"}, first, "")
		h.WantStatus(err, 422)
		_, err = h.List(background, me, memory.ListRequest{Store: "alice", AsOf: first, Limit: 1})
		h.WantStatus(err, 422)
		_, err = h.List(background, me, memory.ListRequest{Store: "alice", Prefix: "oth", AsOf: first, Limit: 1})
		h.WantStatus(err, 200)
		_, err = h.GetAsOf(background, me, memory.Path{Store: "alice", Key: "other"}, first, "")
		h.WantStatus(err, 200)
		narrow := memory.Filter{Match: match(`{"all": ["1"]}`)}
		if got := fmt.Sprint(h.listAt(me, second, 1, narrow)); got != "[notes/k=1]" {
			t.Errorf("with a word of then the list is %s", got)
		}
		for _, at := range []string{h.Clock.Now().Add(time.Second).Format(time.RFC3339), "2027", "soon", "now-1d", "2026-3-1"} {
			_, err := h.GetAsOf(background, me, memory.Path{Store: "alice", Key: "other"}, at, "")
			h.WantStatus(err, 422)
		}
	})
}

// Former values that are read for a condition count towards the limits for reading values.
func TestAsOfReadsCountAgainstTheFilterLimits(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := asOfHarness{open(t, b, memory.Limits{Conditions: memory.ConditionLimits{Bytes: 100, Time: time.Hour}})}
		me := agent("alice", acl.Public)
		h.PutText(me, "alice", "k", strings.Repeat("long ", 30), 201)
		first := h.step()
		h.PutText(me, "alice", "k", "short", 200)
		r := memory.ListRequest{Store: "alice", AsOf: first, Limit: 1}
		_, err := h.List(background, me, r)
		h.WantStatus(err, 200)
		r.Filter.Match = match(`{"all": ["long"]}`)
		_, err = h.List(background, me, r)
		h.WantStatus(err, 422)
	})
}

// Several entries at a path may exist, by different agents or with many rows. As of a time, the
// one to which the path then resolved is shown.
func TestAsOfResolvesAmongFormerEntries(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := asOfHarness{open(t, b, memory.Limits{})}
		low, high := agent("alice", acl.Public), agent("alice", acl.Internal)
		var want []string
		for i := range 30 { // more rows than the first scan of a page of one
			key := fmt.Sprintf("k%02d", i)
			h.PutText(low, "alice", key, "low", 201)
			want = append(want, key+"=low")
		}
		then := h.step()
		for i := range 30 {
			h.PutText(high, "alice", fmt.Sprintf("k%02d", i), "high", 201)
			if i%3 == 0 {
				h.PutText(low, "alice", fmt.Sprintf("k%02d", i), "changed", 200)
			}
		}
		for _, limit := range []int{1, 7, 100} {
			if got := h.listAt(high, then, limit); !slices.Equal(got, want) {
				t.Errorf("in pages of %d: %q", limit, got)
			}
		}
	})
}

func TestAsOfADateIsItsLastInstantInTheZone(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ text, zone, want string }{
		{"2026-02-27", "", "2026-02-27T23:59:59.999999Z"},
		{"2026-02-27", "+02:00", "2026-02-27T21:59:59.999999Z"},
		{"2026-02", "", "2026-02-28T23:59:59.999999Z"},
		{"2026-03", "", "2026-03-01T12:00:00Z"},
		{"2025-12-24T09:00", "-01:00", "2025-12-24T10:00:00Z"},
		{"2026-03-01T12:00:00Z", "", "2026-03-01T12:00:00Z"},
		{"2026-03-02", "", ""},
	} {
		at, err := memory.ParseAsOf(c.text, c.zone, now)
		if got := at.Format(time.RFC3339Nano); (err != nil) != (c.want == "") || err == nil && got != c.want {
			t.Errorf("%s in %q is %s (%v), want %s", c.text, c.zone, got, err, c.want)
		}
	}
}
