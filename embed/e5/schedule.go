package e5

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Passages embeds stored texts, in units of some 256 tokens on all workers.
func (e *Encoder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([][]float32, len(texts))
	var wg sync.WaitGroup
	for u := range e.units(texts) {
		if !e.takeWorker(ctx) {
			break
		}
		wg.Go(func() {
			defer func() { <-e.workers }()
			if err := e.run(ctx, u, out); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return out, nil
}

// takeWorker waits for a free worker, and reports false if the context ended
// first.
func (e *Encoder) takeWorker(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case e.workers <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// unit is the work of one run: token ids, and the index of each text.
type unit struct {
	ids    [][]int32
	index  []int
	tokens int
}

// units tokenises texts, and yields them in units.
func (e *Encoder) units(texts []string) func(yield func(unit) bool) {
	return func(yield func(unit) bool) {
		var u unit
		for i, text := range texts {
			ids := e.tokenizer.encode(passagePrefix, text)
			if u.tokens > 0 && u.tokens+len(ids) > unitTokens {
				if !yield(u) {
					return
				}
				u = unit{}
			}
			u.ids, u.index, u.tokens = append(u.ids, ids), append(u.index, i), u.tokens+len(ids)
		}
		if u.tokens > 0 {
			yield(u)
		}
	}
}

// run encodes one unit and puts its vectors where they belong in out.
func (e *Encoder) run(ctx context.Context, u unit, out [][]float32) error {
	s := e.scratch(u.tokens)
	defer e.free.Put(s)
	vectors := make([][]float32, len(u.ids))
	err := e.model.forward(e.kernels, s, u.ids, vectors, func() error {
		runtime.Gosched() // a query may be ready to run, yet have no processor
		return e.gate.wait(ctx)
	})
	if err != nil {
		return err
	}
	for i, v := range vectors {
		out[u.index[i]] = v
	}
	return nil
}

// gate lets passages wait until no query is in flight. Questions that leave no
// gap between them hold passages up for as long as they come: someone waits for
// a question's answer, nobody for a passage.
type gate struct {
	queries atomic.Int64
	mu      sync.Mutex
	waiters []chan struct{}
}

func (g *gate) enter() { g.queries.Add(1) }

func (g *gate) leave() {
	if g.queries.Add(-1) > 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.queries.Load() > 0 {
		return // the query that came in between will open
	}
	for _, w := range g.waiters {
		close(w)
	}
	g.waiters = nil
}

// wait returns once no query is in flight, or with the context's error.
func (g *gate) wait(ctx context.Context) error {
	for g.queries.Load() > 0 {
		g.mu.Lock()
		if g.queries.Load() == 0 {
			g.mu.Unlock()
			break
		}
		w := make(chan struct{})
		g.waiters = append(g.waiters, w)
		g.mu.Unlock()
		select {
		case <-w:
		case <-ctx.Done():
			g.mu.Lock()
			g.waiters = slices.DeleteFunc(g.waiters, func(c chan struct{}) bool { return c == w })
			g.mu.Unlock()
			return ctx.Err()
		}
	}
	return ctx.Err()
}
