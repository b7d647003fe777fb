package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed"
	"mneme/indexer"
	"mneme/test/backendtest"
	"mneme/vector"
)

func TestReconcileRepairsAnIndexThatDiffersFromTheRows(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		e, _ := remote(t)
		data := b.Open(t)
		model, index := sharedModel(t, data, e)
		h := wrap(t, backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{}, model))
		a := agent("a", acl.Internal)
		var ids []uuid.UUID
		for i := range 20 {
			ids = append(ids, h.put(a, "a", fmt.Sprint(i), fmt.Sprint("note ", i)).ID)
		}
		h.Index()
		h.reconciles(indexer.Reconciled{Rows: 20, Indexed: 20})

		before := list(t, index)
		must(h, index.Delete(background, ids[:5]))
		orphan := vector.Record{Entry: uuid.New(), Store: 99, Label: acl.Public, Vector: vector.ToHalf(unit(e.Dim()))}
		moved := vector.Record{Entry: ids[7], Store: 99, Label: acl.Public, Vector: vector.ToHalf(unit(e.Dim()))}
		must(h, index.Upsert(background, []vector.Record{orphan, moved}))
		h.reconciles(indexer.Reconciled{Rows: 20, Indexed: 16, Removed: 1, Restored: 6})
		if after := list(t, index); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("the index holds %v, want %v", after, before)
		}

		must(h, index.Delete(background, ids)) // wiped
		h.reconciles(indexer.Reconciled{Rows: 20, Restored: 20})
		if after := list(t, index); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("a wiped index holds %v, want %v", after, before)
		}
	})
}

// reconciles reconciles, and checks that the report equals want.
func (h *harness) reconciles(want indexer.Reconciled) {
	h.t.Helper()
	got, err := h.Reconcile(background)
	must(h, err)
	if got != want {
		h.t.Errorf("reconciled %+v, want %+v", got, want)
	}
}

// The multilingual model has an index of its own, which other processes also share.
func TestReconcileRepairsTheIndexOfTheMultilingualModel(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		e, _ := remote(t)
		data := b.Open(t)
		english, index := sharedModel(t, data, e)
		multilingual, second := sharedModel(t, data, backendtest.Second(e))
		h := wrap(t, backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{Multilingual: []indexer.Model{multilingual}}, english))
		a := agent("a", acl.Internal)
		h.put(a, "a", "english", "The night train arrives after midnight.")
		h.Index()
		h.reconciles(indexer.Reconciled{Rows: 1, Indexed: 1}) // no entry has needed the multilingual model
		var german []uuid.UUID
		for i := range 5 {
			german = append(german, h.put(a, "a", fmt.Sprint("german/", i), fmt.Sprintf("Der Nachtzug Nummer %d kommt erst nach Mitternacht an.", i)).ID)
		}
		h.Index()
		h.reconciles(indexer.Reconciled{Rows: 6, Indexed: 6})

		before := list(t, second)
		must(h, second.Delete(background, german[:2]))
		orphan := vector.Record{Entry: uuid.New(), Store: 99, Label: acl.Public, Vector: vector.ToHalf(unit(e.Dim()))}
		must(h, second.Upsert(background, []vector.Record{orphan}))
		must(h, index.Upsert(background, []vector.Record{orphan}))
		h.reconciles(indexer.Reconciled{Rows: 6, Indexed: 6, Removed: 2, Restored: 2})
		if after := list(t, second); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("the index holds %v, want %v", after, before)
		}

		must(h, second.Delete(background, german)) // lost, which the running service detects
		defer h.running()()
		h.eventually("the index is filled again", func() bool { return fmt.Sprint(list(t, second)) == fmt.Sprint(before) })
		h.eventually("the repairs are counted", func() bool { return h.Status(background).Progress.Restored == 2+5 })
	})
}

// sharedModel returns the model of an embedder with an index that does not follow the rows, as
// if other processes wrote to it.
func sharedModel(t *testing.T, data *backendtest.Data, e embed.Embedder) (indexer.Model, vector.Index) {
	t.Helper()
	model := data.Model(t, e)
	index, err := model.Open(background)
	if err != nil {
		t.Fatal(err)
	}
	model.Local, model.Open = false, func(context.Context) (vector.Index, error) { return index, nil }
	return model, index
}

// overtaken is an index in which something else happens during a reconciliation: once, after
// the index has listed its contents, it calls a function. From then on it counts deletions.
type overtaken struct {
	vector.Index
	call    func()
	deleted atomic.Int64
}

func (o *overtaken) List(ctx context.Context, yield func(vector.IndexedEntry) error) error {
	err := o.Index.(vector.Lister).List(ctx, yield)
	if o.call != nil {
		o.call()
		o.call = nil
	}
	return err
}

func (o *overtaken) Delete(ctx context.Context, ids []uuid.UUID) error {
	o.deleted.Add(1)
	return o.Index.Delete(ctx, ids)
}

