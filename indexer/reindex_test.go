package indexer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"mneme/acl"
	"mneme/backend/backendtest"
	"mneme/embed"
	"mneme/embed/openai"
	"mneme/indexer"
	"mneme/memory"
	"mneme/vector"
)

// remote is the openai embedder over a network that is faked: the server
// gives each text a vector of its own, and can be switched off.
func remote(t *testing.T) (embed.Embedder, *atomic.Bool) {
	t.Helper()
	const dim = 16
	var away atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct{ Input []string }
		if away.Load() || json.NewDecoder(r.Body).Decode(&ask) != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		type item struct {
			Object    string    `json:"object"`
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		data := make([]item, len(ask.Input))
		for i, text := range ask.Input {
			h := fnv.New64a()
			h.Write([]byte(text))
			v := make([]float32, dim)
			for d, bits := 0, h.Sum64(); d < dim; d++ {
				v[d] = float32(math.Sin(float64(bits%1000) + float64(d)))
				bits = bits*31 + 7
			}
			data[i] = item{"embedding", i, v}
		}
		json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "m", "data": data}) //nolint:errcheck // a test server
	}))
	t.Cleanup(server.Close)
	e, err := openai.New(openai.Config{BaseURL: server.URL + "/v1", Model: "m", Dim: dim, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, &away
}

func TestAChangedModelServesOnlyAfterAReindexAndTheOldOneUntilThen(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		builtIn := encoder(t)
		other, _ := remote(t)
		data, a := b.Open(t), agent("a", acl.Public)
		question := memory.SearchRequest{Query: "where do herons nest?", Limit: 10}
		serving := func(h *harness, want embed.Embedder, hits int) {
			t.Helper()
			fingerprint, degraded := "", true
			if want != nil {
				fingerprint, degraded = want.Fingerprint(), false
			}
			if got := h.Status(background).Serving; got != fingerprint {
				t.Errorf("serving %q, want %q", got, fingerprint)
			}
			answer := h.search(a, question)
			if len(answer.Hits) != hits || (len(answer.Degraded) > 0) != degraded {
				t.Errorf("%d hits, degraded %v", len(answer.Hits), answer.Degraded)
			}
		}

		old := openOver(t, data, memory.Options{}, builtIn)
		for i := range 50 {
			old.put(a, "a", fmt.Sprint("k", i), fmt.Sprint("herons nest in tree number ", i))
		}
		old.Index()
		serving(old, builtIn, 10)

		changed := openOver(t, data, memory.Options{}, other, builtIn)
		serving(changed, builtIn, 10) // the old model serves on
		changed.put(a, "a", "late", "a heron that came later")
		changed.Index()

		var told int64
		must(changed, changed.Reindex(background, func(done int64) { told = done }))
		if told != 51 {
			t.Errorf("the reindex told of %d entries, want 51", told)
		}
		serving(changed, other, 10)
		serving(openOver(t, data, memory.Options{}, other, builtIn), other, 10)
		serving(openOver(t, data, memory.Options{}, builtIn), nil, 10) // by words alone, and it says so
		err := data.Storage(t).ForIndexer().View(background, func(tx indexer.ReadTx) error {
			return tx.AllVectors(background, builtIn.Fingerprint(), func(vector.Record) error {
				return fmt.Errorf("a vector of the old model is left")
			})
		})
		must(changed, err)
	})
}

func TestNothingIsLostWhileTheEmbedderIsAway(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		e, away := remote(t)
		c := backendtest.NewClock()
		h := openOver(t, b.Open(t), memory.Options{Now: c.Now}, e)
		a := agent("a", acl.Public)
		away.Store(true)
		for i := range 40 {
			h.put(a, "a", fmt.Sprint("k", i), fmt.Sprint("note ", i))
		}
		ctx, stop := context.WithCancel(background)
		done := make(chan error, 1)
		go func() { done <- h.Run(ctx) }()
		queue := func() int64 { return h.Status(background).Queue }
		answer := h.search(a, memory.SearchRequest{Query: "note"})
		if len(answer.Hits) == 0 || len(answer.Degraded) != 1 {
			t.Errorf("while the embedder is away: %d hits, degraded %v", len(answer.Hits), answer.Degraded)
		}
		if queue() != 40 {
			t.Errorf("%d entries wait, want all 40", queue())
		}
		away.Store(false)
		deadline := time.Now().Add(time.Minute)
		for queue() > 0 && time.Now().Before(deadline) {
			c.Advance(time.Minute) // backoff is over sooner
			time.Sleep(10 * time.Millisecond)
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if queue() != 0 {
			t.Errorf("%d entries still wait after the embedder is back", queue())
		}
		if answer := h.search(a, memory.SearchRequest{Query: "note"}); len(answer.Degraded) != 0 {
			t.Errorf("degraded %v after the embedder is back", answer.Degraded)
		}
	})
}

func TestAWriteCanWaitUntilItIsIndexed(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		e, away := remote(t)
		h := openOver(t, b.Open(t), memory.Options{}, e)
		ctx, stop := context.WithCancel(background)
		defer stop()
		go h.Run(ctx) //nolint:errcheck // ends with the test
		a := agent("a", acl.Public)
		wait := func(r *memory.PutRequest) { r.Wait = true }
		if r := h.put(a, "a", "k", "a stork", wait); !r.Indexed {
			t.Error("not indexed after waiting for it")
		}
		away.Store(true)
		// Whoever waits gives up once the entry stands.
		waiting, cancel := context.WithCancel(background)
		go func() {
			defer cancel()
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				if _, err := h.Get(background, a, path("a", "late")); err == nil {
					return
				}
			}
		}()
		r, err := h.Put(waiting, a, memory.PutRequest{Path: path("a", "late"), Value: text("x"), Wait: true})
		if err != nil || r.Indexed {
			t.Errorf("indexed %v (%v) while the embedder is away", r.Indexed, err)
		}
	})
}
