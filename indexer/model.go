package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mneme/acl"
	"mneme/embed"
	"mneme/vector"
)

// Model is an embedder with the index of its vectors.
type Model struct {
	Embedder embed.Embedder
	// Open opens the index of the embedder's fingerprint. If the index is local, each call
	// returns a new, empty one.
	Open func(ctx context.Context) (vector.Index, error)
	// Drop removes the shared index of a fingerprint, which need not be the embedder's. It
	// returns nil if there is none. A local index needs no Drop.
	Drop func(ctx context.Context, fingerprint string) error
	// Local is set if the index lives in this process, as a cache of the rows' vectors.
	// Otherwise processes share the index, and the workers write to it.
	Local bool
	// EnglishOnly is set if the multilingual models read the texts that are foreign to this
	// model. Otherwise it reads everything.
	EnglishOnly bool
	// MaxLabel is the highest label of the entries, and of the sessions with questions, whose
	// texts the embedder receives. 0 means all labels.
	MaxLabel acl.Label
	// Renew is set if the model is an earlier form of the first one, whose embeddings of
	// questions may be compared with this model's vectors. Its vectors are recomputed in the
	// background.
	Renew bool
	// Lacks says, for the log, what searches lack while this model serves in place of the
	// configured one. It is "" if the two models' vectors cannot be compared.
	Lacks string
}

// The settings of the database with the active fingerprints: those of the vectors that searches
// use. The second setting exists once the multilingual model has made its first vector. A
// switch to a main model that reads every language empties it.
const (
	fingerprintMeta  = "fingerprint"
	multilingualMeta = "fingerprint_multilingual"
)

// settings holds the names of these settings, by index in readers.
var settings = []string{mainModel: fingerprintMeta, multilingualModel: multilingualMeta}

// models is the list of one kind of models, main or multilingual, and the one of them that
// serves: the model that made the database's vectors. Only a finished reindex changes which
// model serves; the configuration does not.
type models struct {
	storage Storage
	list    []Model
	setting string // fingerprintMeta or multilingualMeta
	log     *slog.Logger

	// current is read without the mutex, which may be locked for seconds while an index opens.
	// It is nil if no model of the list made the vectors, or if its index is not open yet.
	current           atomic.Pointer[serving]
	mu                sync.Mutex    // guards the fields below, and the writing of a local index
	activeFingerprint string        // in the database, when last read
	unopened          error         // why the index of the active fingerprint did not open; nil if it did
	retryAt           time.Time     // when to try opening again
	backoff           time.Duration // from the last attempt to retryAt
	// opened are the indexes to close at the end. An index that no longer serves stays open
	// until then, since a search may still use it.
	opened []vector.Index

	alive   context.Context // ends with close
	stop    context.CancelFunc
	loading sync.WaitGroup // the loads of localIndex
	loaders chan struct{}  // semaphore: a few stores load concurrently, so that a large one does not delay small ones
}

// The backoff between attempts to open an index doubles within these bounds.
const (
	minOpenBackoff = time.Second
	maxOpenBackoff = 30 * time.Second
)

// serving is a model with its open index.
type serving struct {
	model       Model
	fingerprint string
	index       vector.Index
	position    int64 // in the change sequence, up to which a local index has applied changes; guarded by models.mu
	next        bool  // a reindex is making its vectors; it does not serve yet
}

func newModels(ctx context.Context, storage Storage, list []Model, setting string, log *slog.Logger) *models {
	m := &models{storage: storage, list: list, setting: setting, log: log, loaders: make(chan struct{}, 2)}
	m.alive, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	return m
}

// openModels opens the main models, which read English or everything.
func openModels(ctx context.Context, storage Storage, list []Model, log *slog.Logger) (*models, error) {
	m := newModels(ctx, storage, list, fingerprintMeta, log)
	return m, m.open(ctx, m.begin)
}

// openMultilingual opens the models for texts that the English model cannot read. None of them
// serves until the first such text is embedded.
func openMultilingual(ctx context.Context, storage Storage, list []Model, log *slog.Logger) (*models, error) {
	m := newModels(ctx, storage, list, multilingualMeta, log)
	return m, m.open(ctx, m.sync)
}

// open calls serve, which is m.begin or m.sync. If the index cannot be opened yet, open logs
// that and returns nil: the opening is retried.
func (m *models) open(ctx context.Context, serve func(context.Context) error) error {
	err := serve(ctx)
	if errors.Is(err, errIndex) {
		m.log.WarnContext(ctx, "the vector index cannot be used yet; searches answer by words until it can", "error", err)
		return nil
	}
	return err
}

// begin is sync, except that it makes the configured model serve if the database has no vectors
// of this kind of models yet.
func (m *models) begin(ctx context.Context) error {
	if len(m.list) == 0 {
		return nil
	}
	err := m.storage.Update(ctx, func(tx Tx) error {
		active, err := tx.Meta(ctx, m.setting)
		if err != nil || len(active) > 0 {
			return err
		}
		return tx.SetMeta(ctx, m.setting, []byte(m.configuredFingerprint()))
	})
	if err != nil {
		return err
	}
	return m.sync(ctx)
}

// errIndex reports that a vector index could not be opened or written. Searches
// answer without it, and the operation is retried.
var errIndex = errors.New("vector index")

// errReplaced reports that the model that embedded the entries no longer serves.
var errReplaced = errors.New("the model was replaced")

