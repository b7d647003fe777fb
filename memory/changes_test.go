package memory_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
)

// follower maintains a copy of a store, as a client would.
type follower struct {
	caller memory.Caller
	limit  int
	cursor string
	copied map[memory.Path]int // versions
	denied bool                // by the last step
}

// step reads a page of changes, or the whole store if the changes are no longer known. done
// reports whether the copy is up to date.
func (f *follower) step(h *harness, store string) (done bool, err error) {
	ctx := context.Background()
	request := memory.ChangesRequest{Store: store, Since: f.cursor, Limit: f.limit}
	page, err := h.Changes(ctx, f.caller, request)
	f.denied = errors.Is(err, acl.ErrDenied)
	switch {
	case f.denied: // without access, its copy is out of date and useless
		return true, nil
	case errors.Is(err, memory.ErrFeed):
		f.cursor = ""
		return false, nil
	case err != nil:
		return false, err
	}
	first := f.cursor == ""
	if f.cursor = page.Next; first {
		f.copied, err = listed(h, f.caller, store)
		if errors.Is(err, acl.ErrDenied) || errors.Is(err, memory.ErrCursor) {
			f.cursor, err = "", nil
		}
		return false, err
	}
	for _, c := range page.Changes {
		path := memory.Path{Store: store, Namespace: c.Namespace, Key: c.Key}
		if c.Version == 0 {
			delete(f.copied, path)
		} else {
			f.copied[path] = c.Version
		}
	}
	return len(page.Changes) == 0, nil
}

// listed returns the versions that a full list shows.
func listed(h *harness, c memory.Caller, store string) (map[memory.Path]int, error) {
	versions := make(map[memory.Path]int)
	err := h.Export(context.Background(), c, store, memory.Filter{}, func(f memory.Found) error {
		versions[f.Path] = f.Version
		return nil
	})
	return versions, err
}

func TestAFollowerHasWhatAListShows(t *testing.T) {
	divisor := map[string]int{"sqlite+flat": 1, "postgres+flat": 8}
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			backendtest.Check(t, divisor[b.Name], func(t testing.TB, rt *rapid.T) { checkFollowers(rt, t, b) })
		})
	}
}

