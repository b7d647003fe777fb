package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed"
	"mneme/indexer"
	"mneme/memory"
	"mneme/memory/memorytest"
)

// clock is a service's clock that stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// onEachBackend runs a test of a rule in which a search or the index takes
// part, on all that the product supports. Tests of other rules run
// onEachStorage: what no index decides need not wait for Milvus's.
//
// Subtests run side by side, since they wait for servers most of the time.
func onEachBackend(t *testing.T, test func(t *testing.T, b memorytest.Backend)) {
	t.Helper()
	onEach(t, memorytest.Backends(), test)
}

// onEachStorage runs a test on each storage, with the flat index.
func onEachStorage(t *testing.T, test func(t *testing.T, b memorytest.Backend)) {
	t.Helper()
	onEach(t, memorytest.Storages(), test)
}

func onEach(t *testing.T, backends []memorytest.Backend, test func(t *testing.T, b memorytest.Backend)) {
	t.Helper()
	t.Parallel()
	for _, b := range backends {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			test(t, b)
		})
	}
}

// encoder is the built-in one.
func encoder(t testing.TB) *memorytest.Remembering {
	t.Helper()
	e, err := memorytest.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// house is a service over a database.
type house struct {
	*memorytest.Process
	t     testing.TB
	clock *clock // nil: the system's
}

// open opens a service over a fresh database.
func open(t testing.TB, b memorytest.Backend, limits memory.Limits) *house {
	t.Helper()
	c := newClock()
	h := openOver(t, b.Open(t), memory.Options{Limits: limits, Now: c.Now}, encoder(t))
	h.clock = c
	return h
}

// openOver opens another service over a database, as another process would.
func openOver(t testing.TB, data *memorytest.Data, options memory.Options, embedders ...embed.Embedder) *house {
	t.Helper()
	var models []indexer.Model
	for _, e := range embedders {
		models = append(models, data.Model(t, e))
	}
	if options.VectorBudget == 0 {
		options.VectorBudget = time.Minute
	}
	return &house{Process: memorytest.OpenProcess(t, data.Storage(t), options, models...), t: t}
}

// index works the queue until it is empty.
func (h *house) index() {
	h.t.Helper()
	if err := h.Drain(context.Background(), nil); err != nil {
		h.t.Fatal(err)
	}
}

// status is what REST answers for an error.
func status(err error) int {
	var broken *memory.RuleError
	var full *memory.QuotaError
	switch {
	case err == nil:
		return 200
	case errors.Is(err, acl.ErrDenied):
		return 403
	case errors.As(err, &broken) && broken.TooLarge:
		return 413
	case errors.As(err, &broken):
		return 422
	case errors.Is(err, memory.ErrNotFound):
		return 404
	case errors.Is(err, memory.ErrConflict), errors.Is(err, memory.ErrKindClash):
		return 409
	case errors.Is(err, memory.ErrPrecondition):
		return 412
	case errors.As(err, &full):
		return 429
	case errors.Is(err, memory.ErrCursor), errors.Is(err, acl.ErrBadID):
		return 400
	}
	return 500
}

func text(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return raw
}

func caller(p acl.Principal) memory.Caller { return memory.Caller{Principal: p, Internal: true} }

func agent(name string, taint acl.Label) memory.Caller {
	return caller(acl.Principal{Agent: name, Taint: taint})
}
