package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/backend/backendtest"
	"mneme/indexer"
	"mneme/memory"
	"mneme/vector"
)

// One process purges and one reconciles, while all write and delete. In the
// end the index holds what the rows have, and nothing else.
func TestPurgeInOneProcessAndReconcileInAnotherEndInStep(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), encoder(t)
		peers := several(t, data, e, memory.Options{Limits: memory.Limits{Retention: new(time.Duration)}})
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
					at := path("a", fmt.Sprint("k", rand.IntN(15)))
					var err error
					if rand.IntN(3) == 0 {
						if err = h.Delete(background, c, at, memory.Preconditions{}); status(err) == 404 {
							err = nil
						}
					} else {
						value := subjects[rand.IntN(len(subjects))] + " " + actions[rand.IntN(len(actions))]
						_, err = h.Put(background, c, memory.PutRequest{Path: at, Value: text(value)})
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		purged, reconciled := 0, 0
		others.Go(func() {
			for writing.Err() == nil {
				result, err := peers[0].Purge(background, platform, time.Now().Add(-time.Millisecond), nil)
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
			t.Errorf("%d entries purged, %d reconciliations: the test shows nothing", purged, reconciled)
		}
		settled(t, peers[2])
		if model := data.Model(t, e); !model.Local {
			index, err := model.Open(background)
			must(peers[2], err)
			comesInStep(t, data.Storage(t).ForIndexer(), e.Fingerprint(), index)
		}
		live, err := peers[2].List(background, c, memory.ListRequest{Store: "a", Limit: 100})
		must(peers[2], err)
		for i, h := range peers {
			eventually(t, fmt.Sprintf("process %d finds by their vectors all that lives", i), func() bool {
				n := 0
				for _, hit := range h.search(c, memory.SearchRequest{Query: "the cat sleeps by the window", Limit: 100, Explain: true}).Hits {
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
			t.Errorf("reconciled %+v, %d entries live", again, n)
		}
	})
}

// A process that is held up between the row and the index, while another
// process writes the entry anew and indexes it, must not leave the old
// vectors there: nothing else would ever find the difference.
func TestAProcessThatWasOvertakenLeavesNoOldVectors(t *testing.T) {
	onShared(t, func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), encoder(t)
		model := data.Model(t, e)
		gate := &gate{reached: make(chan struct{}), pass: make(chan struct{})}
		held := model
		held.Open = func(ctx context.Context) (vector.Index, error) {
			index, err := model.Open(ctx)
			gate.Index = index
			return gate, err
		}
		slow := backendtest.OpenProcess(t, data.Storage(t), memory.Options{VectorBudget: time.Minute}, held)
		slowHarness := wrap(t, slow)
		swift := openOver(t, data, memory.Options{}, e)
		a := agent("a", acl.Public)
		storage, index := data.Storage(t).ForIndexer(), gate.Index

		for _, change := range []struct {
			name string
			make func()
		}{
			{"rewritten", func() { swift.put(a, "a", "k", "the night train arrives after midnight", 200) }},
			{"deleted", func() { swift.demand(swift.Delete(background, a, path("a", "k"), memory.Preconditions{}), 200) }},
		} {
			gate.hold()
			slowHarness.put(a, "a", "k", "our garden needs water, which was "+change.name, map[string]int{"rewritten": 201, "deleted": 200}[change.name])
			ctx, stop := context.WithCancel(background)
			var running errgroup.Group
			running.Go(func() error { return slow.Run(ctx) })
			<-gate.reached
			change.make()
			swift.Index()
			close(gate.pass)
			comesInStep(t, storage, e.Fingerprint(), index)
			stop()
			if err := running.Wait(); err != nil {
				t.Error(err)
			}
		}
	})
}

// comesInStep waits until an index holds what the rows have.
func comesInStep(t *testing.T, storage indexer.Storage, fingerprint string, index vector.Index) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if err = inStep(t, storage, fingerprint, index); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// gate is an index whose next write waits before it begins.
type gate struct {
	vector.Index
	mu            sync.Mutex
	holds         bool
	reached, pass chan struct{}
}

func (g *gate) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holds, g.reached, g.pass = true, make(chan struct{}), make(chan struct{})
}

func (g *gate) Upsert(ctx context.Context, records []vector.Record) error {
	g.mu.Lock()
	holds, reached, pass := g.holds, g.reached, g.pass
	g.holds = false
	g.mu.Unlock()
	if holds {
		close(reached)
		<-pass
	}
	return g.Index.Upsert(ctx, records)
}

// inStep tells whether an index holds the vectors that the rows have, to the
// content, and nothing else.
func inStep(t *testing.T, storage indexer.Storage, fingerprint string, index vector.Index) error {
	t.Helper()
	rows, held := make(map[uuid.UUID]vector.Record), 0
	err := storage.View(background, func(tx indexer.ReadTx) error {
		return tx.AllVectors(background, fingerprint, func(r vector.Record) error { rows[r.Entry] = r; return nil })
	})
	if err != nil {
		return err
	}
	err = index.(vector.Lister).List(background, func(h vector.IndexedEntry) error {
		held++
		if r, ok := rows[h.Entry]; !ok || h.Inconsistent || h.Chunks != 1 || h.Store != r.Store || h.Label != r.Label {
			return fmt.Errorf("the index holds %+v of an entry, in the rows: %v", h, ok)
		}
		return nil
	})
	if err != nil || held != len(rows) {
		return fmt.Errorf("the index holds %d of %d entries: %w", held, len(rows), err)
	}
	if settler, ok := index.(vector.Settler); ok {
		if err := settler.Settle(background); err != nil {
			return err
		}
	}
	for id, r := range rows {
		scope := acltest.Scope(t, acltest.Reach{Number: r.Store, Ceiling: acl.Restricted})
		hits, err := index.Search(background, scope, vector.Query{Vector: r.Vector.Floats(), Limit: 1, Only: []uuid.UUID{id}})
		if err != nil {
			return err
		}
		if len(hits) != 1 || hits[0].Score < .999 { // of the row's own vector
			return fmt.Errorf("the index holds another vector than the row: %v", hits)
		}
	}
	return nil
}