func checkFollowers(rt *rapid.T, t testing.TB, b backendtest.Backend) {
	data, clock := b.Open(t), backendtest.NewClock()
	options := memory.Options{Now: clock.Now, Limits: memory.Limits{Retention: new(time.Duration)}}
	peers := []*harness{openOver(t, data, options), openOver(t, data, options)}
	share(peers[0], "alice", "bob", acl.ReadWrite)
	var followers []*follower
	for _, c := range []memory.Caller{agent("alice", acl.Public), agent("alice", acl.Restricted), agent("bob", acl.Internal)} {
		followers = append(followers, &follower{caller: c, limit: rapid.SampledFrom([]int{1, 2, 1000}).Draw(rt, "limit")})
	}
	writers := make([][]backendtest.Change, 3)
	for i := range writers {
		writers[i] = rapid.SliceOfN(rapid.Custom(backendtest.DrawChange), 1, 12).Draw(rt, "changes")
	}
	var writing, following sync.WaitGroup
	ended := make(chan struct{})
	for i, changes := range writers {
		writing.Go(func() {
			for _, change := range changes {
				if err := change(peers[i%2].Fixture, clock); status(err) == 500 {
					t.Error(err)
				}
			}
		})
	}
	for i, f := range followers {
		following.Go(func() {
			for {
				if _, err := f.step(peers[i%2], "alice"); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(ended)
	following.Wait()
	for i, f := range followers {
		for n := 0; ; n++ {
			done, err := f.step(peers[(i+1)%2], "alice")
			if err != nil || n > 1000 {
				rt.Fatalf("step %d: %v", n, err)
			}
			if done {
				break
			}
		}
		want, err := listed(peers[0], f.caller, "alice")
		if errors.Is(err, acl.ErrDenied) != f.denied {
			rt.Fatalf("%s: denied %v, a list says %v", f.caller.Agent, f.denied, err)
		}
		if !f.denied && !maps.Equal(f.copied, want) {
			rt.Fatalf("%s at %v follows to\n%v\na list shows\n%v", f.caller.Agent, f.caller.Taint, f.copied, want)
		}
	}
}

// following returns a request for the changes after now.
func (h *harness) following(c memory.Caller, store string) memory.ChangesRequest {
	h.t.Helper()
	r := memory.ChangesRequest{Store: store, Limit: 100}
	page, err := h.Changes(background, c, r)
	must(h, err)
	if len(page.Changes) > 0 {
		h.t.Fatalf("without a cursor there are changes: %v", page.Changes)
	}
	r.Since = page.Next
	return r
}

// waiting is a call of Changes that is waiting for a change.
type waiting struct {
	page chan memory.ChangePage
	err  error
	stop chan struct{}
}

// wait begins a call. It returns when the call is waiting or has its answer: on a slow machine,
// a change may happen before the call waits.
func (h *harness) wait(c memory.Caller, r memory.ChangesRequest) *waiting {
	h.t.Helper()
	w := &waiting{page: make(chan memory.ChangePage, 1), stop: make(chan struct{})}
	r.Wait, r.Stop = memory.MaxChangeWait, w.stop
	before := h.Activity().ChangesWaiting
	go func() {
		page, err := h.Changes(background, c, r)
		w.err = err
		w.page <- page
	}()
	backendtest.Eventually(h.t, "the call waits", func() bool { return h.Activity().ChangesWaiting > before || len(w.page) > 0 })
	return w
}

func keysOfChanges(page memory.ChangePage) (keys []string) {
	for _, c := range page.Changes {
		keys = append(keys, fmt.Sprint(c.Key, " ", c.Version))
	}
	return keys
}

func wantChanges(t *testing.T, page memory.ChangePage, want ...string) {
	t.Helper()
	if got := keysOfChanges(page); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("changes are %v, want %v", got, want)
	}
}

func TestOnlyAVisibleChangeEndsAWait(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		here, there := openOver(t, data, memory.Options{}), openOver(t, data, memory.Options{})
		low, high := agent("a", acl.Public), agent("a", acl.Restricted)
		no := false
		for i, writer := range []*harness{here, there} {
			w := here.wait(low, here.following(low, "a"))
			writer.PutText(high, "a", fmt.Sprint("hidden ", i), "x", 201)
			_, err := writer.Put(background, low, memory.PutRequest{Path: path("a", fmt.Sprint("private ", i)), Value: text("x"), InContext: &no})
			must(here, err)
			writer.PutText(agent("b", acl.Public), "b", fmt.Sprint("elsewhere ", i), "x", 201)
			writer.PutText(low, "a", fmt.Sprint("seen ", i), "x", 201)
			wantChanges(t, <-w.page, fmt.Sprintf("seen %d 1", i))
		}
	})
}

func TestAnExpiryEndsAWait(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openOver(t, b.Open(t), memory.Options{})
		c := agent("a", acl.Internal)
		h.PutText(agent("a", acl.Public), "a", "k", "below", 201)
		var r memory.ChangesRequest
		there := func(key string) bool {
			found, err := h.Get(background, c, path("a", key))
			return err == nil && found.Label == acl.Internal
		}
		// On a busy machine the entry may expire before the call waits: try again with a longer
		// life.
		for life, followed := time.Second, false; !followed; life *= 2 {
			h.PutText(c, "a", "k", "x", 0, ttl(life))
			h.PutText(c, "a", "l", "x", 0, ttl(life))
			r = h.following(c, "a")
			followed = there("k") && there("l")
		}
		got := make(map[string]int)
		for waits := 0; len(got) < 2 && waits < 10; waits++ {
			page := <-h.wait(c, r).page
			for _, change := range page.Changes {
				got[change.Key] = change.Version
			}
			r.Since = page.Next
		}
		if !maps.Equal(got, map[string]int{"k": 1, "l": 0}) { // k at PUBLIC is no longer shadowed
			t.Errorf("changes are %v", got)
		}
	})
}

