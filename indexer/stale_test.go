package indexer_test

import (
	"context"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
	"mneme/vector"
)

// A process may stall between reading a row and writing its vectors, while
// another process changes the entry and indexes it. The stale vectors of the
// first must not stay in the index: no later change would remove them.
func TestStalledProcessLeavesNoStaleVectors(t *testing.T) {
	backendtest.Each(t, backendtest.Shared(), func(t *testing.T, b backendtest.Backend) {
		data, e := b.Serving().Open(t), encoder(t)
		model := data.Model(t, e)
		gate := &gatedIndex{}
		gated := model
		gated.Open = func(ctx context.Context) (vector.Index, error) {
			index, err := model.Open(ctx)
			gate.Index = index
			return gate, err
		}
		stalled := wrap(t, backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{}, gated))
		other := openOver(t, data, memory.Options{}, e)
		a := agent("a", acl.Public)
		storage, index := data.Storage(t).ForIndexer(), gate.Index
		put := func(h *harness, value string) {
			_, err := h.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: text(value)})
			must(h, err)
		}

		for _, change := range []func(){
			func() { put(other, "the night train arrives after midnight") },
			func() { must(other, other.Delete(background, a, path("a", "k"), memory.Preconditions{})) },
		} {
			reached, release := gate.hold()
			put(stalled, "our garden needs water")
			ctx, stop := context.WithCancel(background)
			var running errgroup.Group
			running.Go(func() error { return stalled.Run(ctx) })
			<-reached
			change()
			other.Index()
			close(release)
			backendtest.AwaitConsistent(t, storage, e.Fingerprint(), index)
			stop()
			if err := running.Wait(); err != nil {
				t.Error(err)
			}
		}
	})
}

// gatedIndex is an index whose next write can be held up before it begins.
type gatedIndex struct {
	vector.Index
	mu       sync.Mutex
	reached  chan struct{} // closed when the held write begins; nil: no write is held
	released chan struct{} // the held write waits until it is closed
}

// hold holds up the next Upsert. It closes reached when it begins, and waits
// until the caller closes release.
func (g *gatedIndex) hold() (reached <-chan struct{}, release chan<- struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reached, g.released = make(chan struct{}), make(chan struct{})
	return g.reached, g.released
}

func (g *gatedIndex) Upsert(ctx context.Context, records []vector.Record) error {
	g.mu.Lock()
	reached, released := g.reached, g.released
	g.reached = nil
	g.mu.Unlock()
	if reached != nil {
		close(reached)
		<-released
	}
	return g.Index.Upsert(ctx, records)
}
