package memory

import (
	"unsafe"

	"mneme/embed"
	"mneme/lru"
)

// queryCacheBytes is the default bound of the query cache. It holds about 4,000
// short queries of a 384-dimensional model, or 2,500 with the codes of ten tokens.
const queryCacheBytes = 8 << 20

// queryKey identifies a cached embedding. The agent is part of it, so that
// the speed of an answer does not reveal what another agent asked.
type queryKey struct {
	agent, fingerprint, query string
}

// queryCache keeps the embeddings of recent queries. It counts the bytes of
// keys, vectors and tokens, because one query may be a thousand times as long as another.
type queryCache = lru.Cache[queryKey, embed.Query]

func newQueryCache(maxBytes int) *queryCache {
	return lru.New(maxBytes, func(key queryKey, embedding embed.Query) int {
		return len(key.agent) + len(key.fingerprint) + len(key.query) + 4*len(embedding.Vector) + int(unsafe.Sizeof(embed.Token{}))*len(embedding.Tokens)
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
