package indexer_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/indexer"
	"mneme/memory"
	"mneme/test/backendtest"
	"mneme/vector"
	"mneme/vector/flat"
)

// countingIndex counts the records written to it, by store.
type countingIndex struct {
	*flat.Index
	mu      sync.Mutex
	written map[int64]int
}

func (x *countingIndex) Upsert(ctx context.Context, records []vector.Record) error {
	x.mu.Lock()
	for _, r := range records {
		x.written[r.Store]++
	}
	x.mu.Unlock()
	return x.Index.Upsert(ctx, records)
}

func (x *countingIndex) of(store int64) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.written[store]
}

// A process that was just opened loads only the stores that it searches. It finds their
// entries, and also those that are written meanwhile.
func TestSearchesLoadTheirStores(t *testing.T) {
	backendtest.Each(t, backendtest.Storages(), func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), encoder(t)
		writing := openOver(t, data, memory.Options{}, e)
		a, other := agent("a", acl.Public), agent("b", acl.Public)
		found := writing.put(a, "a", "heron", "herons nest in the reeds").Entry.ID
		writing.put(other, "b", "tea", "green tea in the morning")
		writing.Index()

		storage := data.Storage(t)
		index := &countingIndex{Index: flat.New(e.Dim()), written: make(map[int64]int)}
		ix, err := indexer.New(background, storage.ForIndexer(), indexer.Options{Models: []indexer.Model{{
			Embedder: e, Local: true, Open: func(context.Context) (vector.Index, error) { return index, nil },
		}}})
		must(writing, err)
		t.Cleanup(func() { must(writing, ix.Close()) })
		var numbers map[string]int64
		must(writing, storage.ForIndexer().View(background, func(tx indexer.ReadTx) (err error) {
			known, err := tx.StoreFacts(background, []string{"a", "b"})
			numbers = map[string]int64{"a": known["a"].Number, "b": known["b"].Number}
			return err
		}))
		serving := ix.Serving()
		ok := len(serving) == 1
		if !ok || index.of(numbers["a"])+index.of(numbers["b"]) > 0 {
			t.Fatalf("serving is %v, loaded %v", ok, index.written)
		}
		query, err := e.Query(background, "herons in reeds")
		must(writing, err)
		search := func(store string) []vector.Hit {
			t.Helper()
			scope := acltest.Scope(t, acltest.Reach{Number: numbers[store], Ceiling: acl.Restricted})
			hits, err := serving[0].Index.Search(background, scope, vector.Query{Vector: query.Vector, Limit: 10})
			must(writing, err)
			return hits
		}
		for range 2 {
			if hits := search("a"); len(hits) != 1 || hits[0].Entry != found {
				t.Errorf("hits are %v", hits)
			}
		}
		if scope := acltest.Scope(t, acltest.Reach{Number: numbers["b"], Ceiling: acl.Restricted}); serving[0].Index.(vector.Local).AtMost(scope, 1) {
			t.Error("a search of a store that is not loaded could begin at once")
		}
		if a, b := index.of(numbers["a"]), index.of(numbers["b"]); a != 1 || b != 0 {
			t.Errorf("loaded %d and %d records, want 1 and 0", a, b)
		}
		// Changes are applied to stores that are loaded and to stores that are not.
		written := map[string]uuid.UUID{
			"a": writing.put(a, "a", "stork", "storks nest on roofs").Entry.ID,
			"b": writing.put(other, "b", "coffee", "black coffee at work").Entry.ID,
		}
		writing.Index()
		for store, id := range written {
			if !ix.WaitIndexed(t.Context(), id) {
				t.Fatal("not indexed")
			}
			if hits := search(store); len(hits) != 2 {
				t.Errorf("%s: hits are %v", store, hits)
			}
		}
		must(writing, backendtest.CheckIndex(t, storage.ForIndexer(), e.Fingerprint(), serving[0].Index))
	})
}

// A search whose time ends before its stores are loaded fails. The next search finds
// everything, because the loading continues.
func TestASearchWaitsForItsStoresUntilItsContextEnds(t *testing.T) {
	b := backendtest.Embedded()
	data, e := b.Open(t), encoder(t)
	writing := openOver(t, data, memory.Options{}, e)
	writing.put(agent("a", acl.Public), "a", "heron", "herons nest in the reeds")
	writing.Index()
	storage := data.Storage(t)
	index := &externalIndex{Index: flat.New(e.Dim()), begun: make(chan struct{}, 1), ended: make(chan struct{}, 1), hold: make(chan struct{})}
	ix, err := indexer.New(background, storage.ForIndexer(), indexer.Options{Models: []indexer.Model{{
		Embedder: e, Local: true, Open: func(context.Context) (vector.Index, error) { return index, nil },
	}}})
	must(writing, err)
	t.Cleanup(func() { must(writing, ix.Close()) })
	model := ix.Serving()[0]
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Restricted})
	query := vector.Query{Vector: make([]float32, e.Dim()), Limit: 10}
	query.Vector[0] = 1
	ctx, cancel := context.WithCancel(background)
	go func() {
		<-index.begun
		cancel()
	}()
	if hits, err := model.Index.Search(ctx, scope, query); err == nil {
		t.Errorf("found %v before the store was loaded", hits)
	}
	close(index.hold)
	hits, err := model.Index.Search(background, scope, query)
	must(writing, err)
	if len(hits) != 1 {
		t.Errorf("hits are %v", hits)
	}
}
