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
	"mneme/backend/backendtest"
	"mneme/embed"
	"mneme/memory"
)

// Several services over one database and one index stand for several
// processes: each has its connections, its client of the index or its own
// flat one, its caches and its workers, and they share nothing but the
// servers. Milvus is asked as it is in service, where its searches may lag.

const processes = 3

// onShared runs a test of several processes on each backend that they can
// share.
func onShared(t *testing.T, test func(t *testing.T, b backendtest.Backend)) {
	t.Helper()
	for _, b := range backendtest.Shared() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			test(t, b.Serving())
		})
	}
}

// wallClock runs like the system's, and can be moved ahead.
type wallClock struct{ ahead atomic.Int64 }

func (c *wallClock) Now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *wallClock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

// several opens services over the same data, each with its workers running.
func several(t *testing.T, data *backendtest.Data, e embed.Embedder, options memory.Options) []*harness {
	t.Helper()
	peers := make([]*harness, processes)
	for i := range peers {
		peers[i] = openOver(t, data, options, e)
		run(t, peers[i])
	}
	return peers
}

// run works a service's queue until the test ends.
func run(t *testing.T, h *harness) {
	ctx, stop := context.WithCancel(background)
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// eventually polls until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// settled waits until nothing is queued any more.
func settled(t testing.TB, h *harness) {
	t.Helper()
	eventually(t, "the queue is empty", func() bool {
		s := h.Status(background)
		return s.Storage && s.Queue == 0
	})
}

// byMeaning tells whether the vector leg of a search finds a key.
func (h *harness) byMeaning(c memory.Caller, question, key string) bool {
	h.t.Helper()
	for _, hit := range h.search(c, memory.SearchRequest{Query: question, Explain: true}).Hits {
		if hit.Key == key && hit.Explain != nil && hit.Explain.Vector != nil {
			return true
		}
	}
	return false
}

// tally counts the passages that are embedded, by their text.
type tally struct {
	embed.Embedder
	mu    sync.Mutex
	times map[string]int
}

func (c *tally) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	c.mu.Lock()
	for _, text := range texts {
		c.times[text]++
	}
	c.mu.Unlock()
	return c.Embedder.Passages(ctx, texts)
}

// of is how often a text with a word was embedded.
func (c *tally) of(word string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for text, times := range c.times {
		if strings.Contains(text, word) {
			n += times
		}
	}
	return n
}

func TestWorkersOfSeveralProcessesEmbedEachEntryOnce(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		e := &tally{Embedder: encoder(t), times: make(map[string]int)}
		peers := several(t, b.Open(t), e, memory.Options{})
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
		settled(t, peers[0])
		for i := range peers {
			for n := range writes {
				if times := e.of(crashWord(int64(1000*i + n + 1))); times != 1 {
					t.Errorf("entry %d of process %d was embedded %d times", n, i, times)
				}
			}
		}
		for i, h := range peers {
			for j := range peers {
				key, word := fmt.Sprintf("%d/%d", j, i), crashWord(int64(1000*j+i+1))
				eventually(t, fmt.Sprintf("process %d finds %s by its vector", i, key), func() bool { return h.byMeaning(c, "the number is "+word, key) })
			}
		}
	})
}

func TestWhatOneProcessWritesOthersFindByItsMeaning(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		peers := several(t, b.Open(t), encoder(t), memory.Options{})
		a := agent("a", acl.Public)
		// Neither shares a word with its question.
		for _, one := range []struct{ value, question string }{
			{"the duplicate for our front door hangs behind the shed", "where do you keep a spare key?"},
			{"Anna cannot eat anything with nuts in it", "which allergies does she have?"},
		} {
			for i, h := range peers {
				key := fmt.Sprint("from", i)
				h.put(a, "a", key, one.value, 201)
				for j, other := range peers {
					eventually(t, fmt.Sprintf("process %d finds what process %d wrote", j, i), func() bool { return other.byMeaning(a, one.question, key) })
				}
				h.demand(h.Delete(background, a, path("a", key), memory.Preconditions{}), 200)
			}
		}
	})
}

// counter is the value of a key that writers count up.
type counter struct {
	Count int `json:"count"`
	By    int `json:"by"` // makes each write's value another
}

func TestOfWritersInSeveralProcessesOneWinsEachVersion(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		peers := several(t, b.Open(t), encoder(t), memory.Options{})
		arrange(peers[0])
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
		won := make(map[string]int) // "key version" → how many were told that they wrote it
		var lost int
		var mu sync.Mutex
		var writers sync.WaitGroup
		for i, h := range peers {
			for j, c := range callers {
				for _, key := range keys {
					writers.Go(func() {
						for acknowledged := 0; acknowledged < rounds; {
							version, ok := countUp(t, h, c, path("room", key), len(callers)*i+j)
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
				t.Errorf("%d writers were told that they wrote %s", writes, version)
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
			t.Error("no two writers met: the test shows nothing")
		}
	})
}

// countUp adds one to a counter, unless another came before.
func countUp(t *testing.T, h *harness, c memory.Caller, at memory.Path, by int) (version int, ok bool) {
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
