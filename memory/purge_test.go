package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// One process purges and another reconciles, while all of them write and delete. At the end the
// index must hold exactly the vectors of the rows.
func TestConcurrentPurgeAndReconcileKeepTheIndexConsistent(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), encoder(t)
		peers := openPeers(t, data, e, memory.Options{Limits: memory.Limits{Retention: new(time.Duration)}})
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
		c := agent("a", acl.Public)
		rounds := 60
		if testing.Short() {
			rounds = 20
		}
		writing, stop := context.WithCancel(background)
		defer stop()
		var writers, others sync.WaitGroup
		for _, h := range peers {
			writers.Go(func() {
				for range rounds {
					if err := writeAtRandom(h, c); err != nil {
						t.Error(err)
					}
				}
			})
		}
		purged, reconciled := 0, 0
		others.Go(func() {
			for writing.Err() == nil {
				result, err := peers[0].Purge(background, platform, memory.PurgeRequest{Before: time.Now().Add(-time.Millisecond), Wait: true}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				purged += len(result.IDs)
			}
		})
		others.Go(func() {
			for writing.Err() == nil {
				if _, err := peers[1].Reconcile(background); err != nil {
					t.Error(err)
					return
				}
				reconciled++
			}
		})
		writers.Wait()
		stop()
		others.Wait()
		if purged == 0 || reconciled == 0 {
			t.Errorf("%d entries purged, %d reconciliations: the test proves nothing", purged, reconciled)
		}
		peers[2].AwaitEmptyQueue()
		if model := data.Model(t, e); !model.Local {
			index, err := model.Open(background)
			must(peers[2], err)
			backendtest.AwaitConsistent(t, data.Storage(t).ForIndexer(), e.Fingerprint(), index)
		}
		live, err := peers[2].List(background, c, memory.ListRequest{Store: "a", Limit: 100})
		must(peers[2], err)
		for i, h := range peers {
			backendtest.Eventually(t, fmt.Sprintf("process %d finds every live entry by its vector", i), func() bool {
				n := 0
				for _, hit := range h.MustSearch(c, search.Request{Query: "the cat sleeps by the window", Limit: 100, Explain: true}).Hits {
					if hit.Explain.Vector != nil {
						n++
					}
				}
				return n == len(live.Items)
			})
		}
		again, err := peers[0].Reconcile(background)
		must(peers[0], err)
		if n := int64(len(live.Items)); again.Rows != n || again.Indexed != n || again.Removed+again.Restored != 0 {
			t.Errorf("reconciled %+v, %d live entries", again, n)
		}
	})
}

// writeAtRandom puts or deletes one of 15 entries.
func writeAtRandom(h *harness, c memory.Caller) error {
	at := path("a", fmt.Sprint("k", rand.IntN(15)))
	if rand.IntN(3) == 0 {
		err := h.Delete(background, c, at, memory.Preconditions{})
		if status(err) == 404 {
			return nil
		}
		return err
	}
	value := fmt.Sprint("the cat sleeps on step ", rand.IntN(30))
	_, err := h.Put(background, c, memory.PutRequest{Path: at, Value: text(value)})
	return err
}