// If a model is replaced while its index is being listed, a reconciliation leaves that index
// unchanged and compares the next model's index. A model that reads everything replaces both
// kinds of models.
func TestAReconciliationLeavesTheIndexOfAModelThatIsReplaced(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		for _, two := range []bool{false, true} {
			t.Run(fmt.Sprintf("two models: %v", two), func(t *testing.T) {
				before, _ := remote(t)
				data, a := b.Open(t), agent("a", acl.Internal)
				rows := data.Storage(t)
				english, index := sharedModel(t, data, before)
				everything, shared := sharedModel(t, data, coder{before})
				everything.Open = func(context.Context) (vector.Index, error) {
					return &overtaken{Index: shared}, nil // which no process closes for others
				}
				var options backendtest.Options
				old := &overtaken{Index: index}
				if two {
					multilingual, second := sharedModel(t, data, backendtest.Second(before))
					old.Index, multilingual.Open = second, func(context.Context) (vector.Index, error) { return old, nil }
					options.Multilingual = []indexer.Model{multilingual}
				} else {
					english.Open = func(context.Context) (vector.Index, error) { return old, nil }
				}
				h := wrap(t, backendtest.OpenProcess(t, rows, options, english))
				h.put(a, "a", "english", inEnglish)
				h.put(a, "a", "german", inGerman)
				h.Index()
				if !two { // unless this process does not know the next model
					h = wrap(t, backendtest.OpenProcess(t, rows, options, everything, english))
				}
				old.call = func() {
					wrap(t, backendtest.OpenProcess(t, rows, backendtest.Options{}, everything, english)).reindex()
					old.deleted.Store(0)
				}
				if two {
					if _, err := h.Reconcile(background); err == nil {
						t.Error("a process without the next model has reconciled it")
					}
				} else {
					h.reconciles(indexer.Reconciled{Rows: 2, Indexed: 2})
				}
				if n, removed := old.deleted.Load(), h.Status(background).Progress.Removed; old.call != nil || n > 0 || removed > 0 {
					t.Errorf("%d deletions, and %d entries counted as removed", n, removed)
				}
			})
		}
	})
}

func list(t *testing.T, index vector.Index) []vector.IndexedEntry {
	t.Helper()
	var all []vector.IndexedEntry
	if err := index.(vector.Lister).List(background, func(h vector.IndexedEntry) error { all = append(all, h); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func unit(dim int) []float32 {
	v := make([]float32, dim)
	v[0] = 1
	return v
}

// Reconcile waits for an index that is down, and its error names the index.
func TestReconcileWaitsForAnIndexThatIsStarting(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		e, _ := remote(t)
		data := b.Open(t)
		model := data.Model(t, e)
		index, err := model.Open(background)
		if err != nil {
			t.Fatal(err)
		}
		down := errors.New("it is starting")
		var attempts int
		model.Local, model.Open = false, func(context.Context) (vector.Index, error) {
			if attempts++; attempts < 2 {
				return nil, down
			}
			return index, nil
		}
		h := wrap(t, backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{}, model))
		if _, err := h.Reconcile(background); err != nil || attempts != 2 {
			t.Errorf("after %d attempts: %v", attempts, err)
		}

		attempts = -1000
		other := wrap(t, backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{}, model))
		ended, cancel := context.WithCancel(background)
		cancel()
		if _, err := other.Reconcile(ended); !errors.Is(err, down) {
			t.Errorf("an index that stays down: %v", err)
		}
	})
}

// A model whose index is still starting does not count as a missing model: Drain waits for it.
func TestDrainWaitsForAnIndexThatIsStarting(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		e, _ := remote(t)
		data := b.Open(t)
		model, index := sharedModel(t, data, e)
		var refusals atomic.Int64
		model.Open = func(context.Context) (vector.Index, error) {
			if refusals.Add(-1) >= 0 {
				return nil, errDown
			}
			return index, nil
		}
		refusals.Store(1)
		h := wrap(t, backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{}, model))
		h.put(agent("a", acl.Public), "a", "k", "the night train arrives after midnight")
		if now := h.Status(background); !now.Storage || now.Vector || now.Serving != e.Fingerprint() || now.Queue != 1 {
			t.Errorf("while the index is starting: %+v", now)
		}
		h.Index()
		if now := h.Status(background); !now.Vector || now.Serving != e.Fingerprint() || now.Queue != 0 || len(list(t, index)) != 1 {
			t.Errorf("after it has started: %+v", now)
		}

		refusals.Store(1000)
		other := wrap(t, backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{}, model))
		interrupted, cancel := context.WithCancel(background)
		cancel()
		if err := other.Drain(interrupted, nil); !errors.Is(err, errDown) {
			t.Errorf("an index that stays down: %v", err)
		}
	})
}
