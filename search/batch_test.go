package search_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

func TestASearchReadsItsValuesInBatches(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("a", acl.Public)
		for i := range 20 {
			h.PutText(me, "a", fmt.Sprintf("k%02d", i), long("granite"), 201)
		}
		a := h.MustSearch(me, search.Request{Query: "granite", Limit: 20})
		loaded := 0
		for _, hit := range a.Hits {
			if hit.Value != nil {
				loaded++
			}
		}
		if len(a.Hits) != 20 || loaded == 0 || loaded > 6 {
			t.Fatalf("%d hits, %d with values", len(a.Hits), loaded)
		}
		values, read := h.values(&a, nil)
		if len(values) != 20 || read.Label() != acl.Public {
			t.Errorf("%d values, label %v", len(values), read.Label())
		}
		for i, v := range values {
			if v != string(text(long("granite"))) {
				t.Errorf("value %d has %d bytes", i, len(v))
			}
		}
	})
}

// Access is checked again when values are read later.
func TestHitsThatChangeWhileAnAnswerIsWrittenAreCheckedAgain(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		owner, reader := agent("owner", acl.Internal), agent("reader", acl.Internal)
		low := agent("owner", acl.Public)
		h.MustShare(owner, "reader", acl.Read)
		for i := range 20 {
			who := low
			if i >= 18 {
				who = owner
			}
			h.PutText(who, "owner", fmt.Sprintf("k%02d", i), long("granite"), 201)
		}
		find := func() search.Answer {
			a := h.MustSearch(reader, search.Request{Query: "granite", Stores: []string{"owner"}, Limit: 20})
			if len(a.Hits) != 20 || a.Label != acl.Internal {
				t.Fatalf("%d hits, label %v", len(a.Hits), a.Label)
			}
			return a
		}

		a := find()
		var once atomic.Bool
		got, read := h.values(&a, func(*search.Hit) {
			if once.Swap(true) {
				return
			}
			last := a.Hits[19]
			who := low
			if last.Label == acl.Internal {
				who = owner
			}
			h.PutText(who, "owner", last.Key, "granite, but short", 200)
			for _, hit := range a.Hits[10:19] { // deleted, among them maybe those at INTERNAL
				c := low
				if hit.Label == acl.Internal {
					c = owner
				}
				if err := h.Delete(background, c, hit.Path, memory.Preconditions{}); err != nil {
					t.Fatal(err)
				}
			}
		})
		if len(got) != 11 || got[10] != `"granite, but short"` {
			t.Errorf("%d hits are shown, the last with %d bytes", len(got), len(got[len(got)-1]))
		}
		want := acl.Public
		for _, hit := range append(a.Hits[:10:10], a.Hits[19]) {
			want = max(want, hit.Label)
		}
		if label := read.Label(); label != want {
			t.Errorf("the label is %v, of the hits that are shown %v", label, want)
		}
	})
}

func TestAnAccessThatEndsWhileAnAnswerIsWrittenEndsTheHits(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		for _, named := range []bool{true, false} {
			h := open(t, b, memory.Limits{})
			owner, reader := agent("owner", acl.Public), agent("reader", acl.Public)
			h.MustShare(owner, "reader", acl.Read)
			for i := range 12 {
				h.PutText(owner, "owner", fmt.Sprintf("k%02d", i), long("granite"), 201)
				h.PutText(reader, "reader", fmt.Sprintf("k%02d", i), long("granite"), 201)
			}
			r := search.Request{Query: "granite", Limit: 24}
			if named {
				r.Stores = []string{"owner", "reader"}
			}
			a := h.MustSearch(reader, r)
			n, after := 0, 0
			err := a.Values().Each(background, func(hit *search.Hit) error {
				if n++; n == 1 {
					if err := h.Unshare(background, owner, "owner", "reader"); err != nil {
						return err
					}
				}
				if n > 7 && hit.Store == "owner" {
					after++
				}
				return nil
			})
			if err != nil || after > 0 || n < 12 {
				t.Errorf("named %v: %d hits, %d of them from the store that is no longer shared, %v", named, n, after, err)
			}
		}
	})
}

// If the level on a store falls to search meanwhile, the store shows at most ten hits, with
// only the fields of that level.
func TestALevelLoweredWhileAnAnswerIsWrittenLimitsTheHits(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		owner, reader := agent("owner", acl.Public), agent("reader", acl.Public)
		h.MustShare(owner, "reader", acl.Read)
		for i := range 30 {
			h.PutText(owner, "owner", fmt.Sprintf("k%02d", i), long("granite"), 201)
		}
		a := h.MustSearch(reader, search.Request{Query: "granite", Limit: 30})
		n, bare := 0, 0
		err := a.Values().Each(background, func(hit *search.Hit) error {
			if n++; n == 1 {
				h.MustShare(owner, "reader", acl.Search)
			}
			if hit.Level < acl.Read {
				if bare++; hit.Owner != "" || hit.UpdatedBy != "" || hit.Version != 0 || hit.Value == nil {
					t.Errorf("the hit shows %+v", hit.Entry.Path)
				}
			}
			return nil
		})
		if err != nil || bare != 10 {
			t.Errorf("%d bare hits of %d, %v", bare, n, err)
		}
	})
}

// An error of the caller's yield function ends the reads.
func TestAnErrorOfTheReaderEndsAnAnswer(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("a", acl.Public)
		for i := range 12 {
			h.PutText(me, "a", fmt.Sprintf("k%02d", i), long("granite"), 201)
		}
		a := h.MustSearch(me, search.Request{Query: "granite", Limit: 12})
		gone := errors.New("the client is gone")
		n := 0
		stop := func() error {
			if n++; n == 3 {
				return gone
			}
			return nil
		}
		if err := a.Values().Each(background, func(*search.Hit) error { return stop() }); !errors.Is(err, gone) || n != 3 {
			t.Errorf("%d hits, %v", n, err)
		}
		n = 0
		_, err := h.EachListed(background, me, memory.ListRequest{Store: "a", Limit: 12}, func(memory.Found) error { return stop() })
		if !errors.Is(err, gone) || n != 3 {
			t.Errorf("%d entries, %v", n, err)
		}
		ctx, cancel := context.WithCancel(background)
		a = h.MustSearch(me, search.Request{Query: "granite", Limit: 12})
		if err := a.Values().Each(ctx, func(*search.Hit) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled answer ends with %v", err)
		}
	})
}
