package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

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

// reconciles fails the test unless a reconciliation reports this.
func (h *harness) reconciles(want indexer.Reconciled) {
	h.t.Helper()
	got, err := h.Reconcile(background)
	must(h, err)
	if got != want {
		h.t.Errorf("reconciled %+v, want %+v", got, want)
	}
}

// The multilingual model has an index of its own, which other processes share, too.
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
		h.reconciles(indexer.Reconciled{Rows: 1, Indexed: 1}) // nothing has needed the multilingual model
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

		must(h, second.Delete(background, german)) // lost, and found by the running service
		defer h.running()()
		h.eventually("the index is filled again", func() bool { return fmt.Sprint(list(t, second)) == fmt.Sprint(before) })
		h.eventually("the repairs are counted", func() bool { return h.Status(background).Progress.Restored == 2+5 })
	})
}

// sharedModel returns the model of an embedder with its index, as if other processes
// wrote to it: it does not follow the rows.
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

// An index that is down is waited for, and named as what is missing.
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
		ended, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		if _, err := other.Reconcile(ended); !errors.Is(err, down) {
			t.Errorf("an index that stays down: %v", err)
		}
	})
}
