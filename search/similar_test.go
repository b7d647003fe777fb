package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// similarTo asks for the entries similar to the written one.
func similarTo(r *memory.PutRequest) { r.Similar = true }

// indexed waits until the entry is indexed.
func indexed(r *memory.PutRequest) { r.Wait = true }

// openIndexing opens a service that indexes entries in the background.
func openIndexing(t testing.TB, b backendtest.Backend) *harness {
	t.Helper()
	h := &harness{backendtest.Open(t, b, backendtest.Options{Memory: memory.Options{SimilarWait: wait.Limit}}, codedEncoder(t)), t}
	ctx, stop := context.WithCancel(background)
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return h
}

// similar writes an entry and returns the keys of similar entries, most alike first.
func (h *harness) similar(c memory.Caller, store, key, value string) []string {
	h.t.Helper()
	put := h.PutText(c, store, key, value, 201, similarTo)
	if !put.Indexed || put.Similar == nil || put.SimilarLate {
		h.t.Fatalf("no similar entries of %s: %+v", key, put)
	}
	keys := make([]string, len(put.Similar))
	for i, n := range put.Similar {
		if keys[i] = n.Entry.Key; n.Relevance < 0.5 || n.Relevance > 1 || i > 0 && n.Relevance > put.Similar[i-1].Relevance {
			h.t.Errorf("similar to %s: %s with relevance %v", key, keys[i], n.Relevance)
		}
	}
	return keys
}

// subjectOf returns a key for a text, such as an agent would choose.
func subjectOf(text string) string {
	words := strings.Fields(strings.ToLower(text))
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) <= 3 })
	return strings.Trim(strings.Join(words[:min(len(words), 3)], "-"), ".,;")
}

// Whatever the keys, Similar names most pairs that say the same or the opposite, few that share
// a topic, and none that are unrelated.
func TestSimilarEntriesSayTheSameOrTheOpposite(t *testing.T) {
	h := openIndexing(t, backendtest.Embedded())
	for keys, keyOf := range map[string]func(pair int, of string) (string, string){
		"subjects": func(_ int, of string) (string, string) { return "a/" + subjectOf(of), "b/" + subjectOf(of) },
		"numbers":  func(n int, _ string) (string, string) { return fmt.Sprint("note-", n), fmt.Sprint("memo-", n+31) },
	} {
		named, all := make(map[string]int), make(map[string]int)
		for n, p := range similarPairs {
			c := agent(fmt.Sprint(keys, n), acl.Public)
			first, _ := keyOf(n, p.old)
			_, second := keyOf(n, p.text)
			h.PutText(c, c.Agent, first, p.old, 201, indexed)
			found := h.similar(c, c.Agent, second, p.text)
			all[p.kind]++
			if len(found) > 0 {
				named[p.kind]++
			} else if strings.Contains(p.text, "allerg") && p.kind != "topic" && p.kind != "unrelated" {
				t.Errorf("%s: %q does not name %q", keys, p.text, p.old)
			}
			if len(found) > 0 != (p.kind == "same" || p.kind == "opposite") {
				t.Logf("%s, %s: %q names %d of %q", keys, p.kind, p.text, len(found), p.old)
			}
		}
		t.Logf("%s: named %v of %v", keys, named, all)
		if named["same"]*10 < all["same"]*9 || named["opposite"]*10 < all["opposite"]*7 || named["topic"]*10 > all["topic"] || named["unrelated"] > 0 {
			t.Errorf("%s: named %v of %v", keys, named, all)
		}
	}
}

const allergic = "Anna is allergic to bees."

func TestSimilarNamesOnlyEntriesThatTheWriterMayRead(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := openIndexing(t, b)
		public, internal, restricted := agent("anna", acl.Public), agent("anna", acl.Internal), agent("anna", acl.Restricted)
		h.PutText(public, "anna", "public", allergic, 201)
		h.PutText(internal, "anna", "internal", allergic, 201)
		h.PutText(restricted, "anna", "restricted", allergic, 201)
		h.PutText(public, "anna", "hidden", allergic, 201, notInContext)
		h.PutText(public, "anna", "sealed", allergic, 201, sealed)
		h.PutText(public, "anna", "expired", allergic, 201, ttl(time.Minute))
		h.PutText(public, "anna", "deleted", allergic, 201)
		must(h, h.Delete(background, public, path("anna", "deleted"), memory.Preconditions{}))
		h.PutText(public, "anna", "shadowed", allergic, 201)
		h.PutText(internal, "anna", "shadowed", "The tax return is due in May.", 201)
		h.PutText(agent("ben", acl.Public), "ben", "elsewhere", allergic, 201)
		h.Index() // so that no entry has waited for an hour
		h.Clock.Advance(time.Hour)
		h.Lend("anna", "friend", acl.ReadWrite)
		for name, c := range map[string]struct {
			writer memory.Caller
			want   string
		}{
			"public":         {public, "public shadowed"},
			"internal":       {internal, "internal public"},
			"restricted":     {restricted, "internal public restricted"},
			"grantee":        {agent("friend", acl.Internal), "internal public"},
			"public grantee": {agent("friend", acl.Public), "public shadowed"},
		} {
			found := h.similar(c.writer, "anna", "allergy", "Anna has a bee allergy.")
			if slices.Sort(found); strings.Join(found, " ") != c.want {
				t.Errorf("%s: %q, want %q", name, found, c.want)
			}
			if found := h.similar(c.writer, "anna", "plumber", "The plumber comes on Thursday."); len(found) > 0 {
				t.Errorf("%s: the plumber is similar to %q", name, found)
			}
			for _, key := range []string{"allergy", "plumber"} {
				must(h, h.Delete(background, c.writer, path("anna", key), memory.Preconditions{}))
			}
		}
		for name, change := range map[string]func(*memory.PutRequest){"hidden2": notInContext, "sealed2": sealed} {
			if put := h.PutText(public, "anna", name, allergic, 201, change, similarTo); put.Similar != nil || put.SimilarLate || put.Indexed {
				t.Errorf("%s: %+v", name, put)
			}
		}
	})
}

