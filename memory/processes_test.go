package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// These tests simulate several processes by several services with one database and one index.
// Each service has its own connections, index client (or flat index), caches and workers; they
// share only the servers. Milvus is configured as in production, so its searches may lag
// behind.

// processes is the number of services that openPeers opens.
const processes = 3

// onShared runs a test on each backend that several processes can share, configured as in
// production.
func onShared(t *testing.T, test func(t *testing.T, b backendtest.Backend)) {
	t.Helper()
	backendtest.Each(t, backendtest.Shared(), func(t *testing.T, b backendtest.Backend) { test(t, b.Serving()) })
}

// wallClock is the system's clock, which a test can set ahead.
type wallClock struct{ ahead atomic.Int64 }

func (c *wallClock) Now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *wallClock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

// openPeers opens services over the same data and starts their workers.
func openPeers(t *testing.T, data *backendtest.Data, e embed.Embedder, options memory.Options) []*harness {
	t.Helper()
	peers := make([]*harness, processes)
	for i := range peers {
		peers[i] = openOver(t, data, options, e)
		peers[i].Start()
	}
	return peers
}

// findsByVector reports whether a search finds the entry at a key by its vector.
func (h *harness) findsByVector(c memory.Caller, question, key string) bool {
	h.t.Helper()
	for _, hit := range h.MustSearch(c, search.Request{Query: question, Explain: true}).Hits {
		if hit.Key == key && hit.Explain != nil && hit.Explain.Vector != nil {
			return true
		}
	}
	return false
}

// embedCounter counts how often each passage is embedded.
type embedCounter struct {
	embed.Embedder
	mu    sync.Mutex
	calls map[string]int // by text
}

func (c *embedCounter) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	c.mu.Lock()
	for _, text := range texts {
		c.calls[text]++
	}
	c.mu.Unlock()
	return c.Embedder.Passages(ctx, texts)
}

// count returns how often texts that contain a word were embedded.
func (c *embedCounter) count(word string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for text, times := range c.calls {
		if strings.Contains(text, word) {
			n += times
		}
	}
	return n
}

func TestProcessesEmbedEachEntryOnce(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		e := &embedCounter{Embedder: encoder(t), calls: make(map[string]int)}
		peers := openPeers(t, b.Open(t), e, memory.Options{})
		writes := 60
		if testing.Short() {
			writes = 20
		}
		c := agent("writer", acl.Public)
		var writers sync.WaitGroup
		for i, h := range peers {
			writers.Go(func() {
				for n := range writes {
					key := fmt.Sprintf("%d/%d", i, n)
					if _, err := h.Put(background, c, memory.PutRequest{Path: path("writer", key), Value: text(crashText(int64(1000*i + n + 1)))}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		writers.Wait()
		peers[0].AwaitEmptyQueue()
		again := 0 // another process may take a lease that is renewed late
		for i := range peers {
			for n := range writes {
				switch e.count(crashWord(int64(1000*i + n + 1))) {
				case 0:
					t.Errorf("entry %d of process %d was not embedded", n, i)
				case 1:
				default:
					again++
				}
			}
		}
		if again > len(peers)*writes/2 {
			t.Errorf("%d entries were embedded more than once", again)
		}
		for i, h := range peers {
			for j := range peers {
				key, word := fmt.Sprintf("%d/%d", j, i), crashWord(int64(1000*j+i+1))
				backendtest.Eventually(t, fmt.Sprintf("process %d finds %s by its vector", i, key), func() bool { return h.findsByVector(c, "the number is "+word, key) })
			}
		}
	})
}

func TestProcessesFindEachOthersWritesByVector(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		peers := openPeers(t, b.Open(t), encoder(t), memory.Options{})
		a := agent("a", acl.Public)
		// The values and their questions have no words in common, so only the vectors can
		// match.
		for _, c := range []struct{ value, question string }{
			{"the duplicate for our front door hangs behind the shed", "where do you keep a spare key?"},
			{"Anna cannot eat anything with nuts in it", "which allergies does she have?"},
		} {
			for i, h := range peers {
				key := fmt.Sprint("from", i)
				h.PutText(a, "a", key, c.value, 201)
				for j, other := range peers {
					backendtest.Eventually(t, fmt.Sprintf("process %d finds what process %d wrote", j, i), func() bool { return other.findsByVector(a, c.question, key) })
				}
				h.WantStatus(h.Delete(background, a, path("a", key), memory.Preconditions{}), 200)
			}
		}
	})
}

// counter is the value of a key that writers increment.
type counter struct {
	Count int `json:"count"`
	By    int `json:"by"` // the writer, so that no two writes have the same value
}

func TestOneWriterWinsEachVersionAcrossProcesses(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		peers := openPeers(t, b.Open(t), encoder(t), memory.Options{})
		peers[0].SetUpAccess()
		callers := []memory.Caller{agent("reader", acl.Public), agent("other", acl.Public)}
		rounds := 8
		if testing.Short() {
			rounds = 4
		}
		keys := []string{"count/a", "count/b"}
		for _, key := range keys {
			_, err := peers[0].Put(background, callers[0], memory.PutRequest{Path: path("room", key), Value: json.RawMessage(`{"count":0,"by":-1}`)})
			must(peers[0], err)
		}
		won := make(map[string]int) // "key version" → number of acknowledged writes
		var lost int
		var mu sync.Mutex
		var writers sync.WaitGroup
		for i, h := range peers {
			for j, c := range callers {
				for _, key := range keys {
					writers.Go(func() {
						for acknowledged := 0; acknowledged < rounds; {
							version, ok := increment(t, h, c, path("room", key), len(callers)*i+j)
							mu.Lock()
							if ok {
								acknowledged++
								won[fmt.Sprint(key, " ", version)]++
							} else {
								lost++
							}
							mu.Unlock()
							if t.Failed() {
								return
							}
						}
					})
				}
			}
		}
		writers.Wait()
		for version, writes := range won {
			if writes != 1 {
				t.Errorf("%d writes of %s were acknowledged, want 1", writes, version)
			}
		}
		want := rounds * len(peers) * len(callers)
		for _, h := range peers {
			for _, key := range keys {
				f, err := h.Get(background, callers[0], path("room", key))
				must(h, err)
				var now counter
				must(h, json.Unmarshal(f.Value, &now))
				if now.Count != want || f.Version != want+1 {
					t.Errorf("%s is at %d in version %d after %d acknowledged writes", key, now.Count, f.Version, want)
				}
			}
		}
		if lost == 0 {
			t.Error("no write was refused: the test proves nothing")
		}
	})
}

// increment increments the counter at a path. ok is false if another writer changed it
// meanwhile.
func increment(t *testing.T, h *harness, c memory.Caller, at memory.Path, by int) (version int, ok bool) {
	f, err := h.Get(background, c, at)
	if err != nil {
		t.Errorf("get: %v", err)
		return 0, false
	}
	var now counter
	if err := json.Unmarshal(f.Value, &now); err != nil {
		t.Error(err)
		return 0, false
	}
	value, err := json.Marshal(counter{now.Count + 1, by})
	if err != nil {
		t.Error(err)
		return 0, false
	}
	r, err := h.Put(background, c, memory.PutRequest{Path: at, Value: value, If: memory.Preconditions{Match: []string{f.ETag}}})
	if err != nil && status(err) != 412 {
		t.Errorf("put: %v", err)
	}
	return r.Version, err == nil
}