func TestAccessIsCheckedAtTheEndOfAWait(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openOver(t, b.Open(t), memory.Options{})
		alice, bob := agent("alice", acl.Internal), agent("bob", acl.Internal)
		give := func(level acl.Level, most acl.Label) {
			_, err := h.Share(background, alice, memory.ShareRequest{Store: "alice", Grantee: "bob", Level: level, MaxLabel: most})
			must(h, err)
		}
		expired := errors.New("expired")
		for name, c := range map[string]struct {
			meanwhile func()
			want      error
		}{
			"nothing":      {func() {}, nil},
			"revoked":      {func() { must(h, h.Unshare(background, alice, "alice", "bob")) }, acl.ErrDenied},
			"level search": {func() { give(acl.Search, 0) }, acl.ErrDenied},
			"another label": {func() {
				give(acl.Read, acl.Public)
			}, memory.ErrFeed},
			"the token": {nil, expired},
		} {
			t.Run(name, func(t *testing.T) {
				give(acl.Read, 0)
				r := h.following(bob, "alice")
				if c.meanwhile == nil {
					r.Judge = func(context.Context, bool) (memory.Caller, error) { return bob, expired }
				}
				w := h.wait(bob, r)
				if c.meanwhile != nil {
					c.meanwhile()
				}
				if c.want != nil { // nil: the caller may not see the change, so it ends no wait
					h.PutText(agent("alice", acl.Public), "alice", name, "x", 201)
				}
				close(w.stop)
				page := <-w.page
				if !errors.Is(w.err, c.want) || len(page.Changes) > 0 {
					t.Errorf("error %v, want %v; changes %v", w.err, c.want, page.Changes)
				}
			})
		}
	})
}

// The token of a waiting call has expired. The first commit makes the call check the token,
// which fails. Later commits must not make it check again; only the end of the wait does. A
// second follower shows when each commit was announced.
func TestATokenThatExpiresDuringAWaitIsCheckedOnceMore(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openOver(t, b.Open(t), memory.Options{})
		c, expired := agent("a", acl.Public), errors.New("expired")
		var judged, atEnd atomic.Int64
		r := h.following(c, "a")
		r.Judge = func(_ context.Context, ended bool) (memory.Caller, error) {
			judged.Add(1)
			if ended {
				atEnd.Add(1)
			}
			return c, expired
		}
		w, follows := h.wait(c, r), h.following(c, "a")
		for i := range 50 {
			follower := h.wait(c, follows)
			h.PutText(c, "a", fmt.Sprint(i), "x", 201)
			follows.Since = (<-follower.page).Next
		}
		close(w.stop)
		if page := <-w.page; !errors.Is(w.err, expired) || len(page.Changes) > 0 {
			t.Errorf("error %v; changes %v", w.err, page.Changes)
		}
		if judged.Load() > 2 || atEnd.Load() != 1 {
			t.Errorf("judged %d times, %d of them at the end", judged.Load(), atEnd.Load())
		}
	})
}

func TestAnAgentHasFourWaits(t *testing.T) {
	h := openOver(t, backendtest.Embedded().Open(t), memory.Options{})
	c := agent("a", acl.Public)
	r := h.following(c, "a")
	var waits []*waiting
	for range 4 {
		waits = append(waits, h.wait(c, r))
	}
	var full *memory.WaitError
	if _, err := h.Changes(background, agent("a", acl.Internal), h.waitingFor(agent("a", acl.Internal), "a")); !errors.As(err, &full) {
		t.Errorf("a fifth wait of the agent: %v", err)
	}
	other := h.wait(agent("b", acl.Public), h.following(agent("b", acl.Public), "b"))
	close(waits[0].stop)
	<-waits[0].page
	again := h.wait(c, r)
	for _, w := range append(waits[1:], other, again) {
		close(w.stop)
		<-w.page
	}
	if n := h.Activity().ChangesWaiting; n != 0 {
		t.Errorf("%d waits are left", n)
	}
}

