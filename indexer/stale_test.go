package indexer_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"mneme/acl"
	"mneme/embed"
	"mneme/indexer"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/vector"
)

// A process may stall between reading a row and writing its vectors to the index. Meanwhile
// another process changes the entry and indexes it. The first process's vectors, which are then
// out of date, must not stay in the index: no later change would remove them.
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

// A process's write to a shared index may end after another worker's write of the same entry,
// and the process may then be unable to read the rows again. It must write the entry once it
// can read the rows and the index accepts writes, although the queue has no row for the entry
// any more.
func TestAWriteWhoseRowsCannotBeReadAgainIsSettled(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), encoder(t)
		model := data.Model(t, e)
		index, err := model.Open(background)
		if err != nil {
			t.Fatal(err)
		}
		gate := &gatedIndex{Index: index}
		model.Local, model.Open = false, func(context.Context) (vector.Index, error) { return gate, nil }
		rows := &failing{Storage: data.Storage(t)}
		h := wrap(t, backendtest.OpenProcess(t, rows, backendtest.Options{}, model))
		end := h.running()
		defer end()
		a := agent("a", acl.Public)
		for _, change := range []func(){
			func() {
				_, err := h.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: text("the night train arrives after midnight")})
				must(h, err)
			},
			func() { must(h, h.Delete(background, a, path("a", "k"), memory.Preconditions{})) },
		} {
			reached, release := gate.hold()
			_, err := h.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: text("our garden needs water")})
			must(h, err)
			<-reached
			change()
			h.eventually("another worker removes the queue row", func() bool { return queued(h, rows.Storage) == 0 })
			rows.left.Store(2)
			gate.refusals.Store(1)
			close(release)
			h.eventually("nothing is written any more", func() bool {
				now := h.Status(background)
				return now.Counted && now.Queue == 0 && rows.left.Load() <= 0 && gate.refusals.Load() <= 0
			})
			if err := backendtest.CheckIndex(t, rows.Storage.ForIndexer(), e.Fingerprint(), index); err != nil {
				t.Error(err)
			}
		}
	})
}

// A process embeds an English text that replaces a foreign one, while its multilingual index is
// not open yet. The vectors of the foreign text must be removed: otherwise a search would find
// the entry by a text that it no longer has.
func TestVectorsOfAFormerTextAreRemovedWhereTheirIndexIsNotOpen(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		english, _ := remote(t)
		multilingual := backendtest.Second(english)
		data, a := b.Open(t), agent("a", acl.Public)
		first := twoModels(t, data, data.Storage(t), multilingual, data.Model(t, english))
		first.put(a, "a", "k", inGerman)
		first.Index()
		if n := vectorsOf(first, data, multilingual.Fingerprint()); n != 1 {
			t.Fatalf("%d vectors of the multilingual model", n)
		}
		starting := data.Model(t, multilingual)
		var tried atomic.Int64
		starting.Open = func(context.Context) (vector.Index, error) {
			tried.Add(1)
			return nil, errors.New("it is starting")
		}
		options := backendtest.Options{Multilingual: []indexer.Model{starting}}
		h := wrap(t, backendtest.OpenProcess(t, data.Storage(t), options, data.Model(t, english)))
		_, err := h.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: text(inEnglish)})
		must(h, err)
		h.eventually("the index is tried again", func() bool {
			h.Index() // the closed index must not make this fail
			return tried.Load() > 1
		})
		for e, want := range map[embed.Embedder]int{english: 1, multilingual: 0} {
			if n := vectorsOf(h, data, e.Fingerprint()); n != want {
				t.Errorf("%d vectors of %s, want %d", n, e.Fingerprint(), want)
			}
		}
	})
}

// queued returns the number of queue rows.
func queued(h *harness, data storage.Storage) (rows int64) {
	h.t.Helper()
	must(h, data.ForIndexer().View(background, func(tx indexer.ReadTx) (err error) {
		rows, _, err = tx.QueueDepth(background, time.Now())
		return err
	}))
	return rows
}

// failing is a database in which the next reads by the indexer fail: left is their number.
type failing struct {
	storage.Storage
	left atomic.Int64
}

// ForIndexer implements storage.Storage.
func (f *failing) ForIndexer() indexer.Storage {
	return failingReads{f.Storage.ForIndexer(), &f.left}
}

type failingReads struct {
	indexer.Storage
	left *atomic.Int64
}

func (f failingReads) View(ctx context.Context, fn func(indexer.ReadTx) error) error {
	if f.left.Load() > 0 && f.left.Add(-1) >= 0 {
		return memory.ErrUnavailable
	}
	return f.Storage.View(ctx, fn)
}

// gatedIndex is an index whose next write a test can block before it begins. While refusals is
// positive, it refuses writes and counts it down.
type gatedIndex struct {
	vector.Index
	refusals atomic.Int64
	mu       sync.Mutex
	reached  chan struct{} // closed when the blocked write begins; nil: no write is blocked
	released chan struct{} // the blocked write waits until it is closed
}

// hold blocks the next Upsert. The index closes reached when the Upsert begins, and waits until
// the caller closes release.
func (g *gatedIndex) hold() (reached <-chan struct{}, release chan<- struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reached, g.released = make(chan struct{}), make(chan struct{})
	return g.reached, g.released
}

func (g *gatedIndex) refuses() error {
	if g.refusals.Load() > 0 && g.refusals.Add(-1) >= 0 {
		return errors.New("refused")
	}
	return nil
}

func (g *gatedIndex) Delete(ctx context.Context, ids []uuid.UUID) error {
	if err := g.refuses(); err != nil {
		return err
	}
	return g.Index.Delete(ctx, ids)
}

func (g *gatedIndex) Upsert(ctx context.Context, records []vector.Record) error {
	if err := g.refuses(); err != nil {
		return err
	}
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
