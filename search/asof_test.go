package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// step returns an instant after all writes so far, and advances the clock by a minute.
func (h *harness) step() string {
	h.Clock.Advance(30 * time.Second)
	at := h.Clock.Now().UTC().Format(time.RFC3339)
	h.Clock.Advance(30 * time.Second)
	return at
}

// hitsAt returns the keys and texts that a search as of a time finds, ordered by key.
func (h *harness) hitsAt(c memory.Caller, r search.Request) (lines []string) {
	h.t.Helper()
	r.Limit = 100
	a := h.MustSearch(c, r)
	h.values(&a, func(hit *search.Hit) {
		lines = append(lines, hit.Namespace+"/"+hit.Key+"="+strings.Trim(string(hit.Value), `"`))
	})
	slices.Sort(lines)
	return lines
}

func TestSearchAsOfFindsTheEntriesOfThatTime(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("alice", acl.Public)
		before := h.step()
		h.PutText(me, "alice", "seat", "the zeppelin has a window seat", 201)
		h.PutText(me, "alice", "still", "the zeppelin is grey", 201)
		first := h.step()
		h.PutText(me, "alice", "seat", "the ferry has an aisle seat", 200)
		second := h.step()
		_, err := h.Rename(background, me, memory.RenameRequest{Path: path("alice", "seat"), To: "place"})
		must(h, err)
		renamed := h.step()
		must(h, h.Delete(background, me, path("alice", "place"), memory.Preconditions{}))
		deleted := h.step()
		_, err = h.Restore(background, me, memory.RestoreRequest{Path: path("alice", "place")})
		must(h, err)
		h.PutText(me, "alice", "late", "another zeppelin", 201)
		h.Index()
		now := h.step()

		grey, window, aisle := "/still=the zeppelin is grey", "/seat=the zeppelin has a window seat", "/seat=the ferry has an aisle seat"
		for _, mode := range []search.Mode{search.ModeLexical, search.ModeHybrid} {
			for _, c := range []struct {
				at, query string
				want      []string
			}{
				{before, "zeppelin", nil},
				{first, "zeppelin", []string{window, grey}},
				{first, "ferry", nil},
				{second, "zeppelin", []string{grey}},
				{second, "ferry", []string{aisle}},
				{renamed, "ferry", []string{"/place=the ferry has an aisle seat"}},
				{deleted, "ferry", nil},
				{now, "ferry", []string{"/place=the ferry has an aisle seat"}},
				{now, "zeppelin", []string{"/late=another zeppelin", grey}},
			} {
				got := h.hitsAt(me, search.Request{Query: c.query, AsOf: c.at, Mode: mode, NoTypos: true})
				if mode == search.ModeHybrid { // which finds the others, too
					got = slices.DeleteFunc(got, func(line string) bool { return !strings.Contains(line, c.query) })
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%s as of %s (%s): %q, want %q", c.query, c.at, mode, got, c.want)
				}
			}
		}
		for _, bad := range []string{"2100", "yesterday"} {
			if _, err := h.Search(background, me, search.Request{Query: "ferry", Limit: 1, AsOf: bad}); status(err) != 422 {
				t.Errorf("as of %s: %v", bad, err)
			}
		}
		if _, err := h.Search(background, me, search.Request{Query: "ferry", Limit: 1, AsOf: first, ExplainEntry: &memory.Path{Store: "alice", Key: "seat"}}); status(err) != 422 {
			t.Errorf("with explain of an entry: %v", err)
		}
	})
}