// The similar entries, their order and their relevance depend on no entry that the writer may
// not see, even if such entries fill the first hits of the index.
func TestHiddenEntriesDoNotAffectSimilarEntries(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		answer := func(hidden bool) string {
			h := openIndexing(t, b)
			c := agent("anna", acl.Internal)
			if hidden {
				for i := range 40 {
					h.PutText(agent("anna", acl.Restricted), "anna", fmt.Sprint("secret-", i), allergic, 201)
					h.PutText(c, "anna", "allergy", allergic, 201, ttl(time.Minute), func(r *memory.PutRequest) { r.Path.Namespace = fmt.Sprint("expired-", i) })
					h.PutText(c, "anna", fmt.Sprint("private-", i), allergic, 201, notInContext)
					h.PutText(agent("anna", acl.Restricted), "anna", "allergy", allergic, pickStatus(i), similarTo)
				}
				h.Index()
				h.Clock.Advance(time.Hour)
			}
			h.PutText(c, "anna", "plumber", "The plumber comes on Thursday.", 201, indexed)
			for i, text := range []string{"Anna has a bee allergy.", "Anna is not allergic to bees.", "Anna is allergic to the stings of bees."} {
				h.PutText(c, "anna", fmt.Sprint("allergy-", i), text, 201, indexed)
			}
			var out strings.Builder
			put := h.PutText(c, "anna", "allergy", allergic, 201, similarTo)
			for _, n := range put.Similar {
				fmt.Fprintf(&out, "%s %x\n", n.Entry.Key, n.Relevance)
			}
			return out.String()
		}
		without := answer(false)
		if got := answer(true); got != without || strings.Count(without, "\n") != 3 {
			t.Errorf("with hidden entries\n%s\nwithout\n%s", got, without)
		}
	})
}

// pickStatus returns the status of the write number i of a path.
func pickStatus(i int) int {
	if i == 0 {
		return 201
	}
	return 200
}

func TestAnEntryNotIndexedInTimeIsNotCompared(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data, clock, c := b.Open(t), backendtest.NewClock(), agent("anna", acl.Public)
		h := openOver(t, data, backendtest.Options{Memory: memory.Options{Now: clock.Now, SimilarWait: time.Nanosecond}}, encoder(t))
		if put := h.PutText(c, "anna", "a", allergic, 201, similarTo); put.Similar != nil || !put.SimilarLate || put.Indexed {
			t.Errorf("%+v", put)
		}
		// While entries lag, no write waits for the vectors of other entries.
		const long = 24 * time.Hour
		clock.Advance(2 * long)
		h = openOver(t, data, backendtest.Options{Memory: memory.Options{Now: clock.Now, SimilarWait: long}}, encoder(t))
		ctx, cancel := context.WithTimeout(background, wait.Limit)
		defer cancel()
		put, err := h.Put(ctx, c, memory.PutRequest{Path: path("anna", "b"), Value: text(allergic), Similar: true})
		if err != nil || ctx.Err() != nil || put.Similar != nil || !put.SimilarLate || put.Indexed {
			t.Errorf("%+v, %v, %v", put, err, ctx.Err())
		}
		h = openOver(t, data, backendtest.Options{Memory: memory.Options{Now: clock.Now, SimilarWait: long}})
		if put := h.PutText(c, "anna", "c", allergic, 201, similarTo); put.Similar != nil || put.SimilarLate || put.Indexed {
			t.Errorf("without a model: %+v", put)
		}
	})
}

// An entry is not compared with earlier entries at its own path.
func TestAnEntryIsNotSimilarToItself(t *testing.T) {
	h := openIndexing(t, backendtest.Embedded())
	low, high := agent("anna", acl.Public), agent("anna", acl.Internal)
	h.PutText(low, "anna", "a", allergic, 201, indexed)
	if put := h.PutText(low, "anna", "a", "Anna has a bee allergy.", 200, similarTo); len(put.Similar) > 0 || put.Similar == nil {
		t.Errorf("%+v", put)
	}
	if found := h.similar(high, "anna", "a", allergic); len(found) > 0 {
		t.Errorf("at another label: %q", found)
	}
	if put := h.PutText(low, "anna", "b", allergic, 201, similarTo, func(r *memory.PutRequest) { r.Path.Namespace = "notes" }); len(put.Similar) != 1 || put.Similar[0].Entry.Key != "a" {
		t.Errorf("in another namespace: %+v", put)
	}
}
