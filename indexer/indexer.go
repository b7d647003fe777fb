// Package indexer keeps the vectors in sync with the rows. It owns the queue of entries whose
// vectors are out of date, and the vectors stored with the rows. Its workers lease queued
// entries, embed their texts, save the vectors with the rows, and update the vector index from
// them.
package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"mneme/embed"
	"mneme/embed/choice"
	"mneme/indexer/budget"
	"mneme/memory"
	"mneme/vector"
)

// Options configure an Indexer. Zero fields take the default.
type Options struct {
	// Models are the available embedders, the configured one first. The embedder that made the
	// vectors in the database serves, even if it is not the configured one.
	Models []Model
	// Multilingual are the embedders for texts that an EnglishOnly model cannot read, the
	// configured one first. If it is empty, the Models read everything.
	Multilingual []Model
	// Foreign reports whether an EnglishOnly model cannot read a text. Default: it can read
	// every text.
	Foreign func(text string) bool
	// Now is the clock. Default time.Now.
	Now func() time.Time
	Log *slog.Logger // default: discard
	// Tracer creates a span for each batch and its steps. Default: none.
	Tracer trace.Tracer
	// DropPause is the delay between a switch and the removal of the previous model's shared
	// index. Default: 5 s.
	DropPause time.Duration
}

// Indexer is the memory.Indexer of a database. It is safe for concurrent use.
type Indexer struct {
	storage Storage
	now     func() time.Time
	log     *slog.Logger
	tracer  trace.Tracer
	models  *models
	// multilingual are the models for the texts that models cannot read: those for which
	// foreign returns true.
	multilingual *models
	foreign      func(text string) bool
	yielders     []embed.Yielder // of all models
	progress     progress
	budgets      [Oldest]*budget.Chunks // limits for leases of short and of long entries
	// wakeCh wakes an idle worker; wakeLongCh wakes an idle worker that takes long entries.
	wakeCh, wakeLongCh chan struct{}
	// indexDown is set while the shared index does not respond. indexSuspect is set when a
	// search got no response, until the index is probed again.
	indexDown, indexSuspect atomic.Bool
	unsettled               unsettled
	awaited                 awaited
	dropPause               time.Duration
}

var _ memory.Indexer = (*Indexer)(nil)

// New opens an Indexer over a storage. Call Run to start making vectors.
func New(ctx context.Context, storage Storage, options Options) (*Indexer, error) {
	ix := &Indexer{
		storage:    storage,
		now:        options.Now,
		log:        options.Log,
		tracer:     options.Tracer,
		budgets:    [Oldest]*budget.Chunks{budget.New(), budget.New()},
		wakeCh:     make(chan struct{}, 1),
		wakeLongCh: make(chan struct{}, 1),
		dropPause:  cmp.Or(options.DropPause, defaultDropPause),
	}
	if ix.now == nil {
		ix.now = time.Now
	}
	if ix.log == nil {
		ix.log = slog.New(slog.DiscardHandler)
	}
	if ix.foreign = options.Foreign; ix.foreign == nil {
		ix.foreign = func(string) bool { return false }
	}
	if ix.tracer == nil {
		ix.tracer = noop.Tracer{}
	}
	var err error
	if ix.models, err = openModels(ctx, storage, options.Models, ix.log); err != nil {
		return nil, fmt.Errorf("open indexer: %w", err)
	}
	if ix.multilingual, err = openMultilingual(ctx, storage, options.Multilingual, ix.log); err != nil {
		return nil, fmt.Errorf("open indexer: %w", err)
	}
	for _, model := range slices.Concat(options.Models, options.Multilingual) {
		if y, ok := model.Embedder.(embed.Yielder); ok {
			ix.yielders = append(ix.yielders, y)
		}
	}
	return ix, nil
}

// Close closes the connections to vector indexes. Call it after all other calls have returned.
// It does not close the storage.
func (ix *Indexer) Close() error { return errors.Join(ix.models.close(), ix.multilingual.close()) }

