// Package lru is a cache that is bounded by bytes and evicts the least recently
// used first:
//
//	vectors := lru.New(8<<20, func(query string, v []float32) int { return len(query) + 4*len(v) })
//	vectors.Put("tea", vector)
//	vector, ok := vectors.Get("tea")
//
// The list and the map are hashicorp/golang-lru's simplelru: it has no
// dependencies, starts no goroutines and evicts deterministically. It counts
// entries; this package counts what they hold.
package lru

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Overhead is added to the size of each entry: the list, the map and the
// headers of keys and values take about so many bytes.
const Overhead = 256

// Cache is a cache bounded by bytes. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	size func(K, V) int

	mu       sync.Mutex
	maxBytes int
	bytes    int // of all entries
	list     *simplelru.LRU[K, V]
}

// New returns a cache of at most maxBytes. size returns the bytes that a key and
// its value refer to, beyond Overhead. It must return the same for the same
// entry as long as the entry is cached.
func New[K comparable, V any](maxBytes int, size func(K, V) int) *Cache[K, V] {
	c := &Cache[K, V]{maxBytes: maxBytes}
	c.size = func(key K, value V) int { return Overhead + size(key, value) }
	// NewLRU fails only for a size below 1.
	c.list, _ = simplelru.NewLRU(math.MaxInt, func(key K, value V) { c.bytes -= c.size(key, value) })
	return c
}

// Get returns the value of a key.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list.Get(key)
}

// GetEach looks up the keys of the numbers below n, and calls found with those numbers
// that have a value. found must not use the cache.
func (c *Cache[K, V]) GetEach(n int, key func(i int) K, found func(i int, value V)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range n {
		if value, ok := c.list.Get(key(i)); ok {
			found(i, value)
		}
	}
}

// Put sets the value of a key, unless the two are larger than the cache.
func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, value)
}

// GetOrPut returns the value of a key. If there is none, it puts the value that
// create returns.
func (c *Cache[K, V]) GetOrPut(key K, create func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if value, ok := c.list.Get(key); ok {
		return value
	}
	value := create()
	c.put(key, value)
	return value
}

func (c *Cache[K, V]) put(key K, value V) {
	size := c.size(key, value)
	if size > c.maxBytes {
		return
	}
	c.list.Remove(key) // subtracts the bytes of the value that is replaced
	c.list.Add(key, value)
	c.bytes += size
	for c.bytes > c.maxBytes {
		c.list.RemoveOldest()
	}
}

// Bytes returns the size of all entries.
func (c *Cache[K, V]) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}
