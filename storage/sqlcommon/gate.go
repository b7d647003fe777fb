package sqlcommon

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"mneme/indexer"
	"mneme/memory"
)

// Gate admits transactions until the storage closes. Closing waits for them.
type Gate struct {
	running sync.RWMutex
	closed  atomic.Bool
}

// Enter registers a transaction, which must call Leave when it ends. It fails if the storage is
// closed.
func (g *Gate) Enter() error {
	g.running.RLock()
	if g.closed.Load() {
		g.running.RUnlock()
		return fmt.Errorf("%w: closed", memory.ErrUnavailable)
	}
	return nil
}

// Leave ends a transaction that Enter registered.
func (g *Gate) Leave() { g.running.RUnlock() }

// Shut closes the gate, waits for the running transactions, and calls release. It does nothing
// if the gate is closed already.
func (g *Gate) Shut(release func() error) error {
	if g.closed.Swap(true) {
		return nil
	}
	g.running.Lock()
	defer g.running.Unlock()
	return release()
}

// ErrEnded is the error of a transaction whose function has returned.
var ErrEnded = fmt.Errorf("%w: the transaction has ended", memory.ErrUnavailable)

// ForIndexer returns a storage with the interface of package indexer.
func ForIndexer[R indexer.ReadTx, W indexer.Tx](view func(context.Context, func(R) error) error, update func(context.Context, func(W) error) error) indexer.Storage {
	return forIndexer[R, W]{view, update}
}

type forIndexer[R indexer.ReadTx, W indexer.Tx] struct {
	view   func(context.Context, func(R) error) error
	update func(context.Context, func(W) error) error
}

// View implements indexer.Storage.
func (f forIndexer[R, W]) View(ctx context.Context, fn func(indexer.ReadTx) error) error {
	return f.view(ctx, func(r R) error { return fn(r) })
}

// Update implements indexer.Storage.
func (f forIndexer[R, W]) Update(ctx context.Context, fn func(indexer.Tx) error) error {
	return f.update(ctx, func(w W) error { return fn(w) })
}