// sync brings both kinds of models up to date with the database.
func (ix *Indexer) sync(ctx context.Context) error {
	return errors.Join(ix.models.sync(ctx), ix.multilingual.sync(ctx))
}

// syncOpened is sync for callers that can do without the multilingual model's index. If that
// index cannot be opened, syncOpened returns no error: Run retries and reports it.
func (ix *Indexer) syncOpened(ctx context.Context) error {
	err := ix.multilingual.sync(ctx)
	if errors.Is(err, errIndex) && ix.multilingual.serving() == nil {
		err = nil
	}
	return errors.Join(ix.models.sync(ctx), err)
}

// loadLocal loads the serving indexes that are local.
func (ix *Indexer) loadLocal(ctx context.Context) error {
	return errors.Join(ix.models.loadLocal(ctx), ix.multilingual.loadLocal(ctx))
}

// readers are the models that make vectors. The first is the main model, for English or for
// every language. The second is the model for texts that the main one cannot read; nil if there
// is none.
type readers [choice.Count]*serving

// The indexes of readers.
const (
	mainModel         = choice.Main
	multilingualModel = choice.Multilingual
)

// serving returns the serving models. All are nil if the main model does not serve.
func (ix *Indexer) serving() (serving readers) {
	if now := ix.models.serving(); now != nil {
		if serving[mainModel] = now; now.model.EnglishOnly {
			serving[multilingualModel] = ix.multilingual.serving()
		}
	}
	return serving
}

// instant returns the current time in the precision and zone of rows.
func (ix *Indexer) instant() time.Time { return ix.now().UTC().Truncate(time.Microsecond) }

// errNoModel reports that none of this process's embedders made the database's vectors.
var errNoModel = errors.New("no embedder here made the vectors of this database")

// Serving implements memory.Indexer.
func (ix *Indexer) Serving() (serving []memory.Model) {
	for _, now := range ix.serving() {
		if now != nil {
			serving = append(serving, memory.Model{
				Embedder: now.model.Embedder, Fingerprint: now.fingerprint, Index: now.index, EnglishOnly: now.model.EnglishOnly, MaxLabel: now.model.MaxLabel,
			})
		}
	}
	return serving
}

// Wake implements memory.Indexer.
func (ix *Indexer) Wake() { wake(ix.wakeCh) }

// Hold implements memory.Indexer.
func (ix *Indexer) Hold() {
	for _, y := range ix.yielders {
		y.Hold()
	}
}

// Release implements memory.Indexer.
func (ix *Indexer) Release() {
	for _, y := range ix.yielders {
		y.Release()
	}
}

// wake sends to ch unless it is full.
func wake(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// SuspectIndex implements memory.Indexer.
func (ix *Indexer) SuspectIndex() { ix.indexSuspect.Store(true) }

// RemoveVectors implements memory.Indexer.
func (ix *Indexer) RemoveVectors(ctx context.Context, ids []uuid.UUID) error {
	return errors.Join(ix.models.remove(ctx, ids), ix.multilingual.remove(ctx, ids))
}

// WaitIndexed implements memory.Indexer.
func (ix *Indexer) WaitIndexed(ctx context.Context, id uuid.UUID) bool {
	for _, y := range ix.yielders {
		y.Await()
		defer y.Arrived()
	}
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
	serving := ix.serving()
	if serving[mainModel] == nil {
		return false, errNoModel
	}
	pending := true
	err := ix.storage.View(ctx, func(tx ReadTx) (err error) {
		pending, err = tx.Waiting(ctx, id)
		return err
	})
	if err != nil || pending {
		return false, err
	}
	for _, now := range serving {
		if now == nil {
			continue
		}
		if settler, ok := now.index.(vector.Settler); ok {
			err = errors.Join(err, settler.Settle(ctx))
		}
	}
	return true, errors.Join(err, ix.syncOpened(ctx))
}