func TestSearchAsOfScoresFormerEntriesLikeCurrentOnes(t *testing.T) {
	clock := backendtest.NewClock()
	h := openOver(t, backendtest.Embedded().Open(t), backendtest.Options{Memory: memory.Options{Now: clock.Now}}, wordCoder{encoder(t)})
	h.Clock = clock
	me := agent("alice", acl.Public)
	for i := range 20 {
		h.PutText(me, "alice", fmt.Sprintf("other/%d", i), fmt.Sprintf("note %d on the garden", i), 201)
	}
	h.PutText(me, "alice", "pen", "Anna carries an adrenaline pen in the blue bag since she is allergic to bees. "+strings.Repeat("The garden is green. ", 80), 201)
	h.Index()
	at := h.step()
	r := search.Request{Query: "what is Anna allergic to?", Limit: 3, Explain: true, Passages: true}
	now := h.MustSearch(me, r)
	h.PutText(me, "alice", "pen", "nothing of note", 200)
	h.Index()
	h.step()
	r.AsOf = at
	then := h.MustSearch(me, r)
	if len(now.Hits) == 0 || len(then.Hits) == 0 || then.Hits[0].Key != "pen" {
		t.Fatalf("%v, then %v", keys(now), keys(then))
	}
	was, is := &now.Hits[0], &then.Hits[0]
	x := is.Explain
	if x.Vector == nil || x.Lexical == nil || x.Parts.MaxSim == nil || x.Parts.Coverage == nil || *x.Parts.MaxSim != *was.Explain.Parts.MaxSim || *x.Parts.Cosine != *was.Explain.Parts.Cosine {
		t.Errorf("explained as %+v, then as %+v", was.Explain.Parts, x.Parts)
	}
	if d := is.Relevance - was.Relevance; d < -0.05 || d > 0.05 {
		t.Errorf("the relevance is %v, of a former entry %v", was.Relevance, is.Relevance)
	}
	if is.Revision != was.Revision || !is.UpdatedAt.Equal(was.UpdatedAt) {
		t.Errorf("revision %d of %s, want %d of %s", is.Revision, is.UpdatedAt, was.Revision, was.UpdatedAt)
	}
	h.values(&then, func(hit *search.Hit) {
		if hit.Key == "pen" && (!hit.Truncated || !strings.Contains(hit.Passages[0].Text, "Anna")) {
			t.Errorf("passages: %v", hit.Passages)
		}
	})
}

func TestSearchAsOfAppliesCurrentRights(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me, high, reader, writer := agent("alice", acl.Public), agent("alice", acl.Confidential), agent("bob", acl.Public), agent("carol", acl.Public)
		for _, key := range []string{"raised", "deleted", "changed"} {
			h.PutText(me, "alice", key, "the zeppelin of "+key, 201)
		}
		h.PutText(me, "alice", "sealed", "the zeppelin of sealed", 201, sealed)
		h.PutText(me, "alice", "expired", "the zeppelin of expired", 201, ttl(10*time.Second))
		at := h.step()
		h.PutText(me, "alice", "changed", "a ferry", 200)
		h.PutText(me, "alice", "sealed", "a ferry", 200, sealed)
		h.PutText(high, "alice", "raised", "a ferry", 201)
		must(h, h.Delete(background, me, path("alice", "deleted"), memory.Preconditions{}))
		share(h, "alice", "bob", acl.Read)
		share(h, "alice", "carol", acl.ReadWrite)
		share(h, "alice", "dora", acl.Search)
		h.Index()
		h.step()
		r := search.Request{Query: "zeppelin", AsOf: at, Mode: search.ModeLexical, NoTypos: true}
		lines := func(of ...string) (lines []string) {
			for _, key := range of {
				lines = append(lines, "/"+key+"=the zeppelin of "+key)
			}
			return lines
		}
		for name, c := range map[string]struct {
			caller memory.Caller
			want   []string
		}{
			"owner":  {me, lines("changed", "deleted", "raised")},
			"reader": {reader, lines("changed", "raised")},
			"writer": {writer, lines("changed", "raised")}, // the agent that deleted an entry may restore it
		} {
			if got := h.hitsAt(c.caller, r); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
		h.Clock.Advance(8 * 24 * time.Hour)
		_, err := h.Purge(background, memory.Caller{Principal: acl.Principal{Platform: true, Taint: acl.Restricted}}, memory.PurgeRequest{Before: h.Clock.Now().Add(-7 * 24 * time.Hour)}, nil)
		must(h, err)
		if got, want := h.hitsAt(me, r), lines("changed", "raised"); !slices.Equal(got, want) {
			t.Errorf("after a purge: %q, want %q", got, want)
		}
		dora := agent("dora", acl.Public)
		if got := h.hitsAt(dora, r); len(got) > 0 {
			t.Errorf("by level search: %q", got)
		}
		r.Stores = []string{"alice"}
		if _, err := h.Search(background, dora, r); status(err) != 403 && status(err) != 422 {
			t.Errorf("by level search, named: %v", err)
		}
	})
}

