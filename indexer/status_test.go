package indexer_test

import (
	"context"
	"testing"
	"time"

	"mneme/acl"
	"mneme/indexer"
	"mneme/storage"
	"mneme/test/backendtest"
)

// overlong is a database whose queue is too long to count: the caller gives up first.
type overlong struct {
	storage.Storage
	stop context.CancelFunc
}

// ForIndexer implements storage.Storage.
func (o overlong) ForIndexer() indexer.Storage { return overlongReads{o.Storage.ForIndexer(), o.stop} }

type overlongReads struct {
	indexer.Storage
	stop context.CancelFunc
}

func (o overlongReads) View(ctx context.Context, fn func(indexer.ReadTx) error) error {
	return o.Storage.View(ctx, func(tx indexer.ReadTx) error { return fn(overlongQueue{tx, o.stop}) })
}

type overlongQueue struct {
	indexer.ReadTx
	stop context.CancelFunc
}

func (o overlongQueue) QueueDepth(ctx context.Context, _ time.Time) (int64, indexer.Waits, error) {
	o.stop()
	<-ctx.Done()
	return 0, indexer.Waits{}, ctx.Err()
}

func TestAStorageWhoseQueueCannotBeCountedAnswers(t *testing.T) {
	backendtest.OnEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), encoder(t)
		ctx, stop := context.WithCancel(background)
		defer stop()
		h := wrap(t, backendtest.OpenProcess(t, overlong{data.Storage(t), stop}, backendtest.Options{}, data.Model(t, e)))
		h.put(agent("a", acl.Public), "a", "k", "herons nest in the oak")
		if now := h.Status(ctx); !now.Storage || now.Counted || !now.Vector || now.Serving != e.Fingerprint() {
			t.Errorf("the status is %+v", now)
		}
		if now := h.Status(ctx); now.Storage || now.Counted || !now.Vector || now.Serving != e.Fingerprint() {
			t.Errorf("the status after the time is up is %+v", now)
		}
	})
}
