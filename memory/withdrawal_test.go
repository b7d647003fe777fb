package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/acl"
	"mneme/backend/backendtest"
	"mneme/memory"
)

// withdrawal takes something away from its reader in one process.
type withdrawal struct {
	name   string
	reader memory.Caller
	at     memory.Path
	value  string // what the reader must not be shown again
	do     func(h *harness) error
	done   atomic.Bool // do has returned
}

// Once a deletion, a lost access or an expiry is acknowledged by one process,
// no search, get or list that begins after it in another shows what it took,
// whatever that one's index still holds.
func TestWhatOneProcessTookAwayNoOtherShows(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		clock := &wallClock{}
		peers := several(t, b.Open(t), encoder(t), memory.Options{Now: clock.Now})
		var all sync.WaitGroup
		for _, w := range withdrawals(peers[0], clock) {
			all.Go(func() { watch(t, w, peers) })
		}
		all.Wait()
	})
}

// watch lets readers of the other processes look again and again, withdraws
// in the first once each of them has found the entry by its vector, and ends
// when each has looked some more.
func watch(t *testing.T, w *withdrawal, peers []*harness) {
	const more = 5
	var ready, readers sync.WaitGroup
	for i, h := range peers[1:] {
		ready.Add(1)
		readers.Go(func() {
			found := sync.OnceFunc(ready.Done)
			defer found()
			deadline := time.Now().Add(time.Minute)
			for looks := 0; looks < more; {
				before := w.done.Load()
				ways, byVector := w.look(h)
				if before {
					looks++
					if len(ways) > 0 {
						t.Errorf("%s: process %d still shows it by %s", w.name, i+1, strings.Join(ways, ", "))
					}
				} else if byVector && len(ways) == 3 {
					found()
				}
				if time.Now().After(deadline) {
					t.Errorf("%s: process %d did not find it within a minute", w.name, i+1)
					return
				}
			}
		})
	}
	ready.Wait()
	if err := w.do(peers[0]); err != nil {
		t.Errorf("%s: %v", w.name, err)
	}
	w.done.Store(true)
	readers.Wait()
}

// look tells by which ways the reader is shown the value, and whether the
// vector leg was one of them.
func (w *withdrawal) look(h *harness) (ways []string, byVector bool) {
	value := string(text(w.value))
	if f, err := h.Get(background, w.reader, w.at); err == nil && string(f.Value) == value {
		ways = append(ways, "get")
	}
	if p, err := h.List(background, w.reader, memory.ListRequest{Store: w.at.Store, Limit: 100}); err == nil &&
		slices.ContainsFunc(p.Items, func(f memory.Found) bool { return string(f.Value) == value }) {
		ways = append(ways, "list")
	}
	a, err := h.Search(background, w.reader, memory.SearchRequest{Query: w.value, Limit: 100, Explain: true})
	if err != nil {
		return ways, false
	}
	for _, hit := range a.Hits {
		if string(hit.Value) == value {
			ways = append(ways, "search")
			byVector = hit.Explain != nil && hit.Explain.Vector != nil
		}
	}
	return ways, byVector
}

