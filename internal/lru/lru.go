// Package lru is a cache that is bounded by bytes and evicts the least recently
// used first:
//
//	vectors := lru.New(8<<20, func(query string, v []float32) int { return len(query) + 4*len(v) })
//	vectors.Put("tea", vector)
//	vector, ok := vectors.Get("tea")
package lru

import (
	"container/list"
	"sync"
)

// Overhead is added to the size of each entry: the map, the list and the
// headers of keys and values take about so many bytes.
const Overhead = 256

// Cache is a cache bounded by bytes. It is safe for concurrent use.
//
// A used entry moves to the front of the list unless it has moved there since a sixteenth of
// the cache was last replaced. Most lookups thus read the entry alone and not its neighbors
// in the list, which are seldom in the processor's caches.
type Cache[K comparable, V any] struct {
	size     func(K, V) int
	maxBytes int

	mu    sync.Mutex
	bytes int               // of all entries
	used  *list.List        // of *item[K, V], the most recently used first
	items map[K]*item[K, V] // those of used
	age   uint64            // how many sixteenths of the cache have been put
	fresh int               // bytes that were put since age grew
}

type item[K comparable, V any] struct {
	key   K
	value V
	bytes int
	age   uint64 // when it moved to the front
	place *list.Element
}

// New returns a cache of at most maxBytes. size returns the bytes that a key and
// its value refer to, beyond Overhead, when it is put.
func New[K comparable, V any](maxBytes int, size func(K, V) int) *Cache[K, V] {
	return &Cache[K, V]{size: size, maxBytes: maxBytes, used: list.New(), items: make(map[K]*item[K, V])}
}

// Get returns the value of a key.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.get(key)
}

// GetEach looks up the keys of the numbers below n, and calls found with those numbers
// that have a value. found must not use the cache.
func (c *Cache[K, V]) GetEach(n int, key func(i int) K, found func(i int, value V)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range n {
		if value, ok := c.get(key(i)); ok {
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
	if value, ok := c.get(key); ok {
		return value
	}
	value := create()
	c.put(key, value)
	return value
}

func (c *Cache[K, V]) get(key K) (value V, ok bool) {
	i, ok := c.items[key]
	if !ok {
		return value, false
	}
	if i.age != c.age {
		i.age = c.age
		c.used.MoveToFront(i.place)
	}
	return i.value, true
}

func (c *Cache[K, V]) put(key K, value V) {
	bytes := Overhead + c.size(key, value)
	if bytes > c.maxBytes {
		return
	}
	if replaced, ok := c.items[key]; ok {
		c.remove(replaced)
	}
	if c.fresh += bytes; c.fresh >= c.maxBytes/16 {
		c.age, c.fresh = c.age+1, 0
	}
	i := &item[K, V]{key: key, value: value, bytes: bytes, age: c.age}
	i.place = c.used.PushFront(i)
	c.items[key] = i
	for c.bytes += bytes; c.bytes > c.maxBytes; {
		c.remove(c.used.Back().Value.(*item[K, V]))
	}
}

func (c *Cache[K, V]) remove(i *item[K, V]) {
	c.used.Remove(i.place)
	delete(c.items, i.key)
	c.bytes -= i.bytes
}

// Bytes returns the size of all entries.
func (c *Cache[K, V]) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}