// waitingFor returns a request that waits.
func (h *harness) waitingFor(c memory.Caller, store string) memory.ChangesRequest {
	r := h.following(c, store)
	r.Wait = memory.MaxChangeWait
	return r
}

func TestCursorsOfAFeedExpire(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		clock, rows := backendtest.NewClock(), &sweptOnce{Storage: b.Open(t).Storage(t)}
		p := backendtest.OpenProcess(t, rows, backendtest.Options{Memory: memory.Options{
			Limits: memory.Limits{Retention: new(time.Duration), Feed: memory.FeedLimits{Age: time.Hour, Records: 10}}, Now: clock.Now,
		}})
		h := &harness{backendtest.Wrap(t, p), t}
		c, high := agent("a", acl.Public), agent("a", acl.Restricted)
		ask := func(r memory.ChangesRequest, c memory.Caller, want error) (page memory.ChangePage) {
			t.Helper()
			page, err := h.Changes(background, c, r)
			if !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
			return page
		}
		r := h.following(c, "a")
		h.PutText(c, "a", "k", "x", 201)
		page := ask(r, c, nil)
		wantChanges(t, page, "k 1")
		if len(page.Next) != len(r.Since) || page.Next == r.Since {
			t.Errorf("cursors %q and %q", r.Since, page.Next)
		}
		later := r
		later.Since = page.Next
		wantChanges(t, ask(later, c, nil))

		other := r
		other.Store = "b"
		ask(r, high, memory.ErrCursor)
		ask(other, agent("b", acl.Public), memory.ErrCursor)
		for _, limit := range []int{0, memory.MaxChanges + 1} {
			bad := r
			bad.Limit = limit
			_, err := h.Changes(background, c, bad)
			h.WantStatus(err, 422)
		}
		for _, wait := range []time.Duration{-1, memory.MaxChangeWait + 1} {
			bad := r
			bad.Wait = wait
			_, err := h.Changes(background, c, bad)
			h.WantStatus(err, 422)
		}

		// Changes that the caller cannot see must not push visible ones out of the feed.
		for i := range 20 {
			h.PutText(high, "a", fmt.Sprint(i), "x", 201)
		}
		rows.sweep(h)
		wantChanges(t, ask(r, c, nil), "k 1")
		for i := range 10 {
			h.PutText(c, "a", fmt.Sprint(i), "x", 201)
		}
		rows.sweep(h)
		ask(r, c, memory.ErrFeed)
		ask(later, c, nil)
		clock.Advance(2 * time.Hour)
		rows.sweep(h)
		ask(later, c, memory.ErrFeed)

		r = h.following(c, "a")
		must(h, h.Delete(background, c, path("a", "k"), memory.Preconditions{}))
		later = r
		later.Since = ask(r, c, nil).Next
		clock.Advance(time.Minute)
		_, err := h.Purge(background, caller(acl.Principal{Agent: "platform", Platform: true}), memory.PurgeRequest{Before: clock.Now()}, nil)
		must(h, err)
		ask(r, c, memory.ErrFeed) // the purged key is no longer known
		wantChanges(t, ask(later, c, nil))
	})
}

func FuzzFeedCursor(f *testing.F) {
	h := open(f, backendtest.Embedded(), memory.Limits{})
	c := agent("a", acl.Public)
	h.PutText(c, "a", "k", "x", 201)
	good := h.following(c, "a").Since
	list, err := h.List(background, c, memory.ListRequest{Store: "a", Limit: 1})
	must(h, err)
	f.Add(good)
	f.Add(list.Next)
	f.Add("")
	f.Add("AAAA")
	f.Add(good + "A")
	f.Fuzz(func(t *testing.T, cursor string) {
		page, err := h.Changes(background, c, memory.ChangesRequest{Store: "a", Since: cursor, Limit: 10})
		switch {
		case cursor == "" || cursor == good:
			if err != nil || len(page.Changes) > 0 || len(page.Next) != len(good) {
				t.Errorf("page %v, error %v", page, err)
			}
		case !errors.Is(err, memory.ErrCursor):
			t.Errorf("a forged cursor: %v", err)
		}
	})
}