func (m *models) serving() *serving { return m.current.Load() }

// active returns the active fingerprint as last read, or "" if there is none.
func (m *models) active() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.activeFingerprint
}

// configuredFingerprint returns the fingerprint of the configured embedder.
func (m *models) configuredFingerprint() string {
	if len(m.list) == 0 {
		return ""
	}
	return m.list[0].Embedder.Fingerprint()
}

// find returns the index in list of the model with a fingerprint, or -1 if there is none.
func (m *models) find(fingerprint string) int {
	return slices.IndexFunc(m.list, func(one Model) bool { return one.Embedder.Fingerprint() == fingerprint })
}

// sync follows the database: it selects the model whose vectors are active, and applies the
// changes of vectors since the last call to a local index.
func (m *models) sync(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) == 0 {
		return nil
	}
	if err := m.pick(ctx); err != nil {
		return err
	}
	now := m.current.Load()
	if now == nil || !now.model.Local {
		return nil
	}
	for {
		applied, err := m.apply(ctx, now)
		if err != nil || applied == 0 {
			return err
		}
	}
}

// pick makes the model with the active fingerprint serve.
func (m *models) pick(ctx context.Context) error {
	var active []byte
	err := m.storage.View(ctx, func(tx ReadTx) (err error) {
		active, err = tx.Meta(ctx, m.setting)
		return err
	})
	if err != nil {
		return err
	}
	if now := m.current.Load(); now != nil && now.fingerprint == string(active) {
		return nil
	}
	i := m.find(string(active))
	if len(active) > 0 && string(active) != m.activeFingerprint && i != 0 && (i < 0 || !m.list[i].Renew) {
		m.logOther(ctx, string(active), i)
	}
	m.activeFingerprint = string(active)
	if i < 0 {
		m.current.Store(nil)
		m.unopened = nil
		return nil
	}
	if time.Now().Before(m.retryAt) {
		return nil
	}
	next, err := m.load(ctx, m.list[i])
	if err != nil {
		m.backoff = min(max(minOpenBackoff, 2*m.backoff), maxOpenBackoff)
		m.retryAt, m.unopened = time.Now().Add(m.backoff), err
		m.current.Store(nil) // the previous model's vectors are dropped
		return err
	}
	m.retryAt, m.backoff, m.unopened = time.Time{}, 0, nil
	m.current.Store(next)
	return nil
}

// indexWait bounds how long a repair or a Drain waits for an index that is down or starting.
const indexWait = 2 * time.Minute

// await returns the serving model. If its index cannot be opened, await retries for up to
// indexWait and then returns the error.
func (m *models) await(ctx context.Context) (*serving, error) {
	ctx, cancel := context.WithTimeout(ctx, indexWait)
	defer cancel()
	for {
		if err := m.sync(ctx); err != nil && !errors.Is(err, errIndex) && ctx.Err() == nil {
			return nil, err
		}
		m.mu.Lock()
		now, unopened, retryAt := m.current.Load(), m.unopened, m.retryAt
		m.mu.Unlock()
		if now != nil {
			return now, nil
		}
		if unopened == nil {
			return nil, cmp.Or(ctx.Err(), errNoModel)
		}
		select {
		case <-ctx.Done():
			return nil, unopened
		case <-time.After(time.Until(retryAt)):
		}
	}
}

// logOther logs that the active fingerprint is not the configured model's. i is the index in
// list of the model with the active fingerprint, or negative if there is none.
func (m *models) logOther(ctx context.Context, active string, i int) {
	attrs := []any{"serving", active, "configured", m.configuredFingerprint()}
	if i > 0 && m.list[i].Lacks != "" {
		attrs = append(attrs, "lacks", m.list[i].Lacks)
	}
	m.log.WarnContext(ctx, "the vectors of this database were made by another model than the configured one: run mneme reindex", attrs...)
}

// load opens a model's index. A local index is empty at first: searches and loadAll load it
// store by store.
func (m *models) load(ctx context.Context, model Model) (*serving, error) {
	index, err := model.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: open: %w", errIndex, err)
	}
	next := &serving{model: model, fingerprint: model.Embedder.Fingerprint(), index: index}
	if !model.Local {
		m.opened = append(m.opened, index)
		return next, nil
	}
	local := &localIndex{Index: index, models: m, fingerprint: next.fingerprint, stores: make(map[int64]*storeLoad)}
	next.index = local
	err = m.storage.View(ctx, func(tx ReadTx) (err error) {
		next.position, err = lastChange(ctx, tx)
		return err
	})
	local.full.Store(next.position == 0) // no vectors were saved yet
	return next, err
}

// loadLocal loads the whole serving index if it is local.
func (m *models) loadLocal(ctx context.Context) error {
	if now := m.current.Load(); now != nil {
		if local, ok := now.index.(*localIndex); ok {
			return local.loadAll(ctx)
		}
	}
	return nil
}

// close stops loading local indexes and closes the shared ones.
func (m *models) close() error {
	m.stop()
	m.loading.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.current.Store(nil)
	var failed []error
	for _, index := range m.opened {
		failed = append(failed, closeIndex(index))
	}
	m.opened = nil
	return errors.Join(failed...)
}

func closeIndex(index vector.Index) error {
	closer, ok := index.(io.Closer)
	if !ok {
		return nil
	}
	if err := closer.Close(); err != nil {
		return fmt.Errorf("%w: close: %w", errIndex, err)
	}
	return nil
}
