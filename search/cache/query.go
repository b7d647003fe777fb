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
// SECURITY: the key includes the Reader, so that no Reader gets an embedding that was made for
// another, or waits for one that is being made for another.
type QueryKey struct {
	Reader             Reader
	Fingerprint, Query string
}

// Queries keeps the embeddings of recent queries. Calls for an embedding that is being made
// share it. Queries counts the bytes of keys, vectors and tokens, because one query may be a
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
	callers   int // number of calls that wait for it; guarded by Queries.mu
}

// NewQueries returns a cache of at most maxBytes bytes.
func NewQueries(maxBytes int) *Queries {
	size := func(key QueryKey, embedding embed.Query) int {
		return len(key.Fingerprint) + len(key.Query) + 4*len(embedding.Vector) + int(unsafe.Sizeof(embed.Token{}))*len(embedding.Tokens)
	}
	return &Queries{Cache: lru.New(maxBytes, size), making: make(map[QueryKey]*making)}
}

// Embed embeds the query of a key that is not cached, and caches the embedding. Concurrent calls
// with the same key share one call of embedder, whose context ends when all of them have given
// up. Each of them returns when its own context ends, even if the embedder is slow to notice.
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

// embed embeds the query of key for the calls that wait for m.
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

// giveUp ends the wait of a call for m. If no other call waits, it cancels the embedding.
func (q *Queries) giveUp(key QueryKey, m *making) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.callers--; m.callers == 0 {
		q.forget(key, m) // a later call starts over
		m.cancel()
	}
}

// forget removes m, which is no longer being made. The caller holds q.mu.
func (q *Queries) forget(key QueryKey, m *making) {
	if q.making[key] == m {
		delete(q.making, key)
	}
}
