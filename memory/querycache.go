package memory

import "mneme/lru"

// queryCacheBytes is the default bound of the query cache. It holds about 4,000
// short queries of a 384-dimensional model.
const queryCacheBytes = 8 << 20

// queryKey identifies a cached query vector. The agent is part of it, so that
// the speed of an answer does not reveal what another agent asked.
type queryKey struct {
	agent, fingerprint, query string
}

// queryCache keeps the vectors of recent queries. It counts the bytes of keys
// and vectors, because one query may be a thousand times as long as another.
type queryCache = lru.Cache[queryKey, []float32]

func newQueryCache(maxBytes int) *queryCache {
	return lru.New(maxBytes, func(key queryKey, vector []float32) int {
		return len(key.agent) + len(key.fingerprint) + len(key.query) + 4*len(vector)
	})
}

// callerCacheBytes bounds the cache of registered callers. It holds about 10,000
// of them; of others, the storage is asked at each request.
const callerCacheBytes = 4 << 20

// callerCache holds the ids that are known as callers'.
type callerCache = lru.Cache[string, struct{}]

func newCallerCache() *callerCache {
	return lru.New(callerCacheBytes, func(id string, _ struct{}) int { return len(id) })
}
