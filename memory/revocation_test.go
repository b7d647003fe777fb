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
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// revocation is a way to make an entry invisible to its reader, such as a deletion, with an
// entry of its own.
type revocation struct {
	name   string
	reader memory.Caller
	at     memory.Path
	value  string // must not be shown after do
	do     func(h *harness) error
	done   atomic.Bool // do has returned
}

// One process acknowledges a deletion, the end of an access, or an expiry. No search, get or
// list that begins later in another process may show the value, even if that process's index
// still has it.
func TestRevocationTakesEffectInEveryProcess(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		clock := &wallClock{}
		peers := openPeers(t, b.Open(t), encoder(t), memory.Options{Now: clock.Now})
		var all sync.WaitGroup
		for _, w := range revocations(peers[0], clock) {
			all.Go(func() { watch(t, w, peers) })
		}
		all.Wait()
	})
}

// watch polls the other processes as the reader. When each of them has found the entry by its
// vector, watch revokes it in the first process, and polls some more times.
func watch(t *testing.T, w *revocation, peers []*harness) {
	const pollsAfter = 5
	var ready, readers sync.WaitGroup
	for i, h := range peers[1:] {
		ready.Add(1)
		readers.Go(func() {
			found := sync.OnceFunc(ready.Done)
			defer found()
			const patience = 4 * time.Minute // for what must happen; not a bound on how soon
			deadline := time.Now().Add(patience)
			for polls := 0; polls < pollsAfter; {
				revoked := w.done.Load()
				operations, byVector := w.visibleTo(h)
				if revoked {
					polls++
					if len(operations) > 0 {
						t.Errorf("%s: process %d still shows it in %s", w.name, i+1, strings.Join(operations, ", "))
					}
				} else if byVector && len(operations) == 3 {
					found()
				}
				if time.Now().After(deadline) {
					t.Errorf("%s: process %d did not find it within %v: %q show it, by its vector %v", w.name, i+1, patience, operations, byVector)
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

// visibleTo returns the operations that show the value to the reader, and whether a search
// found it by its vector.
func (w *revocation) visibleTo(h *harness) (operations []string, byVector bool) {
	value := string(text(w.value))
	if f, err := h.Get(background, w.reader, w.at); err == nil && string(f.Value) == value {
		operations = append(operations, "get")
	}
	if p, err := h.List(background, w.reader, memory.ListRequest{Store: w.at.Store, Limit: 100}); err == nil &&
		slices.ContainsFunc(p.Items, func(f memory.Found) bool { return string(f.Value) == value }) {
		operations = append(operations, "list")
	}
	a, err := h.Search(background, w.reader, search.Request{Query: w.value, Limit: 100, Explain: true})
	if err != nil {
		return operations, false
	}
	for _, hit := range a.Hits {
		if string(hit.Value) == value {
			operations = append(operations, "search")
			byVector = hit.Explain != nil && hit.Explain.Vector != nil
		}
	}
	return operations, byVector
}

// revocations sets up one revocation of each kind. Each uses stores of its own.
func revocations(h *harness, clock *wallClock) []*revocation {
	platform := caller(acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true})
	var all []*revocation
	// add writes an entry that the reader may see.
	add := func(name string, writer, reader memory.Caller, store string, do func(h *harness, at memory.Path) error, change ...func(*memory.PutRequest)) {
		w := &revocation{name: name, reader: reader, at: path(store, "folder/note"), value: "the heron of " + name + " wades in the reeds"}
		w.do = func(h *harness) error { return do(h, w.at) }
		h.PutText(writer, store, w.at.Key, w.value, 201, change...)
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
	own("own stores turned off", func(h *harness, c memory.Caller, _ memory.Path) error {
		off := acl.DefaultSettings()
		off.Self = false
		return h.PutSettings(background, agent(c.Agent, acl.Public), c.Agent, off)
	})

	low, high := agent("shadow", acl.Public), agent("shadow", acl.Internal)
	add("higher label on its key", low, high, "shadow", func(h *harness, at memory.Path) error {
		_, err := h.Put(background, high, memory.PutRequest{Path: at, Value: text("the stork went north")})
		return err
	})

	granted := func(name string, do func(h *harness, owner memory.Caller, grantee string) error) {
		owner, reader := agent(fmt.Sprint("owner-", len(all)), acl.Internal), agent(fmt.Sprint("grantee-", len(all)), acl.Internal)
		_, err := h.Share(background, owner, memory.ShareRequest{Store: owner.Agent, Grantee: reader.Agent, Level: acl.Read})
		must(h, err)
		add(name, owner, reader, owner.Agent, func(h *harness, _ memory.Path) error { return do(h, owner, reader.Agent) })
	}
	granted("unshare", func(h *harness, owner memory.Caller, grantee string) error {
		return h.Unshare(background, owner, owner.Agent, grantee)
	})
	granted("grant up to a lower label", func(h *harness, owner memory.Caller, grantee string) error {
		_, err := h.Share(background, owner, memory.ShareRequest{Store: owner.Agent, Grantee: grantee, Level: acl.Read, MaxLabel: acl.Public})
		return err
	})
	minute := time.Minute
	granted("grant that expires", func(h *harness, owner memory.Caller, grantee string) error {
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
	add("grant whose maker leaves the chat", inChat("resident", "chat-2"), agent("friend", acl.Internal), "chat-2", func(h *harness, at memory.Path) error {
		return h.DeleteParticipant(background, platform, "chat-2", "maker")
	})
	must(h, h.PutSession(background, platform, "user-1", "helper", nil))
	withUser := caller(acl.Principal{Agent: "helper", Taint: acl.Internal, User: "user-1"})
	add("end of the user session", withUser, withUser, "user-1", func(h *harness, at memory.Path) error {
		return h.DeleteSession(background, platform, "user-1", "helper")
	})
	return all
}
