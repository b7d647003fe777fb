package memory

import (
	"container/list"
	"sync"
)

// queryKey is what a remembered question belongs to. The agent is part of it,
// so that no agent can tell from an answer's speed what another asked.
type queryKey struct {
	agent, fingerprint, query string
}

// queryCache keeps the vectors of the latest questions, least recently used
// out first. Safe for concurrent use.
type queryCache struct {
	mu    sync.Mutex
	limit int
	order *list.List // of *cachedQuery, most recent in front
	at    map[queryKey]*list.Element
}

type cachedQuery struct {
	key    queryKey
	vector []float32
}

func newQueryCache(limit int) *queryCache {
	return &queryCache{limit: limit, order: list.New(), at: make(map[queryKey]*list.Element)}
}

func (q *queryCache) get(key queryKey) ([]float32, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, ok := q.at[key]
	if !ok {
		return nil, false
	}
	q.order.MoveToFront(e)
	return e.Value.(*cachedQuery).vector, true
}

func (q *queryCache) put(key queryKey, v []float32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e, ok := q.at[key]; ok {
		q.order.MoveToFront(e)
		return
	}
	q.at[key] = q.order.PushFront(&cachedQuery{key, v})
	if q.order.Len() > q.limit {
		oldest := q.order.Back()
		q.order.Remove(oldest)
		delete(q.at, oldest.Value.(*cachedQuery).key)
	}
}
