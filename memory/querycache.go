package memory

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// queryCacheBytes bounds the memory of the query cache. It holds about 4,000
// short queries of a 384-dimensional model, and eight of 1 MB.
const queryCacheBytes = 8 << 20

// queryKey identifies a cached query vector. The agent is part of it, so that
// the speed of an answer does not reveal what another agent asked.
type queryKey struct {
	agent, fingerprint, query string
}

// queryCache keeps the vectors of recent queries. It is bounded by the bytes
// of keys and vectors, because a single query may be as long as a request
// allows, and evicts the least recently used first. It is safe for concurrent
// use.
//
// The list and the map are hashicorp/golang-lru's simplelru: it has no
// dependencies, starts no goroutines and evicts deterministically.
type queryCache struct {
	mu       sync.Mutex
	maxBytes int
	bytes    int // of all keys and vectors in lru
	lru      *simplelru.LRU[queryKey, []float32]
}

func newQueryCache(maxBytes int) *queryCache {
	q := &queryCache{maxBytes: maxBytes}
	// NewLRU fails only for a size below 1. The size counts entries, which are
	// not what is bounded here.
	q.lru, _ = simplelru.NewLRU(math.MaxInt, func(key queryKey, vector []float32) {
		q.bytes -= cachedBytes(key, vector)
	})
	return q
}

// cachedBytes is the size of a key's strings and a vector's elements.
func cachedBytes(key queryKey, vector []float32) int {
	return len(key.agent) + len(key.fingerprint) + len(key.query) + 4*len(vector)
}

func (q *queryCache) get(key queryKey) ([]float32, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lru.Get(key)
}

// put stores the vector of key, unless the two are larger than the cache.
func (q *queryCache) put(key queryKey, vector []float32) {
	size := cachedBytes(key, vector)
	if size > q.maxBytes {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lru.Remove(key) // subtracts the bytes of the vector that is replaced
	q.lru.Add(key, vector)
	q.bytes += size
	for q.bytes > q.maxBytes {
		q.lru.RemoveOldest()
	}
}
