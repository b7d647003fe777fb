package indexer_test

import (
	"context"
	"sync/atomic"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
)

// yielding is an embedder that counts holds and can wait for one.
type yielding struct {
	backendtest.Arbitrary
	holds, held, waits, waiting *atomic.Int64
}

func (y yielding) Hold()    { y.holds.Add(1); y.held.Add(1) }
func (y yielding) Release() { y.held.Add(-1) }
func (y yielding) Await()   { y.waits.Add(1); y.waiting.Add(1) }
func (y yielding) Arrived() { y.waiting.Add(-1) }

func TestEmbeddingYieldsToWritesUntilTheyEnd(t *testing.T) {
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			var holds, held, waits, waiting atomic.Int64
			h := openOver(t, b.Open(t), memory.Options{}, yielding{backendtest.Arbitrary{Embedder: encoder(t)}, &holds, &held, &waits, &waiting})
			a := agent("a", acl.Public)
			h.put(a, "a", "written", "text")
			if holds.Load() == 0 || held.Load() != 0 {
				t.Errorf("a write held passages %d times, %d of them still", holds.Load(), held.Load())
			}
			if waits.Load() != 0 {
				t.Error("a write that waits for no vectors awaited some")
			}
			written := h.put(a, "a", "waiting", "text")
			ctx, cancel := context.WithCancel(background)
			cancel()
			if h.Indexer.WaitIndexed(ctx, written.ID); waits.Load() != 1 || waiting.Load() != 0 {
				t.Errorf("passages were awaited %d times, %d of them still", waits.Load(), waiting.Load())
			}
			before := holds.Load()
			if _, err := h.Put(background, a, memory.PutRequest{Path: path("b", "refused"), Value: text("text")}); err == nil {
				t.Error("a write to a store of another agent was not refused")
			}
			if _, err := h.Put(ctx, a, memory.PutRequest{Path: path("a", "cancelled"), Value: text("text")}); err == nil {
				t.Error("a cancelled write was done")
			}
			if holds.Load() == before || held.Load() != 0 {
				t.Errorf("writes that failed held passages %d times, %d of them still", holds.Load()-before, held.Load())
			}
		})
	}
}
