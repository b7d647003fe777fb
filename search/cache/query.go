package cache

import (
	"context"
	"sync"
	"unsafe"

	"mneme/embed"
	"mneme/internal/lru"
)

// QueryKey identifies an embedding.
//
// SECURITY: the Reader is part of it, also while it is being made.
type QueryKey struct {
	Reader             Reader
	Fingerprint, Query string
}

// Queries keeps the embeddings of recent queries, and shares those that are being
// made. It counts the bytes of keys, vectors and tokens, because one query may be a
// thousand times as long as another.
type Queries struct {
	*lru.Cache[QueryKey, embed.Query]

	mu     sync.Mutex
	making map[QueryKey]*making
}

// making is an embedding that is being made.
type making struct {
	done      chan struct{} // closed when embedding and err are set
	embedding embed.Query
	err       error
	cancel    context.CancelFunc
	callers   int // that wait for it; guarded by Queries.mu
}

// NewQueries returns a cache of at most so many bytes.
func NewQueries(maxBytes int) *Queries {
	size := func(key QueryKey, embedding embed.Query) int {
		return len(key.Fingerprint) + len(key.Query) + 4*len(embedding.Vector) + int(unsafe.Sizeof(embed.Token{}))*len(embedding.Tokens)
	}
	return &Queries{Cache: lru.New(maxBytes, size), making: make(map[QueryKey]*making)}
}

// Embed returns an embedding that is not cached, and caches it. Calls with the same
// key at the same time share one call of embedder, whose context ends when all of
// them have given up. Each returns when its own context ends, even if the embedder
// is slow to notice.
func (q *Queries) Embed(ctx context.Context, key QueryKey, embedder embed.Embedder) (embed.Query, error) {
	q.mu.Lock()
	m := q.making[key]
	if m == nil {
		m = &making{done: make(chan struct{})}
		var shared context.Context
		shared, m.cancel = context.WithCancel(context.WithoutCancel(ctx))
		q.making[key] = m
		go q.embed(shared, key, embedder, m)
	}
	m.callers++
	q.mu.Unlock()
	select {
	case <-m.done:
		return m.embedding, m.err
	case <-ctx.Done():
		q.giveUp(key, m)
		return embed.Query{}, ctx.Err()
	}
}

// embed makes an embedding.
func (q *Queries) embed(ctx context.Context, key QueryKey, embedder embed.Embedder, m *making) {
	defer m.cancel()
	m.embedding, m.err = embedder.Query(ctx, key.Query)
	if m.err == nil {
		q.Put(key, m.embedding)
	}
	q.mu.Lock()
	q.forget(key, m)
	q.mu.Unlock()
	close(m.done)
}

// giveUp ends the wait of a call. The last one cancels the embedding.
func (q *Queries) giveUp(key QueryKey, m *making) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.callers--; m.callers == 0 {
		q.forget(key, m) // a later call starts over
		m.cancel()
	}
}

// forget removes an embedding that is no longer being made. q.mu is locked.
func (q *Queries) forget(key QueryKey, m *making) {
	if q.making[key] == m {
		delete(q.making, key)
	}
}
