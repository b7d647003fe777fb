package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed"
	"mneme/indexer"
	"mneme/memory"
	"mneme/storage"
	"mneme/storage/sqlite/sqlitetest"
	"mneme/test/backendtest"
	"mneme/vector"
	"mneme/vector/flat"
)

// externalIndex simulates an index server that can be down and whose writes can be blocked.
type externalIndex struct {
	*flat.Index
	begun, ended chan struct{} // receive when an Upsert begins and ends, unless full
	hold         chan struct{} // an Upsert blocks until it is closed
	down, closed atomic.Bool
}

var errDown = errors.New("the index is down")

func newExternalIndex(dim int) *externalIndex {
	return &externalIndex{
		Index: flat.New(dim), begun: make(chan struct{}, 1), ended: make(chan struct{}, 1), hold: make(chan struct{}),
	}
}

func (o *externalIndex) Upsert(ctx context.Context, records []vector.Record) error {
	notify(o.begun)
	defer notify(o.ended)
	select {
	case <-o.hold:
	case <-ctx.Done():
		return ctx.Err()
	}
	if o.down.Load() {
		return errDown
	}
	return o.Index.Upsert(ctx, records)
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (o *externalIndex) Settle(context.Context) error {
	if o.down.Load() {
		return errDown
	}
	return nil
}

func (o *externalIndex) Close() error {
	o.closed.Store(true)
	return nil
}

var (
	_ vector.Settler = (*externalIndex)(nil)
	_ io.Closer      = (*externalIndex)(nil)
)

// counting counts the texts that are embedded.
type counting struct {
	embed.Embedder
	texts atomic.Int64
}

func (c *counting) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	c.texts.Add(int64(len(texts)))
	return c.Embedder.Passages(ctx, texts)
}

func openExternal(t *testing.T, e embed.Embedder, o *externalIndex) (*harness, storage.Storage) {
	t.Helper()
	rows := sqlitetest.Open(t)
	p := backendtest.OpenProcess(t, rows, backendtest.Options{}, indexer.Model{
		Embedder: e, Open: func(context.Context) (vector.Index, error) { return o, nil },
	})
	return wrap(t, p), rows
}

// running runs the background work until end is called. end waits for it.
func (h *harness) running() (end func()) {
	ctx, stop := context.WithCancel(background)
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	return func() {
		stop()
		must(h, <-done)
	}
}

func (h *harness) eventually(condition string, holds func() bool) {
	h.t.Helper()
	backendtest.Eventually(h.t, condition, holds)
}

func TestStalledWorkerLeavesNoStaleVectors(t *testing.T) {
	e, _ := remote(t)
	o := newExternalIndex(e.Dim())
	h, rows := openExternal(t, e, o)
	a := agent("a", acl.Public)
	h.put(a, "a", "k", "deleted while its vector is written")
	end := h.running()
	defer end()
	<-o.begun
	must(h, h.Delete(background, a, path("a", "k"), memory.Preconditions{}))
	h.eventually("the deletion leaves the queue", func() bool { return queued(h, rows) == 0 })
	if n := h.Status(background).Queue; n != 1 {
		t.Errorf("%d entries are out of date while one is written", n)
	}
	close(o.hold)
	<-o.ended // the first worker has written the vectors of the rows as it had read them
	h.eventually("nothing is written any more", func() bool { return h.Status(background).Queue == 0 })
	if left := list(t, o.Index); len(left) != 0 {
		t.Errorf("the index holds the deleted entry: %v", left)
	}
}

func TestQueuePausesWhileASharedIndexIsDown(t *testing.T) {
	network, _ := remote(t)
	e := &counting{Embedder: network}
	o := newExternalIndex(e.Dim())
	close(o.hold)
	o.down.Store(true)
	h, rows := openExternal(t, e, o)
	a := agent("a", acl.Public)
	const entries = 5
	for i := range entries {
		h.put(a, "a", fmt.Sprint(i), fmt.Sprint("note ", i))
	}
	end := h.running()
	defer end()
	h.eventually("the status says that the index is down", func() bool { return !h.Status(background).Vector })
	var leases []indexer.Lease
	h.eventually("the leases are released", func() bool {
		leases = append(leases, leaseAll(t, rows)...)
		return len(leases) == entries
	})
	for _, lease := range leases {
		if lease.Attempts > 0 {
			t.Error("an attempt was counted while the index is down")
		}
	}
	must(h, rows.ForIndexer().Update(background, func(tx indexer.Tx) error { return tx.Renew(background, leases, time.Now()) }))
	o.down.Store(false)
	h.eventually("the queue is empty", func() bool {
		status := h.Status(background)
		return status.Counted && status.Queue == 0 && status.Vector
	})
	// Each worker may have embedded some entries before it noticed that it lost the lease.
	if n := e.texts.Load(); n > 3*entries {
		t.Errorf("%d texts were embedded for %d entries", n, entries)
	}
}

// leaseAll leases all due rows.
func leaseAll(t *testing.T, data storage.Storage) (leases []indexer.Lease) {
	t.Helper()
	err := data.ForIndexer().Update(background, func(tx indexer.Tx) (err error) {
		leases, _, err = tx.Lease(background, time.Now(), time.Now().Add(time.Hour), indexer.Turn{Work: indexer.Oldest, Rows: 100, Chunks: 100})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return leases
}

func TestStoppedServiceReleasesItsLeasesAndClosesItsIndex(t *testing.T) {
	e, _ := remote(t)
	o := newExternalIndex(e.Dim())
	h, rows := openExternal(t, e, o)
	h.put(agent("a", acl.Public), "a", "k", "never finished")
	end := h.running()
	<-o.begun
	if leases := leaseAll(t, rows); len(leases) != 0 {
		t.Errorf("%d entries can be leased twice", len(leases))
	}
	end()
	if leases := leaseAll(t, rows); len(leases) != 1 || leases[0].Attempts != 0 {
		t.Errorf("%d leases were released, want 1 without a failed attempt", len(leases))
	}
	must(h, h.Close())
	if !o.closed.Load() {
		t.Error("the index was not closed")
	}
}
