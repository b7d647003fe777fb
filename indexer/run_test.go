package indexer_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mneme/embed"
	"mneme/indexer"
	"mneme/test/backendtest"
	"mneme/vector"
)

// emptyStorage is a storage without entries. It uses no network or files, so it works in a
// synctest bubble.
type emptyStorage struct {
	start time.Time
	mu    sync.Mutex
	metas map[string]string
	taken map[time.Duration][]string // what each worker asked for, by the time since start
}

func newEmptyStorage() *emptyStorage {
	return &emptyStorage{start: time.Now(), metas: make(map[string]string), taken: make(map[time.Duration][]string)}
}

func (s *emptyStorage) View(_ context.Context, fn func(indexer.ReadTx) error) error {
	return fn(&emptyTx{storage: s})
}

func (s *emptyStorage) Update(_ context.Context, fn func(indexer.Tx) error) error {
	tx := &emptyTx{storage: s}
	err := fn(tx)
	if tx.sought != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		after := time.Since(s.start)
		s.taken[after] = append(s.taken[after], tx.sought)
	}
	return err
}

func (s *emptyStorage) setMeta(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.metas[name] = value
}

// emptyTx is a transaction of an emptyStorage.
type emptyTx struct {
	indexer.Tx
	storage *emptyStorage
	sought  string // the kinds of work that were asked for, in order
}

func (tx *emptyTx) Meta(_ context.Context, name string) ([]byte, error) {
	tx.storage.mu.Lock()
	defer tx.storage.mu.Unlock()
	return []byte(tx.storage.metas[name]), nil
}

func (tx *emptyTx) SetMeta(_ context.Context, name string, value []byte) error {
	tx.storage.setMeta(name, string(value))
	return nil
}

func (tx *emptyTx) Lease(_ context.Context, _, _ time.Time, turn indexer.Turn) ([]indexer.Lease, int64, error) {
	tx.sought += map[indexer.Work]string{indexer.Short: "short ", indexer.Long: "long ", indexer.Oldest: "oldest "}[turn.Work]
	return nil, 0, nil
}

func (*emptyTx) Reread(context.Context) (indexer.Reread, error)     { return indexer.Reread{}, nil }
func (*emptyTx) Dropped(context.Context) ([]indexer.Dropped, error) { return nil, nil }
func (*emptyTx) TrimChanges(context.Context, time.Time, time.Time, int) (bool, error) {
	return false, nil
}

func (*emptyTx) AllVectors(context.Context, string, func(vector.Record) error) error {
	return nil
}

// losing is a shared index that can report that it lost its contents. It records the times at
// which it is compared with the rows.
type losing struct {
	vector.Index
	start    time.Time
	mu       sync.Mutex
	lost     bool
	compared []time.Duration // after start
}

func (l *losing) Lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.lost
	l.lost = false
	return was
}

func (l *losing) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = true
}

func (l *losing) List(context.Context, func(vector.IndexedEntry) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.compared = append(l.compared, time.Since(l.start))
	return nil
}

// model returns a model with the index.
func (l *losing) model(e embed.Embedder) indexer.Model {
	return indexer.Model{Embedder: e, EnglishOnly: true, Open: func(context.Context) (vector.Index, error) { return l, nil }}
}

// runFor runs an indexer over an empty storage for d, and calls each of events at its time.
func (s *emptyStorage) runFor(t *testing.T, d time.Duration, options indexer.Options, events map[time.Duration]func()) {
	t.Helper()
	ix, err := indexer.New(t.Context(), s, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	for after, event := range events {
		time.AfterFunc(after, event)
	}
	if err := ix.Run(ctx); err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	if err := ix.Close(); err != nil {
		t.Error(err)
	}
}

func TestASharedIndexIsReconciledTwiceAtTheStartAndThenEveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index := &losing{start: time.Now()}
		newEmptyStorage().runFor(t, 3*time.Hour, indexer.Options{Models: []indexer.Model{index.model(backendtest.Arbitrary{})}}, nil)
		const again = 30 * time.Second
		if want := []time.Duration{0, again, time.Hour + again, 2*time.Hour + again}; !slices.Equal(index.compared, want) {
			t.Errorf("compared at %v, want %v", index.compared, want)
		}
	})
}

func TestIndexesAreReconciledWhenOneStartsServingAndWhenOneIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, second := newEmptyStorage(), backendtest.Second(backendtest.Arbitrary{})
		english, multilingual := &losing{start: time.Now()}, &losing{start: time.Now()}
		rows.runFor(t, time.Hour, indexer.Options{
			Models: []indexer.Model{english.model(backendtest.Arbitrary{})}, Multilingual: []indexer.Model{multilingual.model(second)},
		}, map[time.Duration]func(){
			65 * time.Second:  func() { rows.setMeta("fingerprint_multilingual", second.Fingerprint()) },
			125 * time.Second: multilingual.lose,
			185 * time.Second: func() { english.lose(); multilingual.lose() },
		})
		var both []time.Duration
		for _, at := range []int{70, 100, 130, 160, 190, 220} {
			both = append(both, time.Duration(at)*time.Second)
		}
		if want := append([]time.Duration{0, 30 * time.Second}, both...); !slices.Equal(english.compared, want) || !slices.Equal(multilingual.compared, both) {
			t.Errorf("compared at %v and %v, want %v and %v", english.compared, multilingual.compared, want, both)
		}
	})
}

// In every fourth turn, a worker that takes long entries takes the oldest rows instead. So
// neither a long entry nor an expensive one of a busy store starves. One worker takes only
// short entries.
func TestOneWorkerTakesOnlyShortEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, index := newEmptyStorage(), &losing{}
		const poll, turns = 500 * time.Millisecond, 12
		rows.runFor(t, turns*poll-1, indexer.Options{Models: []indexer.Model{index.model(backendtest.Arbitrary{})}}, nil)
		for turn := range turns {
			want := []string{"long short ", "long short ", "short "}
			if turn%4 == 3 {
				want = []string{"oldest ", "oldest ", "short "}
			}
			got := slices.Sorted(slices.Values(rows.taken[time.Duration(turn)*poll]))
			if !slices.Equal(got, want) {
				t.Errorf("turn %d: the workers look for %q, want %q", turn, got, want)
			}
		}
		if len(rows.taken) != turns {
			t.Errorf("the workers looked for work %d times, want %d", len(rows.taken), turns)
		}
	})
}