func TestSearchAsOfReportsThatEntriesWereNotCompared(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{History: memory.HistoryLimits{Versions: 2}})
	me := agent("alice", acl.Public)
	const entries = 101 // one more than a search embeds
	write := func(text string, status int) {
		for i := range entries {
			h.PutText(me, "alice", fmt.Sprint("k", i), text, status)
		}
	}
	write("a zeppelin", 201)
	at := h.step()
	write("a ferry", 200)
	h.Index()
	h.step()
	r := search.Request{Query: "zeppelin", Limit: 100, AsOf: at}
	a := h.MustSearch(me, r)
	if len(a.Hits) != 100 || !slices.Contains(a.Degraded, search.LagVector) {
		t.Errorf("%d hits, degraded: %v", len(a.Hits), a.Degraded)
	}
	_, values := h.values(&a, nil)
	next, err := values.Next(0)
	must(h, err)
	r.Cursor = next
	if rest := h.MustSearch(me, r); len(rest.Hits) != 1 {
		t.Errorf("the next page has %v", keys(rest))
	}
	for i := range 3 {
		h.PutText(me, "alice", "k0", fmt.Sprint("ferry ", i), 200)
	}
	r.Cursor = ""
	if _, err := h.Search(background, me, r); status(err) != 422 {
		t.Errorf("as of a time that history does not reach: %v", err)
	}
}

// TestSearchAsOfEqualsTheSearchAtThatTime replays writes and compares the results of a search
// as of each moment with those of a search at that moment.
func TestSearchAsOfEqualsTheSearchAtThatTime(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{})
	stores := 0
	rapid.Check(t, func(rt *rapid.T) {
		stores++
		store := fmt.Sprint("agent-", stores)
		me := agent(store, acl.Public)
		names, words := []string{"a", "b", "c"}, []string{"granite", "marble", "basalt", "slate"}
		type moment struct {
			at    string
			found map[string][]string
		}
		var moments []moment
		search := func(word, at string) []string {
			return h.hitsAt(me, search.Request{Query: word, Mode: search.ModeLexical, AsOf: at, NoTypos: true})
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			at := path(store, rapid.SampledFrom(names).Draw(rt, "key"))
			at.Namespace = rapid.SampledFrom([]string{"", "n"}).Draw(rt, "namespace")
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0, 1, 2:
				text := rapid.SampledFrom(words).Draw(rt, "first") + " " + rapid.SampledFrom(words).Draw(rt, "second")
				_, err := h.Put(background, me, memory.PutRequest{Path: at, Value: []byte(`"` + text + `"`)})
				must(h, err)
			case 3:
				if err := h.Delete(background, me, at, memory.Preconditions{}); err != nil && status(err) != 404 {
					rt.Fatal(err)
				}
			case 4:
				if _, err := h.Restore(background, me, memory.RestoreRequest{Path: at}); err != nil && status(err) != 404 && status(err) != 409 {
					rt.Fatal(err)
				}
			case 5:
				to := rapid.SampledFrom(names).Draw(rt, "to")
				if _, err := h.Rename(background, me, memory.RenameRequest{Path: at, To: to}); err != nil && status(err) != 404 && status(err) != 409 && status(err) != 412 && status(err) != 422 {
					rt.Fatal(err)
				}
			}
			m := moment{h.step(), make(map[string][]string)}
			for _, word := range words {
				m.found[word] = search(word, "")
			}
			moments = append(moments, m)
		}
		for i, m := range moments {
			for _, word := range words {
				if got := search(word, m.at); !slices.Equal(got, m.found[word]) {
					rt.Errorf("%s as of step %d: %q, then %q", word, i, got, m.found[word])
				}
			}
		}
	})
}
