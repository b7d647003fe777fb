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
	"mneme/embed/e5"
	"mneme/memory"
	"mneme/storage/sqlite/sqlitetest"
	"mneme/vector"
	"mneme/vector/flat"
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

// encoder is the real E5, loaded once for all tests, with a memory of what it
// embedded: the tests here ask for the same few texts again and again.
var encoder = sync.OnceValues(func() (*remembering, error) {
	e, err := e5.New(e5.Options{})
	if err != nil {
		return nil, err
	}
	return &remembering{Embedder: e, seen: make(map[string][]float32)}, nil
})

type remembering struct {
	embed.Embedder
	mu   sync.Mutex
	seen map[string][]float32
}

func (r *remembering) Query(ctx context.Context, text string) ([]float32, error) {
	return r.once("query\x00"+text, func() ([]float32, error) { return r.Embedder.Query(ctx, text) })
}

func (r *remembering) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		v, err := r.once("passage\x00"+text, func() ([]float32, error) {
			one, err := r.Embedder.Passages(ctx, []string{text})
			if err != nil {
				return nil, err
			}
			return one[0], nil
		})
		if err != nil {
			return nil, err
		}
		vectors[i] = v
	}
	return vectors, nil
}

func (r *remembering) once(key string, make func() ([]float32, error)) ([]float32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.seen[key]; ok {
		return v, nil
	}
	v, err := make()
	if err == nil {
		r.seen[key] = v
	}
	return v, err
}

// house is a service over a fresh database.
type house struct {
	*memory.Service
	t     testing.TB
	clock *clock
}

func open(t testing.TB, limits memory.Limits) *house {
	t.Helper()
	ctx := context.Background()
	storage := sqlitetest.Open(t)
	e, err := encoder()
	if err != nil {
		t.Fatal(err)
	}
	c := newClock()
	service, err := memory.New(ctx, storage, memory.Options{Limits: limits, Now: c.Now, VectorBudget: time.Minute, Models: []memory.Model{{
		Embedder: e, Local: true,
		Open: func(context.Context) (vector.Index, error) { return flat.New(e.Dim()), nil },
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return &house{Service: service, t: t, clock: c}
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
