package indexer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"mneme/embed"
	"mneme/vector"
)

// Model is an embedder with the vector index that holds what it makes.
type Model struct {
	Embedder embed.Embedder
	// Open opens the index of the embedder's fingerprint. A local index is
	// opened empty, and anew whenever it must be filled from the start.
	Open func(ctx context.Context) (vector.Index, error)
	// Local says that the index lives in this process and is a cache of the
	// rows' vectors; else the worker writes it.
	Local bool
}

// fingerprintMeta names the fingerprint of the vectors that serve.
const fingerprintMeta = "fingerprint"

// models picks, of the embedders at hand, the one whose vectors the database
// holds. A changed configuration does not change what serves: only a finished
// reindex does.
type models struct {
	storage Storage
	list    []Model
	log     *slog.Logger

	// current is read by searches without the mutex, which is held for
	// seconds where an index does not open. nil: none of the list made the
	// vectors, or its index is not open yet.
	current atomic.Pointer[serving]
	mu      sync.Mutex    // guards what follows, and the filling of a local index
	stands  string        // the database's fingerprint, as last seen
	retry   time.Time     // before it, an index that did not open is not tried again
	wait    time.Duration // from the last attempt to retry
	// opened are the indexes to close at the end. One that no longer serves
	// stays open until then: a search may be under way in it.
	opened []vector.Index
}

// Between attempts to open an index, the wait doubles.
const (
	openFirst = time.Second
	openMost  = 30 * time.Second
)

// serving is the model that answers questions now.
type serving struct {
	model       Model
	fingerprint string
	index       vector.Index
	position    int64 // of the change sequence, up to which a local index is filled; guarded by models.mu
}

func openModels(ctx context.Context, storage Storage, list []Model, log *slog.Logger) (*models, error) {
	m := &models{storage: storage, list: list, log: log}
	if len(list) == 0 {
		return m, nil
	}
	err := storage.Update(ctx, func(tx Tx) error {
		stands, err := tx.Meta(ctx, fingerprintMeta)
		if err != nil || stands != nil {
			return err
		}
		return tx.SetMeta(ctx, fingerprintMeta, []byte(list[0].Embedder.Fingerprint()))
	})
	if err != nil {
		return nil, err
	}
	err = m.sync(ctx)
	if errors.Is(err, errIndex) {
		log.WarnContext(ctx, "the vector index cannot be used yet; searches answer by words until it can", "error", err)
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// errIndex says that a vector index could not be opened or written; searches
// answer without it, and it is tried again.
var errIndex = errors.New("vector index")

func (m *models) serving() *serving { return m.current.Load() }

// wanted is the fingerprint of the configured embedder.
func (m *models) wanted() string {
	if len(m.list) == 0 {
		return ""
	}
	return m.list[0].Embedder.Fingerprint()
}

// sync brings this process into step with the database: the model whose
// vectors serve, and the changes of vectors since the last time.
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

// pick makes the model serve whose fingerprint the database names.
func (m *models) pick(ctx context.Context) error {
	var stands []byte
	err := m.storage.View(ctx, func(tx ReadTx) (err error) {
		stands, err = tx.Meta(ctx, fingerprintMeta)
		return err
	})
	if err != nil {
		return err
	}
	now := m.current.Load()
	if string(stands) == m.stands && now != nil {
		return nil
	}
	if string(stands) != m.stands && string(stands) != m.wanted() {
		m.log.WarnContext(ctx, "the vectors of this database were made by another model than the configured one: run mneme reindex",
			"serving", string(stands), "configured", m.wanted())
	}
	m.stands = string(stands)
	i := slices.IndexFunc(m.list, func(one Model) bool { return one.Embedder.Fingerprint() == string(stands) })
	if i < 0 {
		m.current.Store(nil)
		return nil
	}
	if time.Now().Before(m.retry) {
		return nil
	}
	next, err := m.load(ctx, m.list[i])
	if err != nil {
		m.wait = min(max(openFirst, 2*m.wait), openMost)
		m.retry = time.Now().Add(m.wait)
		return err
	}
	m.retry, m.wait = time.Time{}, 0
	m.current.Store(next)
	return nil
}

// load opens a model's index, and fills it if it is local.
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
	err = m.storage.View(ctx, func(tx ReadTx) (err error) {
		if next.position, err = tx.LastChange(ctx); err != nil {
			return err
		}
		return fillIndex(ctx, tx, index, next.fingerprint)
	})
	return next, err
}

// close ends the connections of indexes outside the process.
func (m *models) close() error {
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

// fillIndex copies every vector of a fingerprint from the rows to an index.
func fillIndex(ctx context.Context, tx ReadTx, index vector.Index, fingerprint string) error {
	const many = 4096
	var batch []vector.Record
	err := tx.AllVectors(ctx, fingerprint, func(r vector.Record) error {
		if len(batch) >= many && r.Entry != batch[len(batch)-1].Entry {
			if err := index.Upsert(ctx, batch); err != nil {
				return fmt.Errorf("%w: fill: %w", errIndex, err)
			}
			batch = batch[:0]
		}
		batch = append(batch, r)
		return nil
	})
	if err != nil || len(batch) == 0 {
		return err
	}
	return index.Upsert(ctx, batch)
}

// apply takes one stretch of changes over into a local index and tells how
// many it was.
func (m *models) apply(ctx context.Context, now *serving) (int, error) {
	const stretch = 1000
	var changes []Change
	var reset bool
	var records []vector.Record
	err := m.storage.View(ctx, func(tx ReadTx) (err error) {
		changes, reset, err = tx.Changes(ctx, now.position, stretch)
		if err != nil || reset || len(changes) == 0 {
			return err
		}
		records, err = tx.Vectors(ctx, now.fingerprint, changed(changes))
		return err
	})
	if err != nil {
		return 0, err
	}
	if reset {
		next, err := m.load(ctx, now.model)
		if err == nil {
			m.current.Store(next)
		}
		return 0, err
	}
	if len(changes) == 0 {
		return 0, nil
	}
	if err := m.take(ctx, now.index, changed(changes), records); err != nil {
		return 0, err
	}
	now.position = changes[len(changes)-1].Position
	return len(changes), nil
}

// take makes records the vectors of their entries and removes the other ids.
func (m *models) take(ctx context.Context, index vector.Index, ids []uuid.UUID, records []vector.Record) error {
	has := make(map[uuid.UUID]bool, len(ids))
	for _, r := range records {
		has[r.Entry] = true
	}
	gone := slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool { return has[id] })
	if len(gone) > 0 {
		if err := index.Delete(ctx, gone); err != nil {
			return fmt.Errorf("%w: delete: %w", errIndex, err)
		}
	}
	if len(records) > 0 {
		if err := index.Upsert(ctx, records); err != nil {
			return fmt.Errorf("%w: upsert: %w", errIndex, err)
		}
	}
	return nil
}

// remove takes entries out of the index that serves.
func (m *models) remove(ctx context.Context, ids []uuid.UUID) error {
	if now := m.current.Load(); now != nil {
		if err := now.index.Delete(ctx, ids); err != nil {
			return fmt.Errorf("%w: delete: %w", errIndex, err)
		}
	}
	return nil
}

// changed are the entries of changes, each once.
func changed(changes []Change) []uuid.UUID {
	ids := make([]uuid.UUID, len(changes))
	for i, change := range changes {
		ids[i] = change.Entry
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
