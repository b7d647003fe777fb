// Package indexer keeps the vectors in step with the rows. It owns the queue
// of entries whose vectors are out of date and the vectors stored with the
// rows: its workers embed entries, save the vectors beside their rows, and
// bring the vector index into step with them.
package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"mneme/memory"
	"mneme/vector"
)

// Options configure an Indexer. Zero fields take the default.
type Options struct {
	// Models are the embedders at hand, the configured one first. Which of
	// them serves is decided by the vectors that the database holds.
	Models []Model
	// Now is the clock. Default time.Now.
	Now func() time.Time
	Log *slog.Logger // default: discard
	// Tracer makes a span of each batch and its steps. Default: none.
	Tracer trace.Tracer
}

// Indexer is the memory.Indexer of a database. It is safe for concurrent use.
type Indexer struct {
	storage  Storage
	now      func() time.Time
	log      *slog.Logger
	tracer   trace.Tracer
	models   *models
	kick     chan struct{} // wakes the worker
	progress progress
	away     atomic.Bool // the shared index did not answer when it was last asked
	doubted  atomic.Bool // a search had no answer of the index since
}

var _ memory.Indexer = (*Indexer)(nil)

// New opens an Indexer over a storage. Run must be called for vectors to be
// made.
func New(ctx context.Context, storage Storage, options Options) (*Indexer, error) {
	ix := &Indexer{
		storage: storage,
		now:     options.Now,
		log:     options.Log,
		tracer:  options.Tracer,
		kick:    make(chan struct{}, 1),
	}
	if ix.now == nil {
		ix.now = time.Now
	}
	if ix.log == nil {
		ix.log = slog.New(slog.DiscardHandler)
	}
	if ix.tracer == nil {
		ix.tracer = noop.Tracer{}
	}
	var err error
	if ix.models, err = openModels(ctx, storage, options.Models, ix.log); err != nil {
		return nil, fmt.Errorf("open indexer: %w", err)
	}
	return ix, nil
}

// Close ends the connections to vector indexes, after the last call has
// returned. The storage is its opener's to close.
func (ix *Indexer) Close() error { return ix.models.close() }

// instant is now in the precision and zone that rows keep.
func (ix *Indexer) instant() time.Time { return ix.now().UTC().Truncate(time.Microsecond) }

// errNoModel says that no embedder at hand made this database's vectors.
var errNoModel = errors.New("no embedder here made the vectors of this database")

// Serving implements memory.Indexer.
func (ix *Indexer) Serving() (memory.Model, bool) {
	now := ix.models.serving()
	if now == nil {
		return memory.Model{}, false
	}
	return memory.Model{Embedder: now.model.Embedder, Fingerprint: now.fingerprint, Index: now.index}, true
}

// Wake implements memory.Indexer.
func (ix *Indexer) Wake() {
	select {
	case ix.kick <- struct{}{}:
	default:
	}
}

// SuspectIndex implements memory.Indexer.
func (ix *Indexer) SuspectIndex() { ix.doubted.Store(true) }

// RemoveVectors implements memory.Indexer.
func (ix *Indexer) RemoveVectors(ctx context.Context, ids []uuid.UUID) error {
	return ix.models.remove(ctx, ids)
}

// WaitIndexed implements memory.Indexer.
func (ix *Indexer) WaitIndexed(ctx context.Context, id uuid.UUID) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		indexed, err := ix.indexed(ctx, id)
		if err != nil || indexed {
			return indexed
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

func (ix *Indexer) indexed(ctx context.Context, id uuid.UUID) (bool, error) {
	now := ix.models.serving()
	if now == nil {
		return false, errNoModel
	}
	pending := true
	err := ix.storage.View(ctx, func(tx ReadTx) (err error) {
		pending, err = tx.Pending(ctx, id)
		return err
	})
	if err != nil || pending {
		return false, err
	}
	if settler, ok := now.index.(vector.Settler); ok {
		return true, settler.Settle(ctx)
	}
	return true, ix.models.sync(ctx)
}
