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
	"mneme/backend/backendtest"
	"mneme/embed"
	"mneme/indexer"
	"mneme/memory"
	"mneme/storage"
	"mneme/storage/sqlite/sqlitetest"
	"mneme/vector"
	"mneme/vector/flat"
)

// outside stands for an index outside the process, that can be held up and
// away.
type outside struct {
	*flat.Index
	begun, ended chan struct{} // get a token at each Upsert, if there is room
	hold         chan struct{} // an Upsert waits until this is closed
	away, closed atomic.Bool
}

var errAway = errors.New("away")

func newOutside(dim int) *outside {
	return &outside{
		Index: flat.New(dim), begun: make(chan struct{}, 1), ended: make(chan struct{}, 1), hold: make(chan struct{}),
	}
}

func (o *outside) Upsert(ctx context.Context, records []vector.Record) error {
	tell(o.begun)
	defer tell(o.ended)
	select {
	case <-o.hold:
	case <-ctx.Done():
		return ctx.Err()
	}
	if o.away.Load() {
		return errAway
	}
	return o.Index.Upsert(ctx, records)
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (o *outside) Settle(context.Context) error {
	if o.away.Load() {
		return errAway
	}
	return nil
}

func (o *outside) Close() error {
	o.closed.Store(true)
	return nil
}

var (
	_ vector.Settler = (*outside)(nil)
	_ io.Closer      = (*outside)(nil)
)

// counting counts the texts that are embedded.
type counting struct {
	embed.Embedder
	texts atomic.Int64
}

func (c *counting) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	c.texts.Add(int64(len(texts)))
	return c.Embedder.Passages(ctx, texts)
}

func openOutside(t *testing.T, e embed.Embedder, o *outside) (*harness, storage.Storage) {
	t.Helper()
	rows := sqlitetest.Open(t)
	p := backendtest.OpenProcess(t, rows, memory.Options{VectorBudget: time.Minute}, indexer.Model{
		Embedder: e, Open: func(context.Context) (vector.Index, error) { return o, nil },
	})
	return wrap(t, p), rows
}

// running runs the service's background work until the returned function is
// called, which waits for its end.
func (h *harness) running() (end func()) {
	ctx, stop := context.WithCancel(background)
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	return func() {
		stop()
		must(h, <-done)
	}
}

func (h *harness) eventually(what string, holds func() bool) {
	h.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.t.Fatal(what)
		}
	}
}

func TestAWorkerThatWasOvertakenLeavesNoOldVectors(t *testing.T) {
	e, _ := remote(t)
	o := newOutside(e.Dim())
	h, _ := openOutside(t, e, o)
	a := agent("a", acl.Public)
	h.put(a, "a", "k", "deleted while its vector is written")
	end := h.running()
	defer end()
	<-o.begun
	must(h, h.Delete(background, a, path("a", "k"), memory.Preconditions{}))
	h.eventually("the deletion stays in the queue", func() bool { return h.Status(background).Queue == 0 })
	close(o.hold)
	<-o.ended // the first worker has written what it had read
	h.eventually("the index holds a deleted entry", func() bool { return len(list(t, o.Index)) == 0 })
}

func TestTheQueueRestsWhileASharedIndexIsAway(t *testing.T) {
	network, _ := remote(t)
	e := &counting{Embedder: network}
	o := newOutside(e.Dim())
	close(o.hold)
	o.away.Store(true)
	h, rows := openOutside(t, e, o)
	a := agent("a", acl.Public)
	const entries = 5
	for i := range entries {
		h.put(a, "a", fmt.Sprint(i), fmt.Sprint("note ", i))
	}
	end := h.running()
	defer end()
	h.eventually("nobody notices", func() bool { return !h.Status(background).Vector })
	var leases []indexer.Lease
	h.eventually("the entries are not given back", func() bool {
		leases = append(leases, leaseAll(t, rows)...)
		return len(leases) == entries
	})
	for _, lease := range leases {
		if lease.Attempts > 0 {
			t.Error("an attempt was counted while the index is away")
		}
	}
	must(h, rows.ForIndexer().Update(background, func(tx indexer.Tx) error { return tx.Renew(background, leases, time.Now()) }))
	o.away.Store(false)
	h.eventually("the entries stay in the queue", func() bool {
		status := h.Status(background)
		return status.Queue == 0 && status.Vector
	})
	// Each worker may have begun before it knew.
	if n := e.texts.Load(); n > 3*entries {
		t.Errorf("%d texts were embedded for %d entries", n, entries)
	}
}

// leaseAll leases what is due now.
func leaseAll(t *testing.T, data storage.Storage) (leases []indexer.Lease) {
	t.Helper()
	err := data.ForIndexer().Update(background, func(tx indexer.Tx) (err error) {
		leases, err = tx.Lease(background, time.Now(), time.Now().Add(time.Hour), 100)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return leases
}

func TestAServiceThatEndsGivesItsWorkBackAndClosesItsIndex(t *testing.T) {
	e, _ := remote(t)
	o := newOutside(e.Dim())
	h, rows := openOutside(t, e, o)
	h.put(agent("a", acl.Public), "a", "k", "never finished")
	end := h.running()
	<-o.begun
	if leases := leaseAll(t, rows); len(leases) != 0 {
		t.Errorf("%d entries can be leased while they are in work", len(leases))
	}
	end()
	if leases := leaseAll(t, rows); len(leases) != 1 || leases[0].Attempts != 0 {
		t.Errorf("%d entries were given back", len(leases))
	}
	must(h, h.Close())
	if !o.closed.Load() {
		t.Error("the index was not closed")
	}
}
