package indexer_test

import (
	"context"
	"sync/atomic"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
)

// yielding is an embedder that counts holds.
type yielding struct {
	backendtest.Arbitrary
	holds, held *atomic.Int64
}

func (y yielding) Hold()    { y.holds.Add(1); y.held.Add(1) }
func (y yielding) Release() { y.held.Add(-1) }

func TestPassagesGiveWayToWritesUntilTheyEnd(t *testing.T) {
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			var holds, held atomic.Int64
			h := openOver(t, b.Open(t), memory.Options{}, yielding{backendtest.Arbitrary{Embedder: encoder(t)}, &holds, &held})
			a := agent("a", acl.Public)
			h.put(a, "a", "written", "text")
			if holds.Load() == 0 || held.Load() != 0 {
				t.Errorf("a write held passages %d times, %d of them still", holds.Load(), held.Load())
			}
			before := holds.Load()
			if _, err := h.Put(background, a, memory.PutRequest{Path: path("b", "refused"), Value: text("text")}); err == nil {
				t.Error("a write to a store of another agent was not refused")
			}
			ctx, cancel := context.WithCancel(background)
			cancel()
			if _, err := h.Put(ctx, a, memory.PutRequest{Path: path("a", "cancelled"), Value: text("text")}); err == nil {
				t.Error("a cancelled write was done")
			}
			if holds.Load() == before || held.Load() != 0 {
				t.Errorf("writes that failed held passages %d times, %d of them still", holds.Load()-before, held.Load())
			}
		})
	}
}
