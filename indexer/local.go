package indexer

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// localIndex is an in-process vector index that is loaded from the rows store by store. A
// search waits until the stores of its scope are loaded, and has them loaded before the others.
// A process is therefore ready at once, however many entries there are, and no search misses
// entries because they are not loaded yet.
type localIndex struct {
	vector.Index
	models      *models
	fingerprint string

	full   atomic.Bool // all stores are loaded
	mu     sync.Mutex
	stores map[int64]*storeLoad
}

// storeLoad is the loading of one store.
type storeLoad struct {
	done chan struct{} // closed when the load ends
	err  error         // set before done is closed
}

// Search implements vector.Index.
func (x *localIndex) Search(ctx context.Context, scope acl.Scope, query vector.Query) ([]vector.Hit, error) {
	if !x.full.Load() {
		indexed := scope.Indexed()
		stores := make([]int64, len(indexed))
		for i, access := range indexed {
			stores[i] = access.Number
		}
		if err := x.load(ctx, stores); err != nil {
			return nil, err
		}
	}
	return x.Index.Search(ctx, scope, query)
}

// AtMost implements vector.Local. A search cannot begin at once while stores are loaded.
func (x *localIndex) AtMost(scope acl.Scope, n int) bool {
	local, ok := x.Index.(vector.Local)
	return ok && x.full.Load() && local.AtMost(scope, n)
}

// List implements vector.Lister.
func (x *localIndex) List(ctx context.Context, yield func(vector.IndexedEntry) error) error {
	lister, ok := x.Index.(vector.Lister)
	if !ok {
		return errNoList
	}
	if err := x.loadAll(ctx); err != nil {
		return err
	}
	return lister.List(ctx, yield)
}

// loadAll loads the stores one at a time, so that a store that a search waits for can be loaded
// between two of them.
func (x *localIndex) loadAll(ctx context.Context) error {
	if x.full.Load() {
		return nil
	}
	var stores []int64
	err := x.models.storage.View(ctx, func(tx ReadTx) (err error) {
		stores, err = tx.Stores(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, store := range stores {
		if err := x.load(ctx, []int64{store}); err != nil {
			return err
		}
	}
	// Stores created since the list was read need no load: their vectors came to the index as
	// changes.
	x.full.Store(true)
	x.mu.Lock()
	clear(x.stores)
	x.mu.Unlock()
	return nil
}

// load waits until stores are loaded, and starts loading those that are not.
func (x *localIndex) load(ctx context.Context, stores []int64) error {
	loads := make([]*storeLoad, len(stores))
	for i, store := range stores {
		loads[i] = x.start(store)
	}
	for _, load := range loads {
		select {
		case <-load.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if load.err != nil {
			return load.err
		}
	}
	return nil
}

// start returns the load of a store, which it starts unless it is running or done. The load
// goes on if the search that waits for it gives up. A failed load is started again.
func (x *localIndex) start(store int64) *storeLoad {
	x.mu.Lock()
	defer x.mu.Unlock()
	if load := x.stores[store]; load != nil {
		select {
		case <-load.done:
			if load.err == nil {
				return load
			}
		default:
			return load
		}
	}
	load := &storeLoad{done: make(chan struct{})}
	x.stores[store] = load
	x.models.loading.Go(func() {
		x.models.loaders <- struct{}{}
		defer func() { <-x.models.loaders }()
		load.err = x.read(x.models.alive, store)
		close(load.done)
	})
	return load
}

// read copies the vectors of a store from the rows to the index. Meanwhile the index also
// applies each change made since it was opened, to stores that are not loaded too. So an entry
// that changed since may be written twice, but none is missed.
func (x *localIndex) read(ctx context.Context, store int64) error {
	var ids []uuid.UUID
	err := x.models.storage.View(ctx, func(tx ReadTx) (err error) {
		ids, err = tx.StoreEntries(ctx, store)
		return err
	})
	if err != nil {
		return err
	}
	// In order of creation, which is the rows' order on disk. IDs begin with the time of
	// creation.
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	const page = 500
	for some := range slices.Chunk(ids, page) {
		if err := x.readPage(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// readPage copies the vectors of entries. It holds the lock, so that no change is applied
// between the read and the write: the older vectors that were read would overwrite it.
func (x *localIndex) readPage(ctx context.Context, ids []uuid.UUID) error {
	x.models.mu.Lock()
	defer x.models.mu.Unlock()
	var records []vector.Record
	err := x.models.storage.View(ctx, func(tx ReadTx) (err error) {
		records, err = vectorsOf(ctx, tx, x.fingerprint, ids)
		return err
	})
	if err != nil || len(records) == 0 {
		return err
	}
	if err := x.Upsert(ctx, records); err != nil {
		return fmt.Errorf("%w: load: %w", errIndex, err)
	}
	return nil
}