// withdrawals arranges one of each kind, in stores of its own.
func withdrawals(h *harness, clock *wallClock) []*withdrawal {
	platform := caller(acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true})
	var all []*withdrawal
	// add writes an entry as its writer, for a reader that may see it.
	add := func(name string, writer, reader memory.Caller, store string, do func(h *harness, at memory.Path) error, change ...func(*memory.PutRequest)) {
		w := &withdrawal{name: name, reader: reader, at: path(store, "folder/note"), value: "the heron of " + name + " stands in the reeds"}
		w.do = func(h *harness) error { return do(h, w.at) }
		h.put(writer, store, w.at.Key, w.value, 201, change...)
		all = append(all, w)
	}
	own := func(name string, do func(h *harness, c memory.Caller, at memory.Path) error, change ...func(*memory.PutRequest)) {
		c := agent("own-"+fmt.Sprint(len(all)), acl.Internal)
		add(name, c, c, c.Agent, func(h *harness, at memory.Path) error { return do(h, c, at) }, change...)
	}
	own("deletion", func(h *harness, c memory.Caller, at memory.Path) error {
		return h.Delete(background, c, at, memory.Preconditions{})
	})
	own("deletion of its folder", func(h *harness, c memory.Caller, at memory.Path) error {
		_, err := h.DeleteTree(background, c, memory.Tree{Store: at.Store, Folder: "folder"})
		return err
	})
	own("another value", func(h *harness, c memory.Caller, at memory.Path) error {
		_, err := h.Put(background, c, memory.PutRequest{Path: at, Value: text("the stork went south")})
		return err
	})
	own("expiry", func(*harness, memory.Caller, memory.Path) error {
		clock.Advance(time.Hour)
		return nil
	}, ttl(time.Hour))
	own("its store's switch", func(h *harness, c memory.Caller, _ memory.Path) error {
		off := acl.DefaultSettings()
		off.Self = false
		return h.PutSettings(background, c, c.Agent, off)
	})

	low, high := agent("shadow", acl.Public), agent("shadow", acl.Internal)
	add("higher label on its key", low, high, "shadow", func(h *harness, at memory.Path) error {
		_, err := h.Put(background, high, memory.PutRequest{Path: at, Value: text("the stork went north")})
		return err
	})

	lent := func(name string, do func(h *harness, owner memory.Caller, grantee string) error) {
		owner, reader := agent(fmt.Sprint("owner-", len(all)), acl.Internal), agent(fmt.Sprint("grantee-", len(all)), acl.Internal)
		_, err := h.Share(background, owner, memory.ShareRequest{Store: owner.Agent, Grantee: reader.Agent, Level: acl.Read})
		must(h, err)
		add(name, owner, reader, owner.Agent, func(h *harness, _ memory.Path) error { return do(h, owner, reader.Agent) })
	}
	lent("unshare", func(h *harness, owner memory.Caller, grantee string) error {
		return h.Unshare(background, owner, owner.Agent, grantee)
	})
	lent("grant up to a lower label", func(h *harness, owner memory.Caller, grantee string) error {
		_, err := h.Share(background, owner, memory.ShareRequest{Store: owner.Agent, Grantee: grantee, Level: acl.Read, MaxLabel: acl.Public})
		return err
	})
	minute := time.Minute
	lent("grant that expires", func(h *harness, owner memory.Caller, grantee string) error {
		_, err := h.Share(background, owner, memory.ShareRequest{Store: owner.Agent, Grantee: grantee, Level: acl.Read, TTL: &minute})
		clock.Advance(time.Minute)
		return err
	})

	inChat := func(agent, chat string) memory.Caller {
		return caller(acl.Principal{Agent: agent, Taint: acl.Internal, Chat: chat})
	}
	for _, member := range []string{"guest", "resident"} {
		must(h, h.PutParticipant(background, platform, "chat-1", member, nil))
	}
	add("leaving the chat", inChat("resident", "chat-1"), inChat("guest", "chat-1"), "chat-1", func(h *harness, at memory.Path) error {
		return h.DeleteParticipant(background, platform, "chat-1", "guest")
	})
	for _, member := range []string{"maker", "resident"} {
		must(h, h.PutParticipant(background, platform, "chat-2", member, nil))
	}
	_, err := h.Share(background, inChat("maker", "chat-2"), memory.ShareRequest{Store: "chat-2", Grantee: "friend", Level: acl.Read})
	must(h, err)
	add("its maker's leaving the chat", inChat("resident", "chat-2"), agent("friend", acl.Internal), "chat-2", func(h *harness, at memory.Path) error {
		return h.DeleteParticipant(background, platform, "chat-2", "maker")
	})
	must(h, h.PutSession(background, platform, "user-1", "helper", nil))
	withUser := caller(acl.Principal{Agent: "helper", Taint: acl.Internal, User: "user-1"})
	add("end of the session", withUser, withUser, "user-1", func(h *harness, at memory.Path) error {
		return h.DeleteSession(background, platform, "user-1", "helper")
	})
	return all
}
