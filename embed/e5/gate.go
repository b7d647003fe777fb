package e5

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// gate makes passages wait while a query is in flight. An uninterrupted stream
// of queries blocks passages for as long as it lasts: someone waits for the
// answer to a query, nobody for a passage.
type gate struct {
	queries atomic.Int64
	mu      sync.Mutex
	waiters []chan struct{}
}

// enter closes the gate for one query.
func (g *gate) enter() { g.queries.Add(1) }

// leave opens the gate once the last query has left.
func (g *gate) leave() {
	if g.queries.Add(-1) > 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.queries.Load() > 0 {
		return // a query that has entered since will open the gate
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
